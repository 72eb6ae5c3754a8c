package main

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/connections"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/debug"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/devices"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/plugins"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/records"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/runs"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/status"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/store"
)

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.Group("pdpp-host", "Collect your own data with sandboxed connectors", nil)
	root.Long = "pdpp-host runs connectors, WebAssembly modules in a sandbox, and keeps what they collect in one local store."
	root.AddCommand(
		a.runCommand(), a.serveCommand(), plugins.Command(a.Session, a.unpaced), plugins.OldCommand(a.Session, a.unpaced), connections.Command(a.Session), devices.Command(a.Session), runs.Command(a.Session),
		records.Command(a.Session), store.Command(a.Session), status.Command(a.Session), a.configCommand(), a.doctorCommand(), debug.Command(a.Session), a.versionCommand(),
	)
	var version bool
	root.Flags().BoolVar(&version, "version", false, "print the version")
	alone := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if version && len(args) == 0 {
			return a.versionCommand().RunE(cmd, nil)
		}
		return alone(cmd, args)
	}
	for _, c := range root.Commands() {
		a.Commands = append(a.Commands, c.Name())
	}
	return root
}
