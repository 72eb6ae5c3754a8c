package session

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// CompleteConnection completes the names of connections.
func (s *Session) CompleteConnection(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return s.Complete(cmd.Context(), args, (*owner.Owner).ConnectionNames)
}

// Complete completes the first argument with names that an operation lists. A store
// that does not exist yet is not made for it, and an error has nowhere to be reported.
func (s *Session) Complete(ctx context.Context, args []string, list func(*owner.Owner, context.Context) ([]string, error)) (names []string, then cobra.ShellCompDirective) {
	if len(args) > 0 || !s.HasStore() {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_ = s.Read(func(o *owner.Owner) (err error) {
		names, err = list(o, ctx)
		return err
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}

// HasStore reports whether there is a store. None is made for a question that an empty
// store would answer.
func (s *Session) HasStore() bool {
	c, err := s.Config()
	return err == nil && StoreExists(c)
}

// StoreExists reports whether there may be a store: a file that is there, or a server,
// which alone knows.
func StoreExists(c *config.Config) bool { return c.StoreOnServer() || exists(c.StorageDSN()) }

// CompleteConnector completes the names of installed connectors, and files.
func (s *Session) CompleteConnector(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := s.Config()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := modules.Installed(c.PluginsDir())
	if err != nil || len(names) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names, cobra.ShellCompDirectiveDefault
}

// CompleteRunnable completes the names of installed connectors and of connections, and
// files.
func (s *Session) CompleteRunnable(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, then := s.CompleteConnector(cmd, args, typed)
	more, _ := s.CompleteConnection(cmd, args, typed)
	names = append(names, more...)
	slices.Sort(names)
	return slices.Compact(names), then
}
