package runs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// narrow is a screen's width in columns below which the list says less.
const narrow = 120

func listCommand(s *session.Session) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "list [CONNECTION]", Short: "List runs, the newest first", Args: syntax.Takes("[CONNECTION]"),
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return syntax.Usage("--limit is below zero", "0 lists all of them")
			}
			return list(cmd.Context(), s, strings.Join(args, ""), limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", defaultLimit, "at most `N`; 0 lists all of them")
	return cmd
}

func list(ctx context.Context, s *session.Session, connection string, limit int) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := o.Runs(ctx, connection, limit)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all.Runs)), "run"), all, func(w io.Writer) {
			if len(all.Runs) == 0 {
				fmt.Fprintln(w, s.Advice("no runs yet: pdpp-host run CONNECTOR"))
			} else {
				writeAll(w, s.Printer.Style, all.Runs)
			}
			for i := range all.Refused { // no run began
				fmt.Fprintf(w, "not begun: %s  %s\n", output.Clean(all.Refused[i].Connection), show.Refusal(&all.Refused[i]))
			}
		})
	})
}

func writeAll(w io.Writer, style output.Style, all []*owner.Run) {
	header := []string{"run", "connection", "status", "started", "took", "not collected", "records"}
	small := style.Width > 0 && style.Width < narrow
	if small {
		header = slices.Delete(header, 4, 5)
	}
	rows := make([][]string, len(all))
	for i, r := range all {
		rows[i] = []string{
			r.RunID, r.Connection, show.RunState(r), output.Timestamp(r.StartedAt), took(r), uncollected(r), changedRecords(r),
		}
		if small {
			rows[i] = narrowed(r, rows[i])
		}
	}
	output.Table(w, style, header, rows)
}

func took(v *owner.Run) string {
	if v.FinishedAt == nil {
		return "-"
	}
	return output.Seconds(v.FinishedAt.Sub(v.StartedAt))
}

func changedRecords(v *owner.Run) string {
	var sum run.Counts
	for stream, c := range v.Records {
		if stream != outcome.Diagnostics {
			sum.Add(run.Counts{New: c.New, Changed: c.Changed, Deleted: c.Deleted}, 1)
		}
	}
	return show.Dash(outcome.Counted(sum, 0))
}

// narrowed makes a row of the list fit a narrow screen: the beginning of the id,
// which `runs show` takes, no year, and no duration.
func narrowed(v *owner.Run, row []string) []string {
	return []string{v.RunID[:min(len(v.RunID), 18)], row[1], row[2], v.StartedAt.UTC().Format("01-02 15:04"), row[5], row[6]}
}
