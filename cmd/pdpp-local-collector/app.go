package main

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/interrupt"
	"github.com/pdpp-host/pdpp-host/cmd/internal/logging"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// app is one invocation: its streams, its flags, and what commands share.
type app struct {
	in       *os.File
	out, err *os.File
	now      func() time.Time
	random   io.Reader
	home     string
	flags    globalFlags
	printer  *output.Printer
	logTo    *logging.Writer
	logger   *slog.Logger
	level    slog.LevelVar
	stop     *interrupt.Stop
	started  bool // a command's own code has begun: later errors are not about usage
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
	a.logTo = logging.To(a.err)
	a.logger = slog.New(slog.DiscardHandler)
	a.printer = &output.Printer{
		Out: a.out, Err: a.err,
		Style: output.StyleOf(a.out, os.Getenv), ErrStyle: output.StyleOf(a.err, os.Getenv),
	}
	return a
}

// main runs the command that args name and returns the exit status.
func (a *app) main(args []string) int {
	a.printer.JSON = syntax.AsksForJSON(args)
	ctx, stop := interrupt.Watch(context.Background(), a.err)
	defer stop.End()
	a.stop = stop

	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitcode.OK
	}
	if cmd != nil && a.printer.Command == "" {
		a.printer.Command = syntax.CommandName(cmd)
	}
	if !a.started {
		err = syntax.AsUsage(root.Name(), err)
	}
	if cause := context.Cause(ctx); cause != nil && exitcode.Of(err) == exitcode.Internal {
		err = run.ErrInterrupted // whatever broke, it broke because of the stop
	}
	a.printer.Error(a.homely(err), false)
	a.logger.Debug("command failed", "error", logging.Chain(err))
	status := exitcode.Of(err)
	if status == exitcode.Interrupted && stop.Terminated() {
		return exitcode.Terminated
	}
	return status
}

// begin is what every command does first: its name for the envelope, and the
// logger that the flags ask for.
func (a *app) begin(cmd *cobra.Command) error {
	a.printer.Command, a.printer.JSON, a.printer.Quiet = syntax.CommandName(cmd), a.flags.json, a.flags.quiet
	logger, err := logging.New(a.logTo, &a.level, a.flags.logLevel, a.flags.logFormat)
	if err != nil {
		return err
	}
	a.logger, a.started = logger, true
	return nil
}

// config loads the configuration.
func (a *app) config() (*config.Config, error) {
	src := config.Source{File: a.flags.config, Environ: os.Environ(), Home: a.home, Flags: map[string]config.Flag{}}
	if a.flags.dataDir != "" {
		src.Flags[config.KeyDataDir] = config.Flag{Name: "--data-dir", Value: a.flags.dataDir}
	}
	if a.flags.plugins != "" {
		src.Flags[config.KeyPluginsDir] = config.Flag{Name: "--plugins", Value: a.flags.plugins}
	}
	return config.Load(src)
}

// env is what the collector reads of this machine to find its files.
func (a *app) env() collector.Env { return collector.Env{Getenv: os.Getenv, Home: a.home} }
