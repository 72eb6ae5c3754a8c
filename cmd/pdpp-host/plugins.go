package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

func (a *app) pluginsCommand() *cobra.Command {
	list := func(cmd *cobra.Command) error { return a.pluginsList(cmd.Context()) }
	cmd := a.group("plugins", "Show and check the installed connectors", list)
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the connectors in the plugins folder", Args: takes(),
			RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd) },
		},
		&cobra.Command{
			Use: "inspect CONNECTOR", Short: "Show what a module is and asks for", Args: takes("CONNECTOR"),
			ValidArgsFunction: a.completeConnector,
			RunE:              func(cmd *cobra.Command, args []string) error { return a.pluginsInspect(cmd.Context(), args[0]) },
		},
		a.pluginsAcceptCommand(), a.pluginsVerifyCommand(),
	)
	return cmd
}

// pluginCommand is the connector author's kit.
func (a *app) pluginCommand() *cobra.Command {
	cmd := a.group("plugin", "Write and test a connector", nil)
	cmd.AddCommand(a.pluginNewCommand(), a.pluginTestCommand(), a.pluginReplayCommand())
	return cmd
}

// withModule reads and describes one module. fn is called also when the module
// has a problem, with what is known of it.
func (a *app) withModule(ctx context.Context, connector string, fn func(*config.Config, *described, error) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	file, err := openModule(c, connector)
	if err != nil {
		return err
	}
	return a.withAnyEngine(c, func(engine *plugin.Engine) error {
		d, err := describe(ctx, engine, file)
		if err == nil {
			err = misnamed(connector, d)
		}
		return fn(c, d, err)
	})
}

// completeConnector completes the names of installed connectors, and files.
func (a *app) completeConnector(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.config()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := installed(c.PluginsDir())
	if err != nil || len(names) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names, cobra.ShellCompDirectiveDefault
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
