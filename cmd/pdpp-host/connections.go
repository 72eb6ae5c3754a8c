package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

func (a *app) connectionsCommand() *cobra.Command {
	list := func(cmd *cobra.Command) error { return a.connectionsList(cmd.Context()) }
	cmd := a.group("connections", "Show and change connections", list)
	var roots, set []string
	add := &cobra.Command{
		Use: "add NAME CONNECTOR", Short: "Make a connection with its own folders and options", Args: takes("NAME", "CONNECTOR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.connectionsAdd(cmd.Context(), args[0], args[1], roots, set)
		},
	}
	add.Flags().StringArrayVar(&roots, "root", nil, "grant the folder `NAME=PATH` in every run (repeatable)")
	add.Flags().StringArrayVar(&set, "set", nil, "connector option `KEY=VALUE` for every run, never a secret (repeatable)")
	var yes bool
	remove := &cobra.Command{
		Use: "remove NAME", Short: "Delete a connection and everything it collected", Args: takes("NAME"),
		ValidArgsFunction: a.completeConnection,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.connectionsRemove(cmd.Context(), args[0], yes) },
	}
	remove.Flags().BoolVar(&yes, "yes", false, "yes, delete the records too")
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the connections", Args: takes(),
			RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd) },
		},
		add,
		&cobra.Command{
			Use: "show NAME", Short: "Show a connection, its streams and checkpoints", Args: takes("NAME"),
			ValidArgsFunction: a.completeConnection,
			RunE:              func(cmd *cobra.Command, args []string) error { return a.connectionsShow(cmd.Context(), args[0]) },
		},
		remove,
		a.credentialCommand(), a.scheduleCommand(),
	)
	return cmd
}

func (a *app) connectionsList(ctx context.Context) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		all, err := store.Connections(ctx)
		if err != nil {
			return err
		}
		briefs, err := a.briefs(ctx, store)
		if err != nil {
			return err
		}
		views := make([]connectionView, len(all))
		for i := range all {
			views[i] = viewConnection(&all[i])
			runs, err := store.Runs(ctx, all[i].Name, 1)
			if err != nil {
				return err
			}
			if len(runs) > 0 {
				views[i].LastRun = viewRun(&runs[0])
			}
			if b, ok := briefs[all[i].Name]; ok {
				views[i].Verdict = &b
			}
		}
		summary := output.Plural(int64(len(all)), "connection")
		return a.printer.Result(summary, map[string]any{"connections": views}, func(w io.Writer) {
			if len(views) == 0 {
				fmt.Fprintln(w, "no connections yet: the first `pdpp-host run CONNECTOR` makes one")
				return
			}
			rows := make([][]string, len(views))
			for i, v := range views {
				last, when := "never ran", "-"
				if v.LastRun != nil {
					last, when = v.LastRun.Status, output.Timestamp(v.LastRun.StartedAt)
				}
				health := "-"
				if v.Verdict != nil {
					health = v.Verdict.Pill.Label
				}
				rows[i] = []string{v.Name, v.Connector, output.ShortHash(dash(v.PinnedSHA256)), health, last, when}
			}
			output.Table(w, a.printer.Style, []string{"name", "connector", "module", "health", "last run", "at"}, rows)
		})
	})
}

// connectionsAdd checks the folders' names against the module, so that a slip
// is found now and not in a run at night.
func (a *app) connectionsAdd(ctx context.Context, name, connector string, rootFlags, setFlags []string) error {
	if !validName(name) {
		return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("%q is no connection's name", name), "use letters, digits, '.', '_' and '-'")
	}
	roots, err := pairs("--root", "NAME=PATH", rootFlags)
	if err != nil {
		return err
	}
	options, err := pairs("--set", "KEY=VALUE", setFlags)
	if err != nil {
		return err
	}
	c, err := a.config()
	if err != nil {
		return err
	}
	file, err := openModule(c, connector)
	if err != nil {
		return err
	}
	var d *described
	if err := a.withEngine(c, func(engine *plugin.Engine) error {
		d, err = describe(ctx, engine, file)
		return err
	}); err != nil {
		return err
	}
	if secret := run.SecretOptions(d.manifest, options); len(secret) > 0 {
		return usage(fmt.Sprintf("%q is a credential of the connector, and no option", secret[0]),
			fmt.Sprintf("add the connection without it, then: pdpp-host connections credential set %s %s", name, secret[0]))
	}
	if len(roots) > 0 {
		if _, err := a.rootResolver(c).Resolve(d.manifest, roots); err != nil {
			return err
		}
		for root, path := range roots {
			if roots[root], err = a.absolute(path); err != nil {
				return err
			}
		}
	}
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		if existing, err := store.Connection(ctx, name); err == nil {
			return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("there is a connection %q already, of connector %s", name, existing.Connector),
				"choose another name")
		} else if abi.CodeOf(err) != abi.CodeConnectionUnknown {
			return err
		}
		conn, err := store.EnsureConnection(ctx, name, d.manifest.ConnectorKey)
		if err != nil {
			return err
		}
		conn.Roots, conn.Options = roots, options
		if err := store.UpdateConnection(ctx, *conn); err != nil {
			return err
		}
		return a.printer.Result(fmt.Sprintf("added %s; run it with: pdpp-host run %s --connection %s", name, connector, name), viewConnection(conn), nil)
	})
}

