package tokens

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

func approveCommand(s *session.Session) *cobra.Command {
	var scope, expires string
	cmd := &cobra.Command{
		Use: "approve CODE", Short: "Give a device a token that speaks for you", Args: syntax.Takes("CODE"),
		Long: "Takes the code that a device shows which asks for everything, and has it fetch a token that speaks for you. Approve only\n" +
			"what you began yourself: somebody may send you the code of a device of theirs.",
		RunE: func(cmd *cobra.Command, args []string) error {
			life, err := syntax.Span("--expires", expires)
			if err != nil {
				return err
			}
			return s.Change(func(o *owner.Owner) error {
				id, err := grants.EnterCode(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				r, err := grants.Look(cmd.Context(), o, id)
				if err != nil {
					return err
				}
				if err := grants.ApproveOwnerToken(cmd.Context(), o, grants.OwnerToken{RequestID: id, Scope: access.Scope(scope), Expires: life}); err != nil {
					return err
				}
				return s.Printer.Result("approved "+id+": "+output.Clean(r.Name())+" gets a token of scope "+scope, map[string]string{"request_id": id, "scope": scope}, nil)
			})
		},
	}
	scopeFlag(cmd, &scope)
	cmd.Flags().StringVar(&expires, "expires", "30d", "it is good for `SPAN`, up to 365d")
	return cmd
}
