package main

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
)

// program is the name of the command in what it says of itself.
const program = "pdpp-local-collector"

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := syntax.Group(program, "Collect on this machine and deliver to your host", a.Printer.Raw, nil)
	root.Long = program + " runs a connector on the machine that holds the data and delivers what it collects to your host.\n" +
		"Each execution delivers what waits, collects, and ends; a timer starts the next one."
	root.AddCommand(
		a.setupCommand(), a.enrollCommand(), a.runCommand(), a.statusCommand(), a.doctorCommand(), a.recoverCommand(), a.retryCommand(),
		a.filesCommand(), a.pruneCommand(), a.compactCommand(), a.logoutCommand(), a.connectorsCommand(), a.advertiseCommand(), a.versionCommand(),
	)
	return root
}
