package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/contract"
)

// giveData is what to do about a module that had nothing to collect.
const giveData = "give --root NAME=DIR, a folder with something in it, or --set KEY=VALUE"

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
	cmd.Flags().BoolVar(&network, "network", false, "let the module reach its real provider, with the credentials of the environment")
	cmd.Flags().BoolVar(&require, "require-records", false, "fail when the module collects nothing (exit 4)")
	return cmd
}

func (a *app) pluginTest(ctx context.Context, path string, roots, set []string, require, network bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	options := contract.Options{Getenv: os.Getenv}
	if options.Roots, err = pairs("--root", "NAME=PATH", roots); err != nil {
		return err
	}
	if err := a.foldersExist(options.Roots); err != nil {
		return err
	}
	if options.Options, err = pairs("--set", "KEY=VALUE", set); err != nil {
		return err
	}
	if options.File, err = openModule(c, path); err != nil {
		return err
	}
	if options.Options[run.OptionBaseURL] != "" || network {
		options.Sender = a.networkSender(c, runFlags{})
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
	return a.tellReport(report, require)
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

func (a *app) tellReport(r *contract.Report, require bool) error {
	counts := map[contract.Outcome]int{}
	for _, clause := range r.Clauses {
		counts[clause.Outcome]++
	}
	summary := fmt.Sprintf("%s: %d clauses passed, %d failed, %d skipped; %s seen", output.Clean(r.Module),
		counts[contract.Pass], counts[contract.Fail], counts[contract.Skip], output.Plural(r.Records, "record"))
	if r.Records == 0 {
		summary += "; its collecting was not judged"
	}
	text := func(w io.Writer) {
		for _, clause := range r.Clauses {
			if a.Flags.Quiet && clause.Outcome != contract.Fail {
				continue
			}
			fmt.Fprintf(w, "%s  %-24s %s\n", mark(a.Printer.Style, clause.Outcome), clause.ID, clause.Title)
			if clause.Detail != "" {
				fmt.Fprintf(w, "      %s\n", output.Clean(clause.Detail))
			}
		}
		fmt.Fprintln(w, summary)
		if r.Records == 0 {
			fmt.Fprintln(w, a.Printer.Style.Yellow("warning:")+" nothing was collected: "+giveData)
		}
	}
	failed := r.Failed()
	if len(failed) == 0 && r.Records == 0 && require {
		err := abi.NewError(abi.CodeNothingJudged, "nothing was collected, so the module's collecting was not judged", giveData)
		if why := whyNothing(r); why != "" {
			err = abi.NewError(abi.CodeNothingJudged, err.Message, "put right what its run failed with").WithDetail(why)
		}
		if printErr := a.Printer.Failed(summary, r, err, text); printErr != nil {
			return printErr
		}
		return err
	}
	if len(failed) == 0 {
		return a.Printer.Result(summary, r, text)
	}
	err := abi.NewError(abi.CodePluginInvalid, fmt.Sprintf("the module breaks clause %s of the ABI contract", failed[0].ID),
		"abi/ABI.md explains each clause").WithDetail(failed[0].Title + ": " + failed[0].Detail)
	if printErr := a.Printer.Failed(summary, r, err, text); printErr != nil {
		return printErr
	}
	return err
}

// whyNothing is what the first run failed with; "" when it did not.
func whyNothing(r *contract.Report) string {
	for _, c := range r.Clauses {
		if _, why, ok := strings.Cut(c.Detail, contract.CouldNotCollect); ok && c.Outcome == contract.Skip {
			return why
		}
	}
	return ""
}

func mark(s output.Style, o contract.Outcome) string {
	switch o {
	case contract.Pass:
		return s.Green("pass")
	case contract.Fail:
		return s.Red("FAIL")
	default:
		return s.Dim("skip")
	}
}
