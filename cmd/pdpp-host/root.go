package main

import (
	"github.com/spf13/cobra"
)

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.group("pdpp-host", "Collect your own data with sandboxed connectors", nil)
	root.Long = "pdpp-host runs connectors, WebAssembly modules in a sandbox, and keeps what they collect in one local store."
	root.AddCommand(
		a.runCommand(), a.serveCommand(), a.pluginsCommand(), a.pluginCommand(), a.connectionsCommand(), a.devicesCommand(), a.runsCommand(),
		a.recordsCommand(), a.storeCommand(), a.statusCommand(), a.configCommand(), a.doctorCommand(), a.debugCommand(), a.versionCommand(),
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
		a.commands = append(a.commands, c.Name())
	}
	return root
}
