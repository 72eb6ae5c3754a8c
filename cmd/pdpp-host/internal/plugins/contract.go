package plugins

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/contract"
)

// testFlags are the flags of `plugin test`, as typed.
type testFlags struct {
	roots, set, items []string
	require, network  bool
	timeout           time.Duration
}

// testTime is how long each run of the suite may take: what a module collects there is a sample.
const testTime = time.Minute

func testCommand(s *session.Session, network Network) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use: "test FILE.wasm", Short: "Hold a module against the ABI contract", Args: syntax.Takes("FILE.wasm"),
		Long: "Runs the ABI contract suite on a module and names each clause that it fails. It uses a store of its own,\n" +
			"which is thrown away.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return test(cmd.Context(), s, args[0], f, network)
		},
	}
	cmd.Flags().StringArrayVar(&f.roots, "root", nil, "let the module read the folder `NAME=PATH` (repeatable; default: an empty folder)")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "connector option `KEY=VALUE` (repeatable)")
	cmd.Flags().StringArrayVar(&f.items, "items", nil, "how many items the source has of a stream, `STREAM=N`; fewer that are met are a fault (repeatable)")
	cmd.Flags().BoolVar(&f.network, "network", false, "let the module reach its real provider, with the credentials of the environment that carry its name")
	cmd.Flags().DurationVar(&f.timeout, "timeout", testTime, "end each run of the module after `DURATION`")
	cmd.Flags().BoolVar(&f.require, "require-records", false, "fail when the module collects nothing (exit 4)")
	return cmd
}

func test(ctx context.Context, s *session.Session, path string, f testFlags, network Network) error {
	if f.timeout <= 0 {
		return notAboveZero()
	}
	c, err := s.Config()
	if err != nil {
		return err
	}
	options := contract.Options{Getenv: suiteEnvironment(os.Getenv), Timeout: f.timeout}
	if options.Roots, err = syntax.Pairs("--root", "NAME=PATH", f.roots); err != nil {
		return err
	}
	if err := foldersExist(s, options.Roots); err != nil {
		return err
	}
	if options.Options, err = syntax.Pairs("--set", "KEY=VALUE", f.set); err != nil {
		return err
	}
	if options.Items, err = numbers(f.items); err != nil {
		return err
	}
	options.File, err = modules.Open(c, path, modules.ListCommand)
	if abi.CodeOf(err) == abi.CodePluginUnknown && !modules.IsPath(path) {
		if _, none := os.Lstat(path); none == nil { // a file is meant, whatever it is called
			options.File, err = modules.Open(c, "./"+path, modules.ListCommand)
		}
	}
	if err != nil {
		return err
	}
	if options.Options[run.OptionBaseURL] != "" || f.network {
		options.Sender = network(c)
	}
	if !s.Printer.JSON {
		options.Observe = func(clause contract.Clause) { writeClause(s, clause) }
	}
	var report *contract.Report
	err = s.WithEngine(c, func(engine *plugin.Engine) error {
		options.Engine = engine
		second, err := s.Engine(c, otherIsolation(c.Isolation()))
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
	return tellReport(s, report, f.require, len(options.Roots) > 0)
}

// numbers reads what --items says.
func numbers(pairs []string) (map[string]int64, error) {
	texts, err := syntax.Pairs("--items", "STREAM=N", pairs)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	out := make(map[string]int64, len(texts))
	for stream, text := range texts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return nil, syntax.Usage(fmt.Sprintf("%q is no number of items", text), "write --items STREAM=N, such as --items notes=12")
		}
		out[stream] = n
	}
	return out, nil
}

// suiteEnvironment has of each connector the variables that carry its name: the
// module that is held against the contract says where they are sent, and nobody
// has accepted it yet.
func suiteEnvironment(getenv func(string) string) func(connector, variable string) string {
	return func(connector, variable string) string {
		if !manifest.OwnVariable(connector, variable) {
			return ""
		}
		return getenv(variable)
	}
}

// foldersExist makes the folders that were named independent of where they were,
// and refuses one that is none: the suite would say clause by clause that nothing
// was collected.
func foldersExist(s *session.Session, roots map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		path, err := s.Absolute(roots[name])
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
