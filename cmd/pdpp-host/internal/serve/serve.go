package serve

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// grace is how long running connections may go on to their next checkpoint once serve is
// told to stop. A supervisor waits longer than that before it kills.
const grace = 30 * time.Second

type flags struct {
	once    bool
	workers int
	listen  listenFlags
}

// Command is the command `serve`.
func Command(s *session.Session) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "serve", Short: "Run connections when they are due", Args: syntax.Takes(),
		Long: "Runs every connection when it is due, until it is stopped: at the interval that its connector recommends, or\n" +
			"that `pdpp-host connections schedule` sets. With --once it runs what is due now and ends, as for cron: with exit code\n" +
			"4 when a run failed or was refused, and each time for as long as a connection waits for you, unless you paused it or\n" +
			"run it by hand.\n\n" +
			"It listens on 127.0.0.1:8377, or where serve.listen or --listen says: there are the pages for a browser, and the\n" +
			"first start prints the link to choose a password; the API for programs of yours; and what takes in the deliveries of\n" +
			"collectors on other machines, over TLS or behind a reverse proxy. GET /healthz there tells a supervisor that the\n" +
			"process lives, and /readyz whether the store takes writes, the scheduler works and the disk has room (200 or 503).\n" +
			"/metrics has figures for Prometheus.\n\n" +
			"One process at a time serves a data folder.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("log-level") && !s.Flags.Quiet {
				s.Level.Set(slog.LevelInfo)
			}
			return serve(cmd.Context(), s, f)
		},
	}
	cmd.Flags().BoolVar(&f.once, "once", false, "run what is due now, then end")
	cmd.Flags().IntVar(&f.workers, "workers", 2, "how many connections run at a time")
	f.listen.define(cmd)
	return cmd
}

func serve(ctx context.Context, s *session.Session, f flags) error {
	if f.workers < 1 || f.workers > 64 {
		return syntax.Usage("--workers is not between 1 and 64", "leave it out for 2")
	}
	if err := f.listen.check(f.once); err != nil {
		return err
	}
	request := serving.Request{Workers: f.workers, Grace: grace, Version: s.Version, Report: func(e schedule.Event) { report(s, e) }}
	return s.Change(func(o *owner.Owner) error {
		return serving.Serve(ctx, o, request, func(server *serving.Server) error {
			s.Stop.During(func() {
				fmt.Fprintln(s.Err, "stopping: running connections wind up at their next checkpoint, within "+grace.String()+"; Ctrl-C again ends them at once")
			}, nil)
			defer s.Stop.During(nil, nil)
			if !f.once {
				return until(ctx, s, server, &f.listen)
			}
			looked, err := server.Once(ctx)
			if err != nil {
				return err
			}
			return tellOnce(s, looked)
		})
	})
}

// until serves until the owner ends it, and listens meanwhile where an address is named. When it
// begins again, it listens where it did.
func until(ctx context.Context, s *session.Session, server *serving.Server, listen *listenFlags) error {
	began := s.Now()
	in, err := openIntake(ctx, server, *listen)
	if err != nil {
		return err
	}
	if in != nil {
		listen.address = in.listener.Addr().String()
	}
	if err := in.openFaces(context.WithoutCancel(ctx), s, server); err != nil { // an owner who stops it meanwhile is obeyed below
		return err
	}
	n, err := server.Until(ctx, in.during)
	if err != nil {
		return err
	}
	return s.Printer.Result(fmt.Sprintf("served for %s: %s", output.Seconds(s.Now().Sub(began)), served(n)), n, nil)
}
