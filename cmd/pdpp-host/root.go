package main

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/audit"
	apps "github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/clients"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/config"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/connections"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/debug"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/devices"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/doctor"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/grants"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/mcp"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/metrics"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/notifications"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/owner"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/plugins"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/questions"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/records"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/run"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/runs"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/serve"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/status"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/store"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/tokens"
	versions "github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/version"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
)

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.Group("pdpp-host", "Collect your own data with sandboxed connectors", nil)
	root.Long = "pdpp-host runs connectors, WebAssembly modules in a sandbox, and keeps what they collect in one local store."
	root.AddCommand(
		run.Command(a.Session), serve.Command(a.Session), plugins.Command(a.Session, running.Unpaced), plugins.OldCommand(a.Session, running.Unpaced), connections.Command(a.Session), devices.Command(a.Session), owner.Command(a.Session), tokens.Command(a.Session), grants.Command(a.Session), apps.Command(a.Session), mcp.Command(a.Session), runs.Command(a.Session), questions.Command(a.Session), notifications.Command(a.Session),
		records.Command(a.Session), store.Command(a.Session), status.Command(a.Session), audit.Command(a.Session), config.Command(a.Session), doctor.Command(a.Session), metrics.Command(a.Session), debug.Command(a.Session), versions.Command(a.Session),
	)
	var asked bool
	root.Flags().BoolVar(&asked, "version", false, "print the version")
	alone := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if asked && len(args) == 0 {
			return versions.Command(a.Session).RunE(cmd, nil)
		}
		return alone(cmd, args)
	}
	for _, c := range root.Commands() {
		a.Commands = append(a.Commands, c.Name())
	}
	return root
}
