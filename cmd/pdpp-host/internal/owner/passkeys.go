package owner

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

func passkeysCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "passkeys", Short: "List the passkeys that sign you in", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return passkeys(cmd.Context(), s) },
	}
}

func passkeys(ctx context.Context, s *session.Session) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := access.Passkeys(ctx, o)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all)), "passkey"), map[string]any{"passkeys": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, "no passkeys yet: a browser adds them in the settings")
				return
			}
			rows := make([][]string, len(all))
			for i, x := range all {
				used := "never"
				if x.UsedAt != nil {
					used = output.Timestamp(*x.UsedAt)
				}
				rows[i] = []string{x.ID, output.Clean(x.Name), x.Host, output.Timestamp(x.CreatedAt), used}
			}
			output.Table(w, s.Printer.Style, []string{"passkey", "name", "for", "added", "used"}, rows)
		})
	})
}

func removePasskeyCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "remove-passkey PASSKEY", Short: "Remove a passkey, and sign every browser out", Args: syntax.Takes("PASSKEY"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return s.Complete(cmd.Context(), args, func(o *owner.Owner, ctx context.Context) (ids []string, err error) {
				all, err := access.Passkeys(ctx, o)
				for i := range all {
					ids = append(ids, all[i].ID)
				}
				return ids, err
			})
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				if err := access.RemovePasskey(cmd.Context(), o, args[0]); err != nil {
					return err
				}
				return s.Printer.Result("removed "+args[0]+"; every browser is signed out", map[string]string{"passkey": args[0]}, nil)
			})
		},
	}
}
