package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

type serveFlags struct {
	once    bool
	workers int
	listen  listenFlags
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Run connections when they are due", Args: takes(),
		Long: "Runs every connection when it is due, until it is stopped: at the interval that its connector recommends, or\n" +
			"that `pdpp-host connections schedule` sets. With --once it runs what is due now and ends, as for cron: with exit code\n" +
			"4 when a run failed or was refused, and each time for as long as a connection waits for you, unless you paused it or\n" +
			"run it by hand.\n\n" +
			"With --listen it also takes in what collectors on other machines deliver, over TLS or on an address of this machine\n" +
			"alone, behind a reverse proxy.\n\n" +
			"One process at a time serves a data folder.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("log-level") && !a.Flags.Quiet {
				a.Level.Set(slog.LevelInfo)
			}
			return a.serve(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVar(&f.once, "once", false, "run what is due now, then end")
	cmd.Flags().IntVar(&f.workers, "workers", 2, "how many connections run at a time")
	f.listen.define(cmd)
	return cmd
}

func (a *app) serve(ctx context.Context, f serveFlags) error {
	if f.workers < 1 || f.workers > 64 {
		return usage("--workers is not between 1 and 64", "leave it out for 2")
	}
	if err := f.listen.check(f.once); err != nil {
		return err
	}
	return a.withStore(ctx, func(c *config.Config, store *storage.Store) error {
		lock, err := takeServing(ctx, store)
		if err != nil {
			return err
		}
		err = a.WithEngine(c, func(engine *plugin.Engine) error {
			s := &server{app: a, config: c, store: store, engine: engine, began: a.Now(), getenv: os.Getenv, manifests: map[string]*abi.Manifest{}}
			deps := s.deps(f.workers)
			deps.Passed = func() { lock.passed(a.Now()) }
			sched := schedule.New(deps)
			a.Stop.During(func() { fmt.Fprintln(a.Err, "stopping: running connections wind up; Ctrl-C again ends them at once") }, nil)
			defer a.Stop.During(nil, nil)
			if !f.once {
				return s.until(ctx, sched, lock, f.listen)
			}
			var looked []schedule.Looked
			err := lock.during(ctx, a, func(ctx context.Context) (err error) {
				looked, err = sched.Once(ctx)
				return err
			})
			if err != nil {
				return err
			}
			return a.tellOnce(looked)
		})
		return errors.Join(err, lock.release(ctx))
	})
}

// server is what the scheduler's ports are made of.
type server struct {
	app    *app
	config *config.Config
	store  *storage.Store
	engine *plugin.Engine
	began  time.Time

	getenv    func(string) string
	tally     tally
	mu        sync.Mutex
	manifests map[string]*abi.Manifest // of modules that no connection has accepted yet, by hash
}

func (s *server) deps(workers int) schedule.Deps {
	return schedule.Deps{
		Store: s.store, Policy: s.policy, Pressure: s.pressure, Probes: s.probes, Ready: s.ready, Rests: s.rests, Surroundings: s.surroundings, Run: s.run, OnDevice: s.onDevice,
		HolderAlive: holder.Alive, Now: s.app.Now, Random: rand.Float64, Report: s.report, Workers: workers,
	}
}

// until schedules until the owner stops it, which is how serving ends well, or
// another process takes the data folder over.
func (s *server) until(ctx context.Context, sched *schedule.Scheduler, lock *serving, listen listenFlags) error {
	in, err := s.app.openIntake(ctx, s.config, s.store, listen)
	if err != nil {
		return err
	}
	s.app.Logger.Info("serving", "data_dir", s.config.DataDir())
	lock.passed(s.app.Now()) // from here on passes are made
	if err := lock.during(ctx, s.app, func(ctx context.Context) error { return in.during(ctx, sched.Run) }); err != nil {
		return err
	}
	n := s.tally.counts()
	summary := fmt.Sprintf("served for %s: %s", output.Seconds(s.app.Now().Sub(s.began)), n.text())
	return s.app.Printer.Result(summary, n, nil)
}
