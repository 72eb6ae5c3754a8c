package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/contract"
)

func (a *app) pluginTestCommand() *cobra.Command {
	var roots, set []string
	var require, network bool
	cmd := &cobra.Command{
		Use: "test FILE.wasm", Short: "Hold a module against the ABI contract", Args: takes("FILE.wasm"),
		Long: "Runs the ABI contract suite on a module and names each clause that it fails. It uses a store of its own,\n" +
			"which is thrown away.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.pluginTest(cmd.Context(), args[0], roots, set, require, network)
		},
	}
	cmd.Flags().StringArrayVar(&roots, "root", nil, "let the module read the folder `NAME=PATH` (repeatable; default: an empty folder)")
	cmd.Flags().StringArrayVar(&set, "set", nil, "connector option `KEY=VALUE` (repeatable)")
	cmd.Flags().BoolVar(&network, "network", false, "let the module reach its real provider, with the credentials of the environment that carry its name")
	cmd.Flags().BoolVar(&require, "require-records", false, "fail when the module collects nothing (exit 4)")
	return cmd
}

func (a *app) pluginTest(ctx context.Context, path string, roots, set []string, require, network bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	options := contract.Options{Getenv: suiteEnvironment(os.Getenv)}
	if options.Roots, err = pairs("--root", "NAME=PATH", roots); err != nil {
		return err
	}
	if err := a.foldersExist(options.Roots); err != nil {
		return err
	}
	if options.Options, err = pairs("--set", "KEY=VALUE", set); err != nil {
		return err
	}
	options.File, err = openModule(c, path)
	if abi.CodeOf(err) == abi.CodePluginUnknown && !isPath(path) && exists(path) {
		options.File, err = openModule(c, "./"+path) // a file is meant, whatever it is called
	}
	if err != nil {
		return err
	}
	if options.Options[run.OptionBaseURL] != "" || network {
		sender := a.networkSender(c, runFlags{})
		sender.unpaced = true
		options.Sender = sender
	}
	if !a.Printer.JSON {
		options.Observe = a.writeClause
	}
	var report *contract.Report
	err = a.withEngine(c, func(engine *plugin.Engine) error {
		options.Engine = engine
		second, err := a.engine(c, otherIsolation(c.Isolation()))
		if err != nil {
			return err
		}
		options.Second = second
		report, err = contract.Check(ctx, options)
		return errors.Join(err, second.Close())
	})
	if err != nil {
		return err
	}
	return a.tellReport(report, require, len(options.Roots) > 0)
}

// suiteEnvironment has of each connector the variables that carry its name: the
// module that is held against the contract says where they are sent, and nobody
// has accepted it yet.
func suiteEnvironment(getenv func(string) string) func(connector, variable string) string {
	return func(connector, variable string) string {
		return ownEnvironment(&storage.Connection{Connector: connector}, getenv)(variable)
	}
}

// foldersExist makes the folders that were named independent of where they were,
// and refuses one that is none: the suite would say clause by clause that nothing
// was collected.
func (a *app) foldersExist(roots map[string]string) error {
	for _, name := range sorted(roots) {
		path, err := a.absolute(roots[name])
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return abi.NewError(abi.CodeRootMissing, fmt.Sprintf("the folder for root %q does not exist", name), "name a folder that exists").
				WithDetail(path + ", from --root")
		case !info.IsDir():
			return abi.NewError(abi.CodeRootInvalid, fmt.Sprintf("what is named for root %q is not a folder", name), "name a folder").
				WithDetail(path + ", from --root")
		}
		roots[name] = path
	}
	return nil
}

func otherIsolation(isolation string) string {
	if isolation == plugin.IsolationInline {
		return plugin.IsolationProcess
	}
	return plugin.IsolationInline
}
