package owner

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

func endSessionCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "end-session SESSION", Short: "Sign one browser out", Args: syntax.Takes("SESSION"),
		ValidArgsFunction: complete(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				if err := access.EndSession(cmd.Context(), o, args[0]); err != nil {
					return err
				}
				return s.Printer.Result("ended "+args[0], map[string]string{"session": args[0]}, nil)
			})
		},
	}
}
