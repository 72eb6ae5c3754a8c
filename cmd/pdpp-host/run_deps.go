package main

import (
	"context"
	"os"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// runDeps wires what every run works with, by hand or by schedule. Nobody is
// asked and nobody watches: that is for the caller to add.
func (a *app) runDeps(c *config.Config, store *storage.Store, engine *plugin.Engine, grants *roots.Resolver, f runFlags) run.Deps {
	return run.Deps{
		Store: store, Engine: engine, Roots: grants, Now: a.Now, Holder: holder.Self(), HolderAlive: holder.Alive,
		NewID:  func() string { return run.NewID(a.Now(), a.Random) },
		Logger: a.Logger,
		Sender: a.networkSender(c, f),
		Secrets: func(ctx context.Context, conn *storage.Connection, m *abi.Manifest) (run.Secrets, error) {
			s := credential.New(store, a.VaultOptions(c), conn, manifest.Credentials(m), os.Getenv)
			return s, s.Check(ctx) // now, so that a lost key refuses the run before it begins
		},
		Details: func(connector string) *abi.DetailLimits { return detailLimits(connector, os.Getenv) },
		Admit:   func(ctx context.Context, connection string) error { return a.cooledDown(ctx, store, connection) },
	}
}

// unpaced is the sender of the contract suite: it does not wait for this machine.
func (a *app) unpaced(c *config.Config) run.Sender {
	s := a.networkSender(c, runFlags{})
	s.unpaced = true
	return s
}
