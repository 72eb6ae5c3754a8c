package main

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
)

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.group("pdpp-host", "Collect your own data with sandboxed connectors", nil)
	root.Long = "pdpp-host runs connectors, WebAssembly modules in a sandbox, and keeps what they collect in one local store."
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(syntax.FlagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.begin(cmd) }
	root.SuggestionsMinimumDistance = 2

	p := root.PersistentFlags()
	p.StringVar(&a.flags.config, "config", "", "configuration `FILE` (default $XDG_CONFIG_HOME/pdpp/pdpp.yaml)")
	p.StringVar(&a.flags.dataDir, "data-dir", "", "`DIR` of everything that is kept (default ~/.local/share/pdpp)")
	p.StringVar(&a.flags.plugins, "plugins", "", "`DIR` of the connectors (default DATA_DIR/plugins)")
	p.BoolVar(&a.flags.json, "json", false, "print one JSON envelope as the last line")
	p.BoolVar(&a.flags.quiet, "quiet", false, "no progress and no summary")
	p.StringVar(&a.flags.logLevel, "log-level", "warn", "`LEVEL` of the log: debug, info, warn or error")
	p.StringVar(&a.flags.logFormat, "log-format", "text", "`FORMAT` of the log: text or json")

	root.AddCommand(
		a.runCommand(), a.serveCommand(), a.pluginsCommand(), a.pluginCommand(), a.connectionsCommand(), a.devicesCommand(), a.runsCommand(),
		a.recordsCommand(), a.statusCommand(), a.configCommand(), a.doctorCommand(), a.debugCommand(), a.versionCommand(),
	)
	for _, c := range root.Commands() {
		a.commands = append(a.commands, c.Name())
	}
	return root
}
