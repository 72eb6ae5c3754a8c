package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// app is the session, with the store of the commands that have no operation yet.
type app struct {
	*session.Session

	owner *owner.Owner // over the open store
}

func newApp() *app { return &app{Session: session.New(version)} }

// main runs the command that args name and returns the exit status.
func (a *app) main(args []string) int { return a.Execute(a.root, args, a.Advised) }

// withStore opens the store, hands it to fn and closes it.
func (a *app) withStore(ctx context.Context, fn func(*config.Config, *storage.Store) error) error {
	return a.Change(func(o *owner.Owner) error {
		store, err := o.Store(ctx)
		if err != nil {
			return err
		}
		a.owner = o
		return fn(o.Config, store)
	})
}

// usage is a usage.invalid error.
func usage(message, hint string) *abi.Error { return syntax.Usage(message, hint) }

// takes is what a command's arguments are checked with.
func takes(names ...string) cobra.PositionalArgs { return syntax.Takes(names...) }

// openModule reads the module that CONNECTOR names: a path, or a name in the
// plugins folder.
func openModule(c *config.Config, connector string) (*plugin.File, error) {
	return modules.Open(c, connector, modules.ListCommand)
}
