package records

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/data"
)

// every stands for all connections. No connection has to have that name for it, and one
// that has it is asked for by its id.
const every = "all"

func searchCommand(s *session.Session) *cobra.Command {
	var r data.SearchRequest
	cmd := &cobra.Command{
		Use: "search CONNECTION|all QUERY", Short: "Find records with words in them, the newest first", Args: syntax.Takes("CONNECTION|all", "QUERY"),
		Long: "Finds records with all of the words of QUERY in one of the fields that their connector declares for a search. Case and\n" +
			"diacritics do not count; \"words in quotes\" stand one behind the other; a * behind the last word is for any end. What was\n" +
			"collected since the last search is indexed first, which takes a while after the first run.",
		Example:           "  pdpp-host records search all 'brulee'\n  pdpp-host records search claude_code '\"race condition\" mutex*' --stream messages",
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.Limit <= 0 {
				return syntax.Usage("--limit must be above zero", "leave it out for the default")
			}
			if r.Text = args[1]; args[0] != every {
				r.Connections = []string{args[0]}
			}
			return search(cmd.Context(), s, args[0], r)
		},
	}
	cmd.Flags().StringArrayVar(&r.Streams, "stream", nil, "only `STREAM` (repeatable; default: all)")
	cmd.Flags().IntVar(&r.Limit, "limit", 20, "at most `N` records, and at most 100")
	cmd.Flags().StringVar(&r.Cursor, "cursor", "", "go on behind the records that `CURSOR` came with, for ten minutes")
	return cmd
}

func search(ctx context.Context, s *session.Session, connection string, r data.SearchRequest) error {
	return s.Read(func(o *owner.Owner) error {
		found, err := data.Search(ctx, o, r)
		if err != nil {
			return err
		}
		summary := output.Plural(int64(len(found.Hits)), "record") + " found"
		return s.Printer.Result(summary, found, func(w io.Writer) {
			for _, warning := range found.Warnings {
				fmt.Fprintln(w, output.Clean(warning.Message))
			}
			switch {
			case len(found.Hits) == 0 && !found.Complete:
				fmt.Fprintln(w, "no records found so far")
				return
			case len(found.Hits) == 0:
				fmt.Fprintln(w, "no records found")
				return
			}
			rows := make([][]string, len(found.Hits))
			for i := range found.Hits {
				rows[i] = hitRow(&found.Hits[i])
			}
			output.Table(w, s.Printer.Style, []string{"connection", "stream", "key", "field", "found"}, rows)
			if found.Next != "" {
				fmt.Fprintln(w, s.Advice("more: pdpp-host records search "+syntax.Quoted(connection)+" "+syntax.Quoted(output.Clean(r.Text))+narrowed(&r)+" --cursor "+found.Next))
			}
		})
	})
}

// narrowed are the flags that a search for more repeats.
func narrowed(r *data.SearchRequest) string {
	var b strings.Builder
	for _, name := range r.Streams {
		b.WriteString(" --stream " + syntax.Quoted(output.Clean(name)))
	}
	return b.String()
}

// A column of the table is this wide at most.
const (
	mostKey     = 48
	mostSnippet = 160
)

func hitRow(h *data.Hit) []string {
	text := output.Cut(strings.Join(strings.Fields(output.Clean(h.Snippet)), " "), mostSnippet)
	if h.Before {
		text = "…" + text
	}
	return []string{output.Clean(h.Connection), output.Clean(h.Stream), output.Cut(output.Clean(h.Key), mostKey), output.Clean(h.Field), text}
}
