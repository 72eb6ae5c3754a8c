package connections

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func removeCommand(s *session.Session) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "remove NAME", Short: "Delete a connection and everything it collected", Args: syntax.Takes("NAME"),
		ValidArgsFunction: s.CompleteConnection,
		RunE:              func(cmd *cobra.Command, args []string) error { return remove(cmd.Context(), s, args[0], yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "yes, delete the records too")
	return cmd
}

func remove(ctx context.Context, s *session.Session, name string, yes bool) error {
	return s.Change(func(o *owner.Owner) error {
		r, err := o.RemoveConnection(ctx, name, func(r owner.Removed) error {
			if yes {
				return nil
			}
			return syntax.Usage(fmt.Sprintf("removing %q deletes %s", r.Connection, output.Plural(r.Records, "record")),
				"if that is meant: pdpp-host connections remove "+r.Connection+" --yes")
		})
		if err != nil {
			return err
		}
		summary := fmt.Sprintf("removed %s and %s", r.Connection, output.Plural(r.Records, "record"))
		return s.Printer.Result(summary, r, func(w io.Writer) {
			if s.Flags.Quiet {
				return
			}
			fmt.Fprintln(w, output.Clean(summary))
			if r.Records > 0 {
				fmt.Fprintln(w, "  their room is free for new records; to give it back to the disk: "+s.Advice("pdpp-host store compact"))
			}
		})
	})
}

func revokeCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME", Short: "Let nothing of a connection run until you accept it again", Args: syntax.Takes("NAME"),
		Long: "Takes back what you accepted for a connection: nothing of it runs any more, by itself or by hand, until you accept its\n" +
			"connector again with `pdpp-host plugins accept`. Its records and credentials stay.",
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				conn, err := o.RevokeConnection(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return s.Printer.Result("revoked "+conn.Name, conn, nil)
			})
		},
	}
}
