package plugins

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Network makes the sender with which the contract suite lets a module reach its
// provider.
type Network func(*config.Config) run.Sender

// Command holds the commands of connectors. Alone it lists those that are installed.
func Command(s *session.Session, network Network) *cobra.Command {
	list := listCommand(s)
	cmd := s.Group("plugins", "Show, check and write connectors", func(cmd *cobra.Command) error { return list.RunE(cmd, nil) })
	cmd.AddCommand(list, inspectCommand(s), installCommand(s), acceptCommand(s), verifyCommand(s), removeCommand(s))
	cmd.AddCommand(newCommand(s), devCommand(s), testCommand(s, network), replayCommand(s))
	return cmd
}

// OldCommand holds the same commands under an older word, which their envelopes then name.
func OldCommand(s *session.Session, network Network) *cobra.Command {
	cmd := Command(s, network)
	cmd.Use, cmd.Hidden = "plugin", true
	return cmd
}
