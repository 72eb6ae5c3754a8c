package owner

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// Command holds the commands of the owner's access.
func Command(s *session.Session) *cobra.Command {
	cmd := s.Group("owner", "Choose anew how to sign in to the console, and end its sessions and passkeys", nil)
	cmd.Long = "Whoever may type these commands owns the data folder, and so the host: they ask for no password."
	cmd.AddCommand(resetCommand(s), madeCommand(s), sessionsCommand(s), endSessionCommand(s), passkeysCommand(s), removePasskeyCommand(s))
	return cmd
}

// complete completes the ids of sessions.
func complete(s *session.Session) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return s.Complete(cmd.Context(), args, func(o *owner.Owner, ctx context.Context) (ids []string, err error) {
			all, err := access.Sessions(ctx, o)
			for i := range all {
				ids = append(ids, all[i].ID)
			}
			return ids, err
		})
	}
}
