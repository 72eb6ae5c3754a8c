package connections

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
)

// Command holds the commands of connections. Alone it lists them.
func Command(s *session.Session) *cobra.Command {
	list := listCommand(s)
	cmd := s.Group("connections", "Show and change connections", func(cmd *cobra.Command) error { return list.RunE(cmd, nil) })
	cmd.AddCommand(list, addCommand(s), setCommand(s), showCommand(s), filesCommand(s), removeCommand(s), revokeCommand(s), credentialCommand(s), scheduleCommand(s), signInCommand(s), signOutCommand(s))
	return cmd
}
