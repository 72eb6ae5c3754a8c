package grants

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

// Command holds the commands of grants. Alone it lists them.
func Command(s *session.Session) *cobra.Command {
	list := listCommand(s)
	cmd := s.Group("grants", "Decide which apps may read what", func(cmd *cobra.Command) error { return list.RunE(cmd, nil) })
	cmd.AddCommand(list, askCommand(s), requestsCommand(s), codeCommand(s), lookCommand(s), reviewCommand(s), approveCommand(s), denyCommand(s), showCommand(s), readsCommand(s), limitCommand(s), credentialCommand(s), revokeCommand(s))
	return cmd
}

func listCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List what was granted", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), s) },
	}
}

func list(ctx context.Context, s *session.Session) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := grants.List(ctx, o)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all)), "grant"), map[string]any{"grants": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, s.Advice("no app may read anything: `pdpp-host grants requests` lists those that ask"))
				return
			}
			rows := make([][]string, len(all))
			for i := range all {
				g := &all[i]
				rows[i] = []string{g.ID, output.Clean(g.Name()), g.State, streams(&g.Gets), timestamp(g.UsedAt, "never"), timestamp(g.ExpiresAt, "until you revoke it")}
			}
			output.Table(w, s.Printer.Style, []string{"grant", "app", "state", "streams", "used", "ends"}, rows)
		})
	})
}

func streams(g *grant.Words) string {
	names := make([]string, len(g.Streams))
	for i := range g.Streams {
		names[i] = output.Clean(g.Streams[i].Stream)
	}
	return strings.Join(names, ", ")
}

func timestamp(at *time.Time, otherwise string) string {
	if at == nil {
		return otherwise
	}
	return output.Timestamp(*at)
}

// writeGets says what is given, a stream on each line.
func writeGets(w io.Writer, g *grant.Words) {
	for i := range g.Streams {
		one := &g.Streams[i]
		fmt.Fprintf(w, "  %s of %s: %s\n    %s\n", output.Clean(one.Stream), cleaned(one.Connections), cleaned(one.Fields), output.Clean(one.Records))
	}
	fmt.Fprintln(w, g.Access+" "+g.Ends)
}

func cleaned(all []string) string { return output.Clean(strings.Join(all, ", ")) }

func showCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "show GRANT", Short: "Show one grant, and how much it shows now", Args: syntax.Takes("GRANT"), ValidArgsFunction: completeGrant(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Read(func(o *owner.Owner) error {
				g, err := grants.Show(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				return s.Printer.Result("grant "+g.ID+": "+g.State, g, func(w io.Writer) { write(w, g, s.Now()) })
			})
		},
	}
}

func write(w io.Writer, g *grants.Shown, now time.Time) {
	fmt.Fprintf(w, "%s (%s, not verified): %s, since %s, used %s\n", output.Clean(g.Name()), output.Clean(g.ClientID), g.State, output.Timestamp(g.IssuedAt), timestamp(g.UsedAt, "never"))
	writeGets(w, &g.Gets)
	for _, r := range g.Records {
		if r.Count == nil {
			fmt.Fprintf(w, "the records of %s cannot be counted now\n", output.Clean(r.Stream))
			continue
		}
		fmt.Fprintf(w, "it can read now: %s of %s\n", output.Plural(*r.Count, "record"), output.Clean(r.Stream))
	}
	for i := range g.Has {
		fmt.Fprintln(w, "it has read: "+g.Has[i].Words(now))
	}
	if len(g.Has) == 0 {
		fmt.Fprintln(w, "it has read nothing")
	}
	for _, d := range g.Days[max(0, len(g.Days)-shownDays):] {
		fmt.Fprintf(w, "  on %s: %s in %s\n", d.Date, output.Plural(d.Records, "record"), output.Plural(d.Reads, "stream read"))
	}
	if g.Digest != "" {
		fmt.Fprintf(w, "approved against manifest %s (kept)\n", output.ShortHash(g.Digest))
	}
	for _, t := range g.Tokens {
		fmt.Fprintf(w, "its token %s is from %s, until %s, used %s\n", t.ID, output.Timestamp(t.CreatedAt), output.Timestamp(t.ExpiresAt), timestamp(t.UsedAt, "never"))
	}
}

// shownDays is how many days with reads a text has; JSON has all of three months.
const shownDays = 7

func revokeCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "revoke GRANT", Short: "End a grant, from the app's next request on", Args: syntax.Takes("GRANT"), ValidArgsFunction: completeGrant(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				if err := grants.Revoke(cmd.Context(), o, args[0]); err != nil {
					return err
				}
				return s.Printer.Result("revoked "+args[0], map[string]string{"grant_id": args[0]}, nil)
			})
		},
	}
}

func completeGrant(s *session.Session) cobra.CompletionFunc {
	return complete(s, grants.List, func(g *grants.Grant) string { return g.ID })
}

// complete completes the ids of what list returns.
func complete[T any](s *session.Session, list func(context.Context, *owner.Owner) ([]T, error), id func(*T) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return s.Complete(cmd.Context(), args, func(o *owner.Owner, ctx context.Context) (ids []string, err error) {
			all, err := list(ctx, o)
			for i := range all {
				ids = append(ids, id(&all[i]))
			}
			return ids, err
		})
	}
}
