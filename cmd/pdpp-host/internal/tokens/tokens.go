package tokens

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// Command holds the commands of tokens. Alone it lists them.
func Command(s *session.Session) *cobra.Command {
	list := listCommand(s)
	cmd := s.Group("tokens", "Let programs ask this host over HTTP", func(cmd *cobra.Command) error { return list.RunE(cmd, nil) })
	cmd.AddCommand(list, createCommand(s), approveCommand(s), revokeCommand(s))
	return cmd
}

// complete completes the ids of tokens.
func complete(s *session.Session) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return s.Complete(cmd.Context(), args, func(o *owner.Owner, ctx context.Context) (ids []string, err error) {
			all, err := access.Tokens(ctx, o)
			for i := range all {
				ids = append(ids, all[i].ID)
			}
			return ids, err
		})
	}
}
