package owner

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/made"
)

// usualSince is how far back `owner made` looks.
const usualSince = "7d"

func madeCommand(s *session.Session) *cobra.Command {
	var since string
	var ids []string
	var all bool
	cmd := &cobra.Command{
		Use: "made", Short: "List what was made since a time, by whom and from where, and end some or all of it", Args: syntax.Takes(),
		Long: "Lists the tokens, passkeys, channels, grants, devices, invitations and sessions that were made since a time and still work,\n" +
			"by whom and from where as the audit knows. After a break-in, end what was not you: `pdpp-host owner reset --since TIME` does it all at once.",
		Example: "  pdpp-host owner made --since 2d\n  pdpp-host owner made --since 2d --end tok_1f00d3a9 --end chan_01k8",
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := syntax.Time("--since", since, s.Now())
			switch {
			case err != nil:
				return err
			case all && len(ids) > 0:
				return syntax.Usage("--end and --end-all stand together", "write one of them")
			case all, len(ids) > 0:
				return endMade(cmd.Context(), s, from, ids)
			}
			return listMade(cmd.Context(), s, from)
		},
	}
	cmd.Flags().StringVar(&since, "since", usualSince, "made since `TIME`")
	cmd.Flags().StringArrayVar(&ids, "end", nil, "end the thing of that `ID`; repeatable")
	cmd.Flags().BoolVar(&all, "end-all", false, "end all of it")
	return cmd
}

func listMade(ctx context.Context, s *session.Session, since time.Time) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := made.Since(ctx, o, since)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all)), "thing"), map[string]any{"since": since, "made": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, "nothing was made since "+output.Timestamp(since)+" that still works")
				return
			}
			rows := make([][]string, len(all))
			for i := range all {
				rows[i] = madeRow(&all[i])
			}
			output.Table(w, s.Printer.Style, []string{"id", "what", "name", "made", "by", "from"}, rows)
		})
	})
}

func madeRow(x *made.Thing) []string {
	by := string(x.By)
	if x.ByID != "" {
		by += " " + x.ByID
	}
	return []string{x.ID, string(x.Kind), output.Clean(show.Dash(x.Name)), output.Timestamp(x.MadeAt), show.Dash(by), show.Dash(x.Address)}
}

func endMade(ctx context.Context, s *session.Session, since time.Time, ids []string) error {
	return s.Change(func(o *owner.Owner) error {
		ended, err := ending(ctx, o, since, ids)
		if err != nil {
			return err
		}
		return s.Printer.Result(endedText(ended), map[string]any{"since": since, "ended": ended}, func(w io.Writer) { writeEnded(w, ended) })
	})
}

// ending ends what was chosen, or all of it where ids is nil.
func ending(ctx context.Context, o *owner.Owner, since time.Time, ids []string) ([]made.Ended, error) {
	if ids == nil {
		return made.EndAll(ctx, o, since)
	}
	return made.End(ctx, o, since, ids)
}

func endedText(all []made.Ended) string {
	n := 0
	for i := range all {
		if all[i].Code == "" {
			n++
		}
	}
	return "ended " + output.Plural(int64(n), "thing")
}

func writeEnded(w io.Writer, all []made.Ended) {
	if len(all) == 0 {
		fmt.Fprintln(w, "nothing was to be ended")
	}
	for i := range all {
		what := "ended"
		if all[i].Code != "" {
			what = "goes on (" + string(all[i].Code) + ")"
		}
		fmt.Fprintf(w, "%s %s %s: %s\n", all[i].Kind, all[i].ID, output.Clean(show.Dash(all[i].Name)), what)
	}
}
