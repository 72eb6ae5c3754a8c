package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
)

// flags are those of `run`, as typed.
type flags struct {
	accept, acceptRoot    bool
	acceptDeletions       bool
	connection            string
	streams               []string
	full                  bool
	since                 string
	resources, roots, set []string
	timeout               time.Duration
	noInput               bool
	force                 bool
	maxRequests           int64
	record                string
}

// Command is the command `run`.
func Command(s *session.Session) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "run CONNECTOR", Short: "Run a connector once, to the end", Args: syntax.Takes("CONNECTOR"),
		Long: "Runs a connector once, to the end. CONNECTOR is a name in the plugins folder, or a path to a .wasm file;\n" +
			"or a connection's name, which is the same as its connector with --connection.",
		Example: "  pdpp-host run claude_code\n  pdpp-host run codex --root codex=/mnt/backup/.codex\n" +
			"  pdpp-host run ./my_connector.wasm --stream notes --since 2026-01-01",
		ValidArgsFunction: s.CompleteRunnable,
		RunE:              func(cmd *cobra.Command, args []string) error { return start(cmd.Context(), s, args[0], f) },
	}
	p := cmd.Flags()
	p.StringVar(&f.connection, "connection", "", "`NAME` of the connection (default: the connector's name)")
	p.StringArrayVar(&f.streams, "stream", nil, "collect only `STREAM` (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("stream", completeStream(s)) // the flag is there
	p.BoolVar(&f.full, "full-refresh", false, "collect everything again, from the beginning")
	p.StringVar(&f.since, "since", "", "only records of `TIME` or later: 7d (ago), 2026-01-31, or RFC 3339")
	p.StringArrayVar(&f.resources, "resource", nil, "only the record `STREAM=KEY` (repeatable)")
	p.StringArrayVar(&f.roots, "root", nil, "grant the folder `NAME=PATH`, in later runs too (repeatable)")
	p.BoolVar(&f.accept, "accept", false, "accept the module, when this is its first run")
	p.BoolVar(&f.acceptDeletions, "accept-deletions", false, "delete any number of records that a whole list of the source no longer has")
	p.BoolVar(&f.acceptRoot, "accept-root", false, "read another folder than before, or an emptied one: what it lacks counts as deleted")
	p.StringArrayVar(&f.set, "set", nil, "connector option `KEY=VALUE`, never a secret; a first run's are kept (repeatable)")
	p.DurationVar(&f.timeout, "timeout", 0, "end the run after `DURATION`, as in 30m (default: limits.run)")
	p.BoolVar(&f.force, "force", false, "run although the service asked for a pause; limits and budgets hold all the same")
	p.Int64Var(&f.maxRequests, "max-requests", 0, "send at most `N` requests (default: limits.requests)")
	p.StringVar(&f.record, "record", "", "write the run to the new `FILE`, for plugin replay; secrets left out")
	p.BoolVar(&f.noInput, "no-input", false, "never ask anything")
	return cmd
}

// start makes the run and tells how it ended.
func start(ctx context.Context, s *session.Session, connector string, f flags) error {
	request, err := f.request(s.Now())
	if err == nil {
		request.Roots, err = s.Folders(f.roots)
	}
	if err != nil {
		return err
	}
	request.Typed = connector
	if modules.IsPath(connector) {
		if request.Path, err = s.Absolute(connector); err != nil {
			return err
		}
	}
	request.Attended = !f.noInput && s.Interactive()
	if f.accept || request.Attended {
		request.Consent = s.Consent(f.accept)
	}
	return s.Change(func(o *owner.Owner) error {
		request.Watch = watch(s, o, request.Attended)
		ended, err := running.Run(ctx, o, request)
		if ended == nil {
			return err
		}
		err = errors.Join(tellRecorded(s, ended, connector), err)
		if ended.CoolsDown != "" && !s.Flags.Quiet && !s.Printer.JSON {
			fmt.Fprintln(s.Err, "  "+output.Clean(ended.CoolsDown))
		}
		return err
	})
}

// completeStream completes the streams of the connector that was typed.
func completeStream(s *session.Session) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return s.Complete(cmd.Context(), nil, func(o *owner.Owner, ctx context.Context) ([]string, error) {
			return running.Streams(ctx, o, args[0])
		})
	}
}
