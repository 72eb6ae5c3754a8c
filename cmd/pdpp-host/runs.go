package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// mostEvents is how many events of a run are shown as text.
const mostEvents = 40

func (a *app) runsCommand() *cobra.Command {
	var limit int
	list := func(cmd *cobra.Command, args []string) error {
		if limit < 0 {
			return usage("--limit is below zero", "0 lists all of them")
		}
		return a.runsList(cmd.Context(), strings.Join(args, ""), limit)
	}
	cmd := a.group("runs", "Show past runs", func(cmd *cobra.Command) error { limit = 20; return list(cmd, nil) })
	listCommand := &cobra.Command{
		Use: "list [CONNECTION]", Short: "List runs, the newest first", Args: takes("[CONNECTION]"),
		ValidArgsFunction: a.completeConnection, RunE: list,
	}
	listCommand.Flags().IntVar(&limit, "limit", 20, "at most `N`; 0 lists all of them")
	cmd.AddCommand(listCommand, &cobra.Command{
		Use: "show RUN", Short: "Show a run with its events, gaps and checkpoints", Args: takes("RUN"),
		Long:              "Shows a run with its events, gaps and checkpoints. RUN is an id, the beginning of one, or \"last\".",
		ValidArgsFunction: a.completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runsShow(cmd.Context(), args[0]) },
	})
	return cmd
}

func (a *app) runsList(ctx context.Context, connection string, limit int) error {
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		id := ""
		if connection != "" {
			c, err := a.connection(ctx, store, connection)
			if err != nil {
				return err
			}
			id = c.ID
		}
		runs, err := store.Runs(ctx, connection, limit)
		if err != nil {
			return err
		}
		names, err := connectionNames(ctx, store)
		if err != nil {
			return err
		}
		views := make([]*runView, len(runs))
		rows := make([][]string, len(runs))
		for i := range runs {
			views[i] = viewRun(&runs[i])
			rows[i] = []string{
				views[i].RunID, names[views[i].ConnectionID], state(&runs[i]), output.Timestamp(views[i].StartedAt), took(views[i]),
				uncollected(&runs[i]), changedRecords(views[i]),
			}
			if w := a.Printer.Style.Width; w > 0 && w < narrow {
				rows[i] = narrowed(views[i], rows[i])
			}
		}
		refused, err := refusals(ctx, store, id, names)
		if err != nil {
			return err
		}
		result := map[string]any{"runs": views}
		if len(refused) > 0 {
			result["refused"] = refused
		}
		return a.Printer.Result(output.Plural(int64(len(runs)), "run"), result, func(w io.Writer) {
			if len(rows) == 0 {
				fmt.Fprintln(w, a.advice("no runs yet: pdpp-host run CONNECTOR"))
				writeRefusals(w, refused)
				return
			}
			header := []string{"run", "connection", "status", "started", "took", "not collected", "records"}
			if len(rows[0]) < len(header) {
				header = slices.Delete(header, 4, 5)
			}
			output.Table(w, a.Printer.Style, header, rows)
			writeRefusals(w, refused)
		})
	})
}

func connectionNames(ctx context.Context, store *storage.Store) (map[string]string, error) {
	all, err := store.Connections(ctx)
	names := make(map[string]string, len(all))
	for i := range all {
		names[all[i].ID] = all[i].Name
	}
	return names, err
}

// state words a run's status; one whose process is gone no longer runs.
func state(r *storage.Run) string {
	switch {
	case r.Unreadable:
		return r.Status + " (part of it cannot be read)"
	case r.Status == storage.StatusRunning && strings.HasPrefix(r.Holder, "device:"):
		return "running (on its device)" // whether it still does is for the connection's health to say
	case r.Status == storage.StatusRunning && !run.HolderAlive(r.Holder):
		return "stopped (its process is gone)"
	case r.Reason != "":
		return r.Status + " (" + r.Reason + ")"
	default:
		return r.Status
	}
}

func took(v *runView) string {
	if v.FinishedAt == nil {
		return "-"
	}
	return output.Seconds(v.FinishedAt.Sub(v.StartedAt))
}

func changedRecords(v *runView) string {
	var sum countsView
	for stream, c := range v.Records {
		if stream == outcome.Diagnostics {
			continue
		}
		sum.New, sum.Changed, sum.Deleted = sum.New+c.New, sum.Changed+c.Changed, sum.Deleted+c.Deleted
	}
	return counted(sum.New, "new", sum.Changed, "changed", sum.Deleted, "deleted")
}

