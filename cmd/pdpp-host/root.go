package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdpp-host/pdpp-host/host/config"
)

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.group("pdpp-host", "Collect your own data with sandboxed connectors", nil)
	root.Long = "pdpp-host runs connectors, WebAssembly modules in a sandbox, and keeps what they collect in one local store."
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagError)
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
		a.runCommand(), a.serveCommand(), a.pluginsCommand(), a.pluginCommand(), a.connectionsCommand(), a.runsCommand(),
		a.recordsCommand(), a.statusCommand(), a.configCommand(), a.doctorCommand(), a.debugCommand(), a.versionCommand(),
	)
	return root
}

// group is a command that only holds others. Alone it does what fallback does,
// or shows its help.
func (a *app) group(use, short string, fallback func(*cobra.Command) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		if fallback != nil {
			return fallback(cmd)
		}
		if cmd.HasParent() {
			return usage(cmd.CommandPath()+" needs a command", "one of: "+strings.Join(children(cmd), ", "))
		}
		a.printer.Raw()
		return cmd.Help()
	}
	return cmd
}

func children(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func unknownCommand(cmd *cobra.Command, word string) error {
	hint := "one of: " + strings.Join(children(cmd), ", ")
	if n := config.Nearest(word, children(cmd)); n != "" {
		hint = fmt.Sprintf("did you mean: %s %s", cmd.CommandPath(), n)
	}
	return usage(fmt.Sprintf("unknown command %q", word), hint).WithDetail("after " + cmd.CommandPath())
}

// flagError names the nearest flag for one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	see := "see: " + cmd.CommandPath() + " --help"
	{
		var e *pflag.NotExistError
		var e1 *pflag.ValueRequiredError
		var e2 *pflag.InvalidValueError
		switch {
		case errors.As(err, &e):
			name := e.GetSpecifiedName()
			var known []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				known = append(known, f.Name)
			})
			hint := see
			if n := config.Nearest(name, known); n != "" {
				hint = "did you mean --" + n + "? " + see
			}
			dashes := "--"
			if e.GetSpecifiedShortnames() != "" {
				dashes = "-"
			}
			return usage(fmt.Sprintf("unknown flag %s%s", dashes, name), hint).WithDetail("after " + cmd.CommandPath())
		case errors.As(err, &e1):
			return usage("--"+e1.GetSpecifiedName()+" needs a value", see)
		case errors.As(err, &e2):
			return usage("the value of --"+e2.GetFlag().Name+" cannot be read", see).WithDetail("it must be a " + e2.GetFlag().Value.Type())
		default:
			return usage(err.Error(), see).Wrap(err)
		}
	}
}

// takes returns an argument check that names what is missing or too much.
// A name in brackets may be left out.
func takes(names ...string) cobra.PositionalArgs {
	least := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "[") })
	if least < 0 {
		least = len(names)
	}
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(fmt.Sprintf("%s needs %s", cmd.CommandPath(), names[len(args)]),
				"write: "+cmd.CommandPath()+" "+strings.Join(names, " "))
		case len(args) > len(names):
			return usage(fmt.Sprintf("%s does not take %q", cmd.CommandPath(), args[len(names)]),
				"write: "+cmd.CommandPath()+" "+strings.Join(names, " "))
		}
		return nil
	}
}
