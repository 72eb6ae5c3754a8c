package tokens

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

func revokeCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN", Short: "End a token", Args: syntax.Takes("TOKEN"),
		Long:              "Ends a token, named by its id. What it asks for next is refused.",
		ValidArgsFunction: complete(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				if err := access.RevokeToken(cmd.Context(), o, args[0]); err != nil {
					return err
				}
				return s.Printer.Result("revoked "+args[0], map[string]string{"token": args[0]}, nil)
			})
		},
	}
}
