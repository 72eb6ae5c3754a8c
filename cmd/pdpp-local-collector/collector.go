package main

import (
	"math/rand/v2"
	"os"

	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
)

// collector wires what reads and delivers a lane; it runs no connector.
func (a *app) collector(l *lane) (*collector.Collector, error) { return collector.New(a.deps(l)) }

func (a *app) deps(l *lane) collector.Deps {
	return collector.Deps{
		Profile: l.profile, LanePath: l.path, Now: a.Now, Random: rand.Float64,
		NewID:   func() string { return run.NewID(a.Now(), a.Random) },
		Install: install(), Getenv: os.Getenv, Logger: a.Logger,
	}
}

// runDeps wires what a run of the connector works with: its files, and nobody to ask and no
// network. A connector that needs those runs on the host.
func (a *app) runDeps(engine *plugin.Engine, grants *roots.Resolver) run.Deps {
	return run.Deps{
		Engine: engine, Roots: grants, Now: a.Now, Holder: holder.Self(), HolderAlive: holder.Alive,
		NewID: func() string { return run.NewID(a.Now(), a.Random) }, Logger: a.Logger,
	}
}

// grants resolves the folders that are granted, which are never the collector's own.
func (a *app) grants(c *config.Config, l *lane) *roots.Resolver {
	return roots.New(a.Home, append(profile.OwnFolders(a.env()), c.DataDir(), l.path))
}