func (a *app) connectionsShow(ctx context.Context, name string) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, name)
		if err != nil {
			return err
		}
		v := viewConnection(conn)
		streams, err := store.Streams(ctx, conn.Name)
		if err != nil {
			return err
		}
		for _, s := range streams {
			v.Streams = append(v.Streams, streamView{s.Name, s.Live, s.Deleted, s.LastSeq})
		}
		points, err := store.Checkpoints(ctx, conn.Name)
		if err != nil {
			return err
		}
		for _, p := range points {
			v.Checkpoints = append(v.Checkpoints, checkpointView{p.Stream, p.Bookmark, p.RunID, p.At, p.Staged, len(p.Cursor)})
		}
		gaps, err := store.Gaps(ctx, conn.Name)
		if err != nil {
			return err
		}
		v.OpenGaps = openGaps(gaps)
		if v.Schedule, err = a.scheduleOf(ctx, store, conn); err != nil {
			return err
		}
		if v.Credentials, err = shownCredentials(ctx, store, conn); err != nil {
			return err
		}
		if v.Destinations, err = store.Destinations(ctx, conn.ID); err != nil {
			return err
		}
		e, err := store.EvidenceOf(ctx, conn.ID)
		if err != nil {
			return err
		}
		runtime, err := a.runtime(ctx, store)
		if err != nil {
			return err
		}
		rendered := a.rendered(e, runtime)
		brief := view.BriefOf(&rendered)
		v.Verdict = &brief
		return a.printer.Result(v.Name, v, func(w io.Writer) { a.writeConnection(w, v) })
	})
}

// openGaps counts the gaps that are still to be fetched.
func openGaps(gaps []storage.Gap) *int {
	n := 0
	for _, g := range gaps {
		if g.Status == "pending" || g.Status == "in_progress" {
			n++
		}
	}
	return &n
}

func (a *app) writeConnection(w io.Writer, v connectionView) {
	line := func(name, value string) { fmt.Fprintf(w, "%-12s %s\n", name, output.Clean(value)) }
	line("connection", v.Name)
	line("connector", v.Connector)
	if v.Verdict != nil {
		line("health", v.Verdict.Pill.Label+"  "+v.Verdict.ForwardStatement)
	}
	line("module", dash(v.PinnedSHA256))
	if v.Schedule != nil {
		line("schedule", v.Schedule.text())
	}
	for _, name := range sorted(v.Roots) {
		line("root", name+" = "+v.Roots[name])
	}
	if len(v.Options) > 0 {
		line("options", strings.Join(v.Options, ", ")+" (values not shown)")
	}
	if v.BaseURL != "" {
		line("asks at", v.BaseURL)
	}
	for _, c := range v.Credentials {
		line("credential", c.Field+"  "+c.from())
	}
	for _, d := range v.Destinations {
		line("sent to", fmt.Sprintf("%s  %s, %s out, %s in, last %s", d.Host, output.Plural(d.Requests, "request"),
			output.Bytes(d.BytesOut), output.Bytes(d.BytesIn), d.Last.UTC().Format(time.RFC3339)))
	}
	for _, s := range v.Streams {
		line("stream", fmt.Sprintf("%s  %s, %s deleted", s.Name, output.Plural(s.Records, "record"), output.Count(s.Deleted)))
	}
	for _, p := range v.Checkpoints {
		state := "committed"
		if p.Staged {
			state = "staged"
		}
		line("checkpoint", fmt.Sprintf("%s  %s, %s by %s at %s", p.Stream, p.Bookmark, state, p.RunID, output.Timestamp(p.At)))
	}
	if v.OpenGaps != nil {
		line("gaps", fmt.Sprintf("%d details still to fetch", *v.OpenGaps))
	}
}

func (a *app) connectionsRemove(ctx context.Context, name string, yes bool) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, name)
		if err != nil {
			return err
		}
		streams, err := store.Streams(ctx, conn.Name)
		if err != nil {
			return err
		}
		var records int64
		for _, s := range streams {
			records += s.Live
		}
		if !yes {
			return usage(fmt.Sprintf("removing %q deletes %s", conn.Name, output.Plural(records, "record")),
				"if that is meant: pdpp-host connections remove "+conn.Name+" --yes")
		}
		if err := store.RemoveConnection(ctx, conn.Name); err != nil {
			return err
		}
		return a.printer.Result(fmt.Sprintf("removed %s and %s", conn.Name, output.Plural(records, "record")),
			map[string]any{"connection": conn.Name, "records": records}, nil)
	})
}

// connection finds a connection, or names the nearest one.
func (a *app) connection(ctx context.Context, store *storage.Store, name string) (*storage.Connection, error) {
	conn, err := store.Connection(ctx, name)
	if abi.CodeOf(err) != abi.CodeConnectionUnknown || err == nil {
		return conn, err
	}
	all, listErr := store.Connections(ctx)
	if listErr != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	slices.Sort(names)
	hint := "there are none yet: the first `pdpp-host run CONNECTOR` makes one"
	if n := config.Nearest(name, names); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	} else if len(names) > 0 {
		hint = "there are: " + strings.Join(names, ", ")
	}
	return nil, abi.NewError(abi.CodeConnectionUnknown, fmt.Sprintf("there is no connection %q", name), hint).Wrap(err)
}

func (a *app) completeConnection(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.config()
	if err != nil || len(args) > 0 || !exists(c.StorageDSN()) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	_ = a.withStore(cmd.Context(), func(_ *config.Config, store *storage.Store) error {
		all, err := store.Connections(cmd.Context())
		for i := range all {
			names = append(names, all[i].Name)
		}
		return err
	}) // completion has nowhere to report to
	return names, cobra.ShellCompDirectiveNoFileComp
}
