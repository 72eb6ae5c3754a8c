package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/progress"
	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// runFlags are the flags of what runs the connector.
type runFlags struct {
	lane       laneFlags
	streams    []string
	full       bool
	roots, set []string
	acceptRoot bool
	acceptGone bool
	timeout    time.Duration
	maxBatches int64
}

func (f *runFlags) add(cmd *cobra.Command) {
	f.lane.add(cmd)
	p := cmd.Flags()
	p.StringArrayVar(&f.streams, "stream", nil, "collect only `STREAM` (repeatable)")
	p.BoolVar(&f.full, "full-refresh", false, "collect everything again, from the beginning")
	p.StringArrayVar(&f.roots, "root", nil, "grant the folder `NAME=PATH`, in later runs too (repeatable)")
	p.BoolVar(&f.acceptRoot, "accept-root", false, "read another folder than before, or an emptied one: what it lacks counts as deleted")
	p.BoolVar(&f.acceptGone, "accept-deletions", false, "delete any number of records that a whole list of the source no longer has")
	p.StringArrayVar(&f.set, "set", nil, "connector option `KEY=VALUE`, in later runs too; never a secret; KEY= forgets it (repeatable)")
	p.DurationVar(&f.timeout, "timeout", 0, "end the run after `DURATION`, as in 30m (default: limits.run)")
	p.Int64Var(&f.maxBatches, "max-batches", 0, "collect at most `N` batches; the rest waits for the next run")
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	var all bool
	cmd := &cobra.Command{
		Use: "run", Short: "Deliver what waits, then collect and deliver", Args: syntax.Takes(),
		Long: "Delivers what waits in the outbox, collects what is new, delivers that, and ends. While something from\n" +
			"before cannot be delivered, nothing new is collected. A timer (systemd, launchd, cron) starts the next run.\n\n" +
			"Exit status: 0 done, or a part was delivered and the next run goes on; 2 wrong use; 3 refused before it ran;\n" +
			"4 the run failed, delivery is blocked, or something waits and nothing of it could be delivered because the\n" +
			"host cannot be reached or refuses it; 5 done with gaps; 130 or 143 interrupted.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				return a.runAll(cmd.Context(), f)
			}
			l, err := a.lane(f.lane)
			if err != nil {
				return err
			}
			request, err := a.request(f)
			if err != nil {
				return err
			}
			return a.withRunner(l, f, request, func(c *collector.Collector, request collector.RunRequest) error {
				result, err := c.Run(cmd.Context(), request)
				return a.tellRun(result, err)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "run every source of this machine, one after another")
	return cmd
}

// request reads the flags.
func (a *app) request(f runFlags) (collector.RunRequest, error) {
	r := collector.RunRequest{Streams: f.streams, Mode: abi.ModeIncremental, AcceptRoot: f.acceptRoot, AcceptDeletions: f.acceptGone, Timeout: f.timeout}
	if f.full {
		r.Mode = abi.ModeFullRefresh
	}
	if f.timeout < 0 {
		return r, syntax.Usage("--timeout is below zero", "write a duration, as in 30m")
	}
	if f.maxBatches < 0 {
		return r, syntax.Usage("--max-batches is below zero", "write a whole number above zero, or leave it out")
	}
	var err error
	r.Roots, r.Options, err = a.parseSources(f.roots, f.set)
	return r, err
}

// parseSources reads what --root and --set say. It is kept, so a folder is named by where
// it is and not from where it was typed.
func (a *app) parseSources(rootFlags, setFlags []string) (folders, options map[string]string, err error) {
	if folders, err = syntax.Pairs("--root", "NAME=PATH", rootFlags); err != nil {
		return nil, nil, err
	}
	for name, path := range folders {
		if path == "" {
			return nil, nil, syntax.Usage("--root "+name+" names no folder", "write it as --root NAME=PATH")
		}
		if folders[name], err = roots.Absolute(a.Home, path); err != nil {
			return nil, nil, syntax.Usage("the folder of --root "+name+" cannot be found", "give a path from the root of the disk").Wrap(err)
		}
	}
	options, err = syntax.Pairs("--set", "KEY=VALUE", setFlags)
	return folders, options, err
}

// withRunner wires a collector that can run its connector, shows what it does, and
// hands it to fn.
func (a *app) withRunner(l *lane, f runFlags, request collector.RunRequest, fn func(*collector.Collector, collector.RunRequest) error) error {
	began := false
	err := a.wired(l, f, request, func(c *collector.Collector, request collector.RunRequest) error {
		began = true
		return fn(c, request)
	})
	if err != nil && !began {
		a.notBegun(l, err)
	}
	return err
}

// notBegun keeps for status why a run did not come as far as its collector.
func (a *app) notBegun(l *lane, err error) {
	if exitcode.Of(err) == exitcode.Interrupted {
		return
	}
	if c, wrong := a.collector(l); wrong == nil { // else status says what is wrong itself
		c.NotBegun(err)
	}
}

func (a *app) wired(l *lane, f runFlags, request collector.RunRequest, fn func(*collector.Collector, collector.RunRequest) error) error {
	c, err := a.Configuration()
	if err != nil {
		return err
	}
	// Without a module what waits is delivered all the same, and the host is told.
	request.Module, request.Refused = modules.Open(c, l.profile.ConnectorID, program+" connectors")
	grants := a.grants(c, l)
	return a.withEngine(c, func(engine *plugin.Engine) error {
		deps := a.deps(l)
		deps.Run, deps.Policy.MaxBatches = a.runDeps(engine, grants), f.maxBatches
		done := a.show(c, l, &deps, grants)
		defer done()
		col, err := collector.New(deps)
		if err != nil {
			return err
		}
		return fn(col, request)
	})
}

// show shows what goes on while it goes on.
func (a *app) show(c *config.Config, l *lane, deps *collector.Deps, grants *roots.Resolver) (done func()) {
	display := progress.New(a.Err, a.Printer.ErrStyle, a.screen, func(u run.Update) string {
		return a.header(c, l, u, grants.Resolved())
	})
	a.Stop.During(func() {
		fmt.Fprintln(a.Err, "stopping: the connector winds up, what was collected is kept; Ctrl-C again ends it at once")
	}, display.Finish)
	if a.Flags.Quiet {
		return func() { a.Stop.During(nil, nil) }
	}
	deps.Run.Observe = display.Observe
	slow := &slowSteps{w: display}
	deps.Observe = slow.observe
	a.LogTo.Swap(display)
	return func() {
		slow.end()
		display.Finish()
		a.LogTo.Swap(a.Err)
		a.Stop.During(nil, nil)
	}
}

// header is the line above a scan: what runs, what it may read, and where what it
// reads goes.
func (a *app) header(c *config.Config, l *lane, u run.Update, granted []run.ResolvedRoot) string {
	reach := []string{modules.SandboxOf(c.Isolation(), plugin.Walls()).Brief, output.Binary(c.MemoryBytes()), "no network"}
	for _, r := range granted {
		reach = append(reach, "reads "+a.tilde(r.Path))
	}
	return output.Clean(fmt.Sprintf("%s %s  sha256 %s  sandbox: %s  delivers to %s",
		u.Connector, u.Version, output.ShortHash(u.SHA256), strings.Join(reach, ", "), l.profile.BaseURL))
}

// screen is the size of the screen now; rows are 0 when they are unknown.
func (a *app) screen() (columns, rows int) {
	if w, h, err := term.GetSize(int(a.Err.Fd())); err == nil && w > 0 {
		return w, h
	}
	return a.Printer.ErrStyle.Width, 0
}
