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
	cmd.AddCommand(kit(s, network)...)
	return cmd
}

// OldCommand is the connector author's kit under the word that it had alone.
func OldCommand(s *session.Session, network Network) *cobra.Command {
	cmd := s.Group("plugin", "Write and test a connector", nil)
	cmd.Hidden = true
	cmd.AddCommand(kit(s, network)...)
	return cmd
}

func kit(s *session.Session, network Network) []*cobra.Command {
	return []*cobra.Command{newCommand(s), testCommand(s, network), replayCommand(s)}
}
