package main

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// app is one invocation: its streams, its flags, and what commands share. What
// is costly (configuration, store, engine) is made when a command asks for it.
type app struct {
	in       *os.File
	out, err *os.File
	now      func() time.Time
	random   io.Reader
	home     string
	flags    globalFlags
	printer  *output.Printer
	logTo    *swapWriter
	logger   *slog.Logger
	level    slog.LevelVar
	stop     *interrupts
	started  bool // a command's own code has begun: later errors are not about usage
	streamed bool // standard output carries records, not text

	loaded *config.Config
}

// globalFlags are the flags that every command has.
type globalFlags struct {
	config, dataDir, plugins string
	json, quiet              bool
	logLevel, logFormat      string
}

func newApp() *app {
	home, _ := os.UserHomeDir() // "" when unknown: what needs it says so
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, now: time.Now, random: rand.Reader, home: home}
	a.logTo = &swapWriter{to: a.err}
	a.logger = slog.New(slog.DiscardHandler)
	a.printer = &output.Printer{
		Out: a.out, Err: a.err,
		Style: output.StyleOf(a.out, os.Getenv), ErrStyle: output.StyleOf(a.err, os.Getenv),
	}
	return a
}

// main runs the command that args name and returns the exit status.
func (a *app) main(args []string) int {
	// A wrong flag ends parsing early; the envelope is owed all the same.
	a.printer.JSON = asksForJSON(args)
	ctx, stop := watchInterrupts(context.Background(), a.err)
	defer stop.end()
	a.stop = stop

	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitcode.OK
	}
	if cmd != nil && a.printer.Command == "" {
		a.printer.Command = commandName(cmd)
	}
	if !a.started {
		err = asUsage(err)
	}
	if cause := context.Cause(ctx); cause != nil && exitcode.Of(err) == exitcode.Internal {
		err = run.ErrInterrupted // whatever broke, it broke because of Ctrl-C
	}
	a.printer.Error(err, a.streamed)
	a.logger.Debug("command failed", "error", chain(err))
	return exitcode.Of(err)
}

// asksForJSON looks for --json before the end of the flags.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// begin is what every command does first: its name for the envelope, and the
// logger that the flags ask for.
func (a *app) begin(cmd *cobra.Command) error {
	a.printer.Command, a.printer.JSON, a.printer.Quiet = commandName(cmd), a.flags.json, a.flags.quiet
	if err := a.level.UnmarshalText([]byte(a.flags.logLevel)); err != nil {
		return usage("--log-level is none of debug, info, warn, error", "leave it out for warn")
	}
	options := &slog.HandlerOptions{Level: &a.level}
	switch a.flags.logFormat {
	case "text":
		a.logger = slog.New(slog.NewTextHandler(a.logTo, options))
	case "json":
		a.logger = slog.New(slog.NewJSONHandler(a.logTo, options))
	default:
		return usage("--log-format is neither text nor json", "leave it out for text")
	}
	a.started = true
	return nil
}

// interactive reports whether somebody can be asked: on standard input.
func (a *app) interactive() bool { return term.IsTerminal(int(a.in.Fd())) }

// config loads the configuration, once.
func (a *app) config() (*config.Config, error) {
	if a.loaded != nil {
		return a.loaded, nil
	}
	src := config.Source{File: a.flags.config, Environ: os.Environ(), Home: a.home, Flags: map[string]config.Flag{}}
	if a.flags.dataDir != "" {
		src.Flags[config.KeyDataDir] = config.Flag{Name: "--data-dir", Value: a.flags.dataDir}
	}
	if a.flags.plugins != "" {
		src.Flags[config.KeyPluginsDir] = config.Flag{Name: "--plugins", Value: a.flags.plugins}
	}
	c, err := config.Load(src)
	a.loaded = c
	return c, err
}

// usage is a usage.invalid error.
func usage(message, hint string) *abi.Error { return abi.NewError(abi.CodeUsage, message, hint) }

// asUsage gives what the command parser says its three parts.
func asUsage(err error) error {
	if abi.CodeOf(err) != abi.CodeInternal {
		return err
	}
	return usage(err.Error(), "see: pdpp-host --help").Wrap(err)
}

// commandName is the command's path without the program's name.
func commandName(cmd *cobra.Command) string {
	name := cmd.Name()
	for p := cmd.Parent(); p != nil && p.HasParent(); p = p.Parent() {
		name = p.Name() + " " + name
	}
	return name
}
