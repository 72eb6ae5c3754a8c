package plugins

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/dev"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
)

// devFlags are the flags of `plugins dev`, as typed.
type devFlags struct {
	roots, set       []string
	recording, serve string
	tinyGo, once     bool
}

func devCommand(s *session.Session) *cobra.Command {
	var f devFlags
	cmd := &cobra.Command{
		Use: "dev [DIR]", Short: "Rebuild a connector at each change, run it, and show what changed", Args: syntax.Takes("[DIR]"),
		Long: "Builds the connector whose source is in DIR (default: here), runs it from nothing and once more, and shows how its\n" +
			"records differ from those of the build before; and again whenever the source or a granted folder changes. It\n" +
			"grants DIR/sample when there is one, and serves DIR/simulation/serve when there is one. What it keeps lies in\n" +
			"DIR/.pdpp-dev; your own data folder is not touched.",
		Example: "  pdpp-host plugins dev\n  pdpp-host plugins dev ./my_notes --root my_notes=$HOME/notes\n" +
			"  pdpp-host plugins dev ./my_api --recording testdata/run.jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			return develop(cmd.Context(), s, append(args, ".")[0], f)
		},
	}
	cmd.Flags().StringArrayVar(&f.roots, "root", nil, "let the module read the folder `NAME=PATH` (repeatable; default: DIR/sample)")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "connector option `KEY=VALUE` (repeatable)")
	cmd.Flags().StringVar(&f.recording, "recording", "", "replay the recorded run in `FILE` instead of running")
	cmd.Flags().StringVar(&f.serve, "serve", "", "run the Go `PACKAGE` of DIR, which serves a simulation (default: ./simulation/serve)")
	cmd.Flags().BoolVar(&f.tinyGo, "tinygo", false, "build with TinyGo")
	cmd.Flags().BoolVar(&f.once, "once", false, "end after one round")
	return cmd
}

func develop(ctx context.Context, s *session.Session, typed string, f devFlags) error {
	if s.Printer.JSON && !f.once {
		return syntax.Usage("--json gives one result, and dev goes on", "add --once")
	}
	o, err := f.options(s, typed)
	if err != nil {
		return err
	}
	if f.once {
		r, err := dev.Do(ctx, o)
		if err != nil && r != nil && r.Said != "" {
			return failed(s, r, err)
		}
		if err != nil {
			return err
		}
		return s.Printer.Result(r.Said, r, func(w io.Writer) { dev.Tell(w, s.Printer.Style, r) })
	}
	folders := append([]string{o.Dir}, slices.Sorted(maps.Values(o.Roots))...)
	s.Printer.Raw()
	return dev.Watch(ctx, folders, func() error {
		r, err := dev.Do(ctx, o)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the author ended it
		}
		if r != nil && r.Bytes > 0 {
			dev.Tell(s.Out, s.Printer.Style, r)
		}
		if err != nil {
			output.WriteError(s.Err, s.Printer.ErrStyle, err)
		}
		fmt.Fprintf(s.Out, "waiting for a change; Ctrl-C ends\n\n")
		return nil
	})
}

func failed(s *session.Session, r *dev.Round, err error) error {
	if printErr := s.Printer.Failed(r.Said, r, err, func(w io.Writer) { dev.Tell(w, s.Printer.Style, r) }); printErr != nil {
		return printErr
	}
	return err
}

// options makes paths independent of where they were typed, and finds the sample and the
// simulation.
func (f devFlags) options(s *session.Session, typed string) (dev.Options, error) {
	o := dev.Options{TinyGo: f.tinyGo, Serve: f.serve}
	var err error
	if o.Dir, err = s.Absolute(typed); err != nil {
		return o, err
	}
	if o.Program, err = os.Executable(); err != nil {
		return o, err
	}
	if o.Roots, err = s.Folders(f.roots); err != nil {
		return o, err
	}
	if o.Set, err = syntax.Pairs("--set", "KEY=VALUE", f.set); err != nil {
		return o, err
	}
	if f.recording != "" {
		o.Recording, err = s.Absolute(f.recording)
		return o, err
	}
	if name := dev.ModuleName(o.Dir); len(o.Roots) == 0 && name != "" && isFolder(filepath.Join(o.Dir, "sample")) {
		o.Roots = map[string]string{name: filepath.Join(o.Dir, "sample")}
	}
	if o.Serve == "" && isFolder(filepath.Join(o.Dir, "simulation", "serve")) {
		o.Serve = "./simulation/serve"
	}
	return o, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
