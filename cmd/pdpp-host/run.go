package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/progress"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// runFlags are the flags of `run`, as typed.
type runFlags struct {
	accept, acceptRoot    bool
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

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run CONNECTOR", Short: "Run a connector once, to the end", Args: takes("CONNECTOR"),
		Long: "Runs a connector once, to the end. CONNECTOR is a name in the plugins folder, or a path to a .wasm file;\n" +
			"or a connection's name, which is the same as its connector with --connection.",
		Example: "  pdpp-host run claude_code\n  pdpp-host run codex --root codex=/mnt/backup/.codex\n" +
			"  pdpp-host run ./my_connector.wasm --stream notes --since 2026-01-01",
		ValidArgsFunction: a.CompleteRunnable,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args[0], f) },
	}
	p := cmd.Flags()
	p.StringVar(&f.connection, "connection", "", "`NAME` of the connection (default: the connector's name)")
	p.StringArrayVar(&f.streams, "stream", nil, "collect only `STREAM` (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("stream", a.completeRunStream) // the flag is there
	p.BoolVar(&f.full, "full-refresh", false, "collect everything again, from the beginning")
	p.StringVar(&f.since, "since", "", "only records of `TIME` or later: 7d (ago), 2026-01-31, or RFC 3339")
	p.StringArrayVar(&f.resources, "resource", nil, "only the record `STREAM=KEY` (repeatable)")
	p.StringArrayVar(&f.roots, "root", nil, "grant the folder `NAME=PATH`, in later runs too (repeatable)")
	p.BoolVar(&f.accept, "accept", false, "accept the module, when this is its first run")
	p.BoolVar(&f.acceptRoot, "accept-root", false, "read another folder than before, or an emptied one: what it lacks counts as deleted")
	p.StringArrayVar(&f.set, "set", nil, "connector option `KEY=VALUE`, never a secret; a first run's are kept (repeatable)")
	p.DurationVar(&f.timeout, "timeout", 0, "end the run after `DURATION`, as in 30m (default: limits.run)")
	p.BoolVar(&f.force, "force", false, "run although the service asked for a pause; limits and budgets hold all the same")
	p.Int64Var(&f.maxRequests, "max-requests", 0, "send at most `N` requests (default: limits.requests)")
	p.StringVar(&f.record, "record", "", "write the run to the new `FILE`, for plugin replay; secrets left out")
	p.BoolVar(&f.noInput, "no-input", false, "never ask anything")
	return cmd
}

// run makes the run and tells how it ended.
func (a *app) run(ctx context.Context, connector string, f runFlags) error {
	request, err := f.request(a.Now())
	if err == nil {
		request.Roots, err = a.Folders(f.roots)
	}
	if err != nil {
		return err
	}
	path := ""
	if modules.IsPath(connector) {
		if path, err = a.Absolute(connector); err != nil {
			return err
		}
	}
	return a.Change(func(o *owner.Owner) error {
		a.owner = o
		m, err := o.OpenTyped(ctx, connector, path, f.connection)
		if err != nil {
			return a.refusedUnopened(ctx, m, f, err)
		}
		rec, err := a.startRecording(f.record, request.Mode)
		if err != nil {
			return err
		}
		defer func() { _ = rec.close() }() // it is told of where the run is
		store, err := o.Store(ctx)
		if err != nil {
			return err
		}
		return a.WithEngine(o.Config, func(engine *plugin.Engine) error {
			result, err := a.runTyped(ctx, store, engine, &m, request, f, rec)
			broken := rec.close()
			if err != nil {
				return a.refused(ctx, store, m, f, err)
			}
			cooling := a.coolsDown(ctx, store, result) // before its health is read
			err = a.tellRecorded(a.afterRun(ctx, store, result, connector), rec, broken)
			if cooling != "" && !a.Flags.Quiet && !a.Printer.JSON {
				fmt.Fprintln(a.Err, "  "+output.Clean(cooling))
			}
			return err
		})
	})
}

// runTyped runs the module that was typed, when it is one that may run here.
func (a *app) runTyped(ctx context.Context, store *storage.Store, engine *plugin.Engine, m *owner.TypedModule, request run.Request, f runFlags, rec *recording) (*run.Result, error) {
	if err := a.owner.Settle(ctx, store, m); err != nil {
		return nil, err
	}
	if rec != nil {
		rec.module = m.Path
	}
	if err := owner.RightlyNamed(ctx, store, engine, m); err != nil {
		return nil, err
	}
	if err := refuseFed(ctx, store, engine, m); err != nil {
		return nil, err
	}
	request.Module, request.Connection, request.ModulePath = m.File, m.Connection, m.Path
	if err := a.acceptFirst(ctx, store, engine, &request, f); err != nil {
		return nil, err
	}
	return a.collect(ctx, a.owner.Config, store, engine, request, f, rec)
}

