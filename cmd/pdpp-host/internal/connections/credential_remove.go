package connections

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
)

func credentialRemoveCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME FIELD", Short: "Forget a stored credential", Args: takesNoSecret("NAME", "FIELD"),
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			return removeCredential(cmd.Context(), s, args[0], args[1])
		},
	}
}

func removeCredential(ctx context.Context, s *session.Session, name, field string) error {
	return s.Change(func(o *owner.Owner) error {
		r, err := credentials.Remove(ctx, o, name, field)
		if err != nil {
			return err
		}
		return s.Printer.Result(fmt.Sprintf("removed %s of %s", r.Field, r.Connection), r, nil)
	})
}