func (a *app) runsShow(ctx context.Context, id string) error {
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		r, err := findRun(ctx, store, id)
		if err != nil {
			return err
		}
		v := viewRun(r)
		events, err := store.Events(ctx, r.ID, 0, 0)
		if err != nil {
			return err
		}
		for _, e := range events {
			v.Events = append(v.Events, eventView{e.Seq, e.At, e.Type, e.Stream, json.RawMessage(e.Data)})
		}
		if v.Coverage, err = store.Coverage(ctx, r.ID); err != nil {
			return err
		}
		names, err := connectionNames(ctx, store)
		if err != nil {
			return err
		}
		if v.Gaps, err = gapsOf(ctx, store, r); err != nil {
			return err
		}
		return a.Printer.Result(v.RunID+" "+v.Status, v, func(w io.Writer) { writeRun(w, r, v, names[r.ConnectionID]) })
	})
}

// gapsOf returns the details that a run found missing or dealt with last.
func gapsOf(ctx context.Context, store *storage.Store, r *storage.Run) (out []gapView, err error) {
	q := storage.GapQuery{RunID: r.ID, Limit: 500}
	for {
		page, err := store.Gaps(ctx, r.ConnectionID, q)
		if abi.CodeOf(err) == abi.CodeConnectionUnknown {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range page {
			g := &page[i]
			out = append(out, gapView{g.Stream, g.RecordKey, g.Reason, g.Class, g.Status, g.AttemptCount})
		}
		if len(page) < q.Limit {
			return out, nil
		}
		q.After = &page[len(page)-1]
	}
}

// findRun finds a run by its id, the beginning of its id, or "last".
func findRun(ctx context.Context, store *storage.Store, id string) (*storage.Run, error) {
	if id == "last" {
		runs, err := store.Runs(ctx, "", 1)
		if err != nil {
			return nil, err
		}
		if len(runs) == 0 {
			return nil, abi.NewError(abi.CodeRunUnknown, "there are no runs yet", "make one: pdpp-host run CONNECTOR")
		}
		return &runs[0], nil
	}
	r, err := store.Run(ctx, id)
	if abi.CodeOf(err) != abi.CodeRunUnknown {
		return r, err
	}
	runs, listErr := store.Runs(ctx, "", 0)
	if listErr != nil {
		return nil, listErr
	}
	var found []storage.Run
	for _, r := range runs {
		if len(id) >= 4 && strings.HasPrefix(r.ID, id) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		return nil, abi.NewError(abi.CodeRunUnknown, fmt.Sprintf("there is no run %q", id), "pdpp-host runs list shows them").Wrap(err)
	default:
		return nil, abi.NewError(abi.CodeRunUnknown, fmt.Sprintf("%d runs begin with %q", len(found), id), "write more of the id")
	}
}

func writeRun(w io.Writer, r *storage.Run, v *runView, connection string) {
	line := func(name, value string) { fmt.Fprintf(w, "%-13s %s\n", name, output.Clean(value)) }
	line("run", v.RunID)
	line("connection", connection)
	line("connector", fmt.Sprintf("%s %s  sha256 %s", v.Connector, v.Version, output.ShortHash(v.ModuleSHA256)))
	line("mode", v.Mode)
	line("status", state(r))
	line("started", output.Timestamp(v.StartedAt)+"  took "+took(v))
	if v.Error != nil {
		line("error", v.Error.Message+"   ["+v.Error.Code+"]")
		if v.Error.Hint != "" {
			line("", "hint: "+v.Error.Hint)
		}
	}
	var empty []string
	for _, stream := range streamsOf(v) {
		c := v.Records[stream]
		if c == (countsView{}) {
			empty = append(empty, stream)
			continue
		}
		line("stream", stream+"  "+counted(c.New, "new", c.Changed, "changed", c.Deleted, "deleted", c.Unchanged, "unchanged"))
	}
	if len(empty) > 0 {
		line("no records", strings.Join(empty, ", "))
	}
	if len(v.Committed) > 0 {
		line("checkpoints", strings.Join(v.Committed, ", "))
	}
	for _, h := range v.Withheld {
		line("withheld", h.Stream+" ("+h.Reason+")")
	}
	writeNotCollected(w, r, v)
	shown := slices.DeleteFunc(slices.Clone(v.Events), saysNothing)
	if len(shown) > mostEvents {
		line("events", fmt.Sprintf("%d, the last %d below; --json shows all of them", len(shown), mostEvents))
		shown = shown[len(shown)-mostEvents:]
	}
	for _, e := range shown {
		line("event", fmt.Sprintf("%s  %s %s", output.Timestamp(e.At), e.Type, strings.TrimSpace(e.Stream+" "+eventWords(e))))
	}
}

// streamsOf lists a run's streams in the manifest's order, then what else was
// counted.
func streamsOf(v *runView) []string {
	all := slices.Clone(v.Streams)
	for stream := range v.Records {
		if !slices.Contains(all, stream) {
			all = append(all, stream)
		}
	}
	return all
}