// collect wires the run's ports, and shows the run while it goes on.
func (a *app) collect(ctx context.Context, c *config.Config, store *storage.Store, engine *plugin.Engine, request run.Request, f runFlags, rec *recording) (*run.Result, error) {
	limit := c.RunTime()
	if request.Timeout > 0 {
		limit = min(limit, request.Timeout)
	}
	request.MaxWall = askingTime(limit)
	roots := a.Resolver(c)
	display := progress.New(a.Err, a.Printer.ErrStyle, a.screen, func(u run.Update) string {
		return a.header(c, u, roots.Resolved())
	})
	deps := a.runDeps(c, store, engine, roots, f)
	if asker := a.asker(display, f.noInput, interact.Connector{
		Name: cmp.Or(request.Connection, request.Module.Name), File: a.Tilde(request.Module.Path),
	}); asker != nil {
		deps.Asker = asker
	}
	rec.attach(&deps)
	if !a.Flags.Quiet {
		deps.Observe = display.Observe
		a.LogTo.Swap(display)
		defer a.LogTo.Swap(a.Err)
	}
	a.Stop.During(func() {
		fmt.Fprintln(display, "stopping: the connector winds up, what was collected is kept; Ctrl-C again ends it at once")
	}, display.Finish)
	defer a.Stop.During(nil, nil)
	defer display.Finish()
	return run.New(deps).Run(ctx, request)
}

// tell writes the outcome and returns the error that the exit status is of.
func (a *app) tell(ended runResult) error {
	r, todo := ended.Result, ended.step()
	text := func(w io.Writer) {
		if a.Flags.Quiet {
			return
		}
		outcome.Write(w, a.Printer.Style, r, todo, a.Advice)
		if ended.Verdict != nil {
			b := view.BriefOf(ended.Verdict)
			outcome.WriteVerdict(w, a.Printer.Style, r.Connection, &b, todo, a.Advice)
			show.WriteRejected(w, a.Advice, r.Connection, ended.rejected)
		}
		if line := a.nothingFound(r); line != "" {
			fmt.Fprintln(w, "  "+line)
		}
	}
	if r.Status == run.StatusSucceeded {
		return a.Printer.Result(outcome.Summary(r), ended, text)
	}
	failure := outcome.Error(r, todo)
	if failure.Hint == "" && (a.Flags.Quiet || a.Printer.JSON) { // the text above is not there
		failure = failure.WithHint("type: " + todo)
	}
	if err := a.Printer.Failed(outcome.Summary(r), ended, a.Advised(failure), text); err != nil {
		return err
	}
	if r.Error != nil && r.Error.Log != "" {
		a.Logger.Debug("the guest wrote to standard error", "run", r.RunID, "text", r.Error.Log)
		if !a.Printer.JSON { // there it is result.error.log
			for _, line := range outcome.LogEnd(r.Error.Log) {
				fmt.Fprintln(a.Err, "  it wrote: "+line)
			}
		}
	}
	cancelled := r.Status == run.StatusCancelled && r.Reason != string(abi.ReasonConnectorReportedCancelled)
	return &exitcode.Ended{Err: failure, Cancelled: cancelled, OwnerNeeded: r.OwnerNeeded}
}

// step is the command for what the connection's verdict asks of the owner, "" for
// none.
func (r *runResult) step() string {
	if r.Verdict == nil {
		return ""
	}
	b := view.BriefOf(r.Verdict)
	return show.Step(&b, r.subject)
}

// header is the line above a run: what runs, and what it may reach.
func (a *app) header(c *config.Config, u run.Update, roots []run.ResolvedRoot) string {
	network := "no network"
	if len(u.Hosts) > 0 {
		network = "reaches " + strings.Join(u.Hosts, " and ") + " only"
	}
	reach := []string{modules.SandboxOf(c.Isolation(), plugin.Walls()).Brief, output.Binary(c.MemoryBytes()), network}
	for _, s := range u.Secrets {
		reach = append(reach, "sends "+s)
	}
	for _, r := range roots {
		reach = append(reach, "reads "+a.Tilde(r.Path))
	}
	if len(roots) == 0 {
		reach = append(reach, "reads no files")
	}
	return output.Clean(fmt.Sprintf("%s %s  sha256 %s  sandbox: %s", u.Connector, u.Version, output.ShortHash(u.SHA256), strings.Join(reach, ", ")))
}

// screen is the size of the screen now; rows are 0 when they are unknown.
func (a *app) screen() (columns, rows int) {
	if w, h, err := term.GetSize(int(a.Err.Fd())); err == nil && w > 0 {
		return w, h
	}
	return a.Printer.ErrStyle.Width, 0
}

// refuseFed refuses a run of a connection that a device feeds.
func refuseFed(ctx context.Context, store *storage.Store, engine *plugin.Engine, m *owner.TypedModule) error {
	all, err := store.SourceInstances(ctx, "")
	if err != nil || len(all) == 0 {
		return err // and no module is loaded for it
	}
	connection := m.Connection
	if connection == "" { // the connection is called as the connector is
		d, err := modules.Describe(ctx, engine, m.File)
		if err != nil {
			return nil //nolint:nilerr // the run itself says what is wrong with its module
		}
		connection = d.Manifest.ConnectorKey
	}
	return owner.NotOnDevice(ctx, store, connection)
}
