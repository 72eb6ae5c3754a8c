package main

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
)

// program is the name of the command in what it says of itself.
const program = "pdpp-local-collector"

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := syntax.Group(program, "Collect on this machine and deliver to your host", a.printer.Raw, nil)
	root.Long = program + " runs a connector on the machine that holds the data and delivers what it collects to your host.\n" +
		"Each execution delivers what waits, collects, and ends; a timer starts the next one."
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(syntax.FlagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.begin(cmd) }
	root.SuggestionsMinimumDistance = 2

	p := root.PersistentFlags()
	p.StringVar(&a.flags.config, "config", "", "configuration `FILE` (default $XDG_CONFIG_HOME/pdpp/pdpp.yaml)")
	p.StringVar(&a.flags.dataDir, "data-dir", "", "`DIR` of compiled modules (default ~/.local/share/pdpp)")
	p.StringVar(&a.flags.plugins, "plugins", "", "`DIR` of the connectors (default DATA_DIR/plugins)")
	p.BoolVar(&a.flags.json, "json", false, "print one JSON envelope as the last line")
	p.BoolVar(&a.flags.quiet, "quiet", false, "no progress and no summary")
	p.StringVar(&a.flags.logLevel, "log-level", "warn", "`LEVEL` of the log: debug, info, warn or error")
	p.StringVar(&a.flags.logFormat, "log-format", "text", "`FORMAT` of the log: text or json")

	root.AddCommand(
		a.setupCommand(), a.enrollCommand(), a.runCommand(), a.statusCommand(), a.doctorCommand(), a.recoverCommand(), a.retryCommand(),
		a.pruneCommand(), a.compactCommand(), a.logoutCommand(), a.connectorsCommand(), a.advertiseCommand(), a.versionCommand(),
	)
	return root
}
