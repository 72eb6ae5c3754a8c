package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// statusPage is how many connections are read, and by default shown, at a time.
const statusPage = 50

// statusFlags are the flags of `status`, as typed.
type statusFlags struct {
	detail bool
	after  string
	limit  int
}

func (a *app) statusCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use: "status [CONNECTION]", Short: "Show how the connections are, and what there is to do", Args: takes("[CONNECTION]"),
		Example:           "  pdpp-host status\n  pdpp-host status claude_code --detail",
		ValidArgsFunction: a.completeConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.statusOf(cmd.Context(), args[0], f.detail)
			}
			return a.statusAll(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVar(&f.detail, "detail", false, "everything that a connection's verdict rests on")
	cmd.Flags().StringVar(&f.after, "after", "", "begin after the connection `NAME`")
	cmd.Flags().IntVar(&f.limit, "limit", statusPage, "show at most `N` connections")
	return cmd
}

// statusResult is the result of `status`: a page of connections, and all of them
// counted.
type statusResult struct {
	Connections []statusItem `json:"connections"`
	Fleet       view.Fleet   `json:"fleet"`
	Runtime     view.Runtime `json:"runtime"`
	Next        string       `json:"next,omitempty"` // the page goes on after this name
}

// statusItem is a row, with the cue of what a device has not delivered. It leads
// to the connection's own page.
type statusItem struct {
	view.Item

	Outbox *view.OutboxCue `json:"outbox,omitempty"`
	// ModuleMissing stands beside the verdict, which knows of it from what serves.
	ModuleMissing bool `json:"module_missing,omitempty"`

	subject  subject
	rejected bool // records failed their schema, and no run has delivered them since
}

func (a *app) statusAll(ctx context.Context, f statusFlags) error {
	if f.limit < 1 || f.limit > 10000 {
		return usage("--limit is a number from 1 to 10000", "leave it out for 50")
	}
	return a.toRead(ctx, func(c *config.Config, store *storage.Store) error {
		if f.detail {
			return a.statusOnly(ctx, c, store, f)
		}
		page, err := store.EvidencePage(ctx, f.after, f.limit)
		if err != nil {
			return err
		}
		fed, err := feedsByConnection(ctx, store)
		if err != nil {
			return err
		}
		r := statusResult{Connections: make([]statusItem, len(page))}
		if r.Runtime, err = a.runtime(ctx, store); err != nil {
			return err
		}
		for i := range page {
			v := a.rendered(&page[i], r.Runtime)
			item := statusItem{
				Item: view.Item{Name: page[i].Name, Connector: page[i].Connector, Verdict: view.BriefOf(&v)}, Outbox: view.OutboxCueOf(page[i].Name, &v),
				subject:  subjectOf(&page[i], fed[page[i].ConnectionID]),
				rejected: len(page[i].MissingRecords()) > 0,
			}
			item.ModuleMissing = missesModule(ctx, c, store, &item.Verdict, &item.subject)
			r.Connections[i] = item
		}
		if r.Fleet, err = store.Fleet(ctx, a.Now(), run.HolderAlive, r.Runtime.OK); err != nil {
			return err
		}
		if len(page) == f.limit { // it may be the last one
			last := page[len(page)-1].Name
			rest, err := store.EvidencePage(ctx, last, 1)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				r.Next = last
			}
		}
		return a.Printer.Result(r.Fleet.Summary(), r, func(w io.Writer) { a.writeStatus(w, &r) })
	})
}

// statusOnly shows everything about the connection when there is only one.
func (a *app) statusOnly(ctx context.Context, c *config.Config, store *storage.Store, f statusFlags) error {
	page, err := store.EvidencePage(ctx, "", 2)
	if err != nil {
		return err
	}
	if len(page) != 1 || f.after != "" {
		return usage("--detail needs a connection", "write: pdpp-host status CONNECTION --detail")
	}
	return a.showStatus(ctx, c, store, &page[0], true)
}

func (a *app) writeStatus(w io.Writer, r *statusResult) {
	a.writeRuntime(w, r.Runtime)
	if r.Fleet.Registered == 0 {
		fmt.Fprintln(w, a.advice(noConnections))
		return
	}
	rows := make([][]string, len(r.Connections))
	for i := range r.Connections {
		rows[i] = r.Connections[i].row(a.advice)
	}
	output.Table(w, a.Printer.Style, []string{"health", "connection", "to do", "what happens next"}, rows)
	if a.Flags.Quiet {
		return
	}
	for _, line := range missingModules(r.Connections) {
		fmt.Fprintln(w, a.advice(line))
	}
	fmt.Fprintln(w, r.Fleet.Summary())
	if r.Next != "" {
		fmt.Fprintln(w, a.advice("more: pdpp-host status --after "+quoted(r.Next)))
	}
}

// writeRuntime says what is wrong with what serves, and the command that starts it.
func (a *app) writeRuntime(w io.Writer, r view.Runtime) {
	line := r.Indicator()
	if strings.HasPrefix(r.Fault, "scheduler_") {
		line += " Start it: " + a.advice(program+" serve")
	}
	if line != "" {
		fmt.Fprintln(w, a.Printer.Style.Red(line))
	}
}

// row is the connection's line of the table. What is to be done names the command.
func (c *statusItem) row(advise func(string) string) []string {
	b := &c.Verdict
	todo, owners := b.Primary()
	notes := b.Notes()
	if command := again(b, c.subject); command != "" && len(notes) > 0 {
		last := &notes[len(notes)-1]
		*last = strings.TrimSuffix(*last, ".") + ": " + advise(command)
	}
	if c.Outbox != nil {
		notes = append(notes, "On its device: "+c.Outbox.Text+"; see: "+advise(program+" status "+quoted(c.Outbox.Detail)))
	}
	if !owners {
		todo = "" // no task of the owner's: what happens next says it
	} else if command := step(b, c.subject); command != "" {
		todo += ": " + advise(command)
	}
	if !owners && c.rejected { // the fix is not the owner's; how it ends is
		todo = "See the rejected records: " + advise(program+" status "+quoted(c.Name))
	}
	next := once(todo, append([]string{b.ForwardStatement}, notes...)...)
	if owners && b.MoreActions > 0 {
		todo += fmt.Sprintf(" +%d more", b.MoreActions)
	}
	return []string{b.Pill.Label, c.Name, dash(todo), next}
}

// once joins sentences, each of them once, and none that said has already.
func once(said string, sentences ...string) string {
	bare := func(s string) string { return strings.ToLower(strings.TrimRight(strings.TrimSpace(s), ".")) }
	seen := map[string]bool{"": true, bare(said): true}
	text := ""
	for _, s := range sentences {
		if seen[bare(s)] {
			continue
		}
		seen[bare(s)] = true
		if text != "" {
			text += " "
		}
		text += s
	}
	return text
}

// statusOne is one connection with its whole verdict.
type statusOne struct {
	Name      string                  `json:"name"`
	Connector string                  `json:"connector"`
	Verdict   verdict.RenderedVerdict `json:"verdict"`

	ModuleMissing bool         `json:"module_missing,omitempty"`
	Refusal       *refusalView `json:"refusal,omitempty"` // with --detail
	// NotCollected is what the last run left out, in its own words; with --detail where the verdict leads to it.
	NotCollected []run.KnownGap `json:"not_collected,omitempty"`
	// RejectedRecords failed their schema, and no run has delivered them since.
	RejectedRecords []storage.MissingRecords `json:"rejected_records,omitempty"`

	devicePart
}

func (a *app) statusOf(ctx context.Context, name string, detail bool) error {
	return a.toRead(ctx, func(c *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, name)
		if err != nil {
			return err
		}
		e, err := store.EvidenceOf(ctx, conn.ID)
		if err != nil {
			return err
		}
		return a.showStatus(ctx, c, store, e, detail)
	})
}

func (a *app) showStatus(ctx context.Context, c *config.Config, store *storage.Store, e *storage.Evidence, detail bool) error {
	runtime, err := a.runtime(ctx, store)
	if err != nil {
		return err
	}
	fed, err := store.SourceInstances(ctx, e.ConnectionID)
	if err != nil {
		return err
	}
	v := a.rendered(e, runtime)
	b, about := view.BriefOf(&v), subjectOf(e, fed)
	one := statusOne{Name: e.Name, Connector: e.Connector, Verdict: v, ModuleMissing: missesModule(ctx, c, store, &b, &about), devicePart: devicePartOf(&v, fed),
		RejectedRecords: e.MissingRecords()}
	toPutRight := len(b.RequiredActions) > 0 && leftByRun(&b.RequiredActions[0])
	if detail || !toPutRight { // else the verdict says so, and leads to it
		if one.NotCollected, err = leftOut(ctx, store, e); err != nil {
			return err
		}
	}
	name := e.Name
	if !detail {
		one.Verdict.Detail = nil
	} else if one.Refusal, err = refusalOf(ctx, store, e.ConnectionID); err != nil {
		return err
	} else {
		name = "" // its details stand below
	}
	command := step(&b, about)
	if detail && toPutRight {
		command = about.run() // what the step would show stands below
	}
	result := map[string]any{"connections": []statusOne{one}, "runtime": runtime}
	return a.Printer.Result(v.Pill.Label+"  "+e.Name, result, func(w io.Writer) {
		a.writeRuntime(w, runtime)
		fmt.Fprintf(w, "%s  %s\n", output.Clean(e.Name), b.Progress.Headline)
		outcome.WriteVerdict(w, a.Printer.Style, name, &b, command, a.advice)
		if line := causeLine(c, &b); line != "" {
			fmt.Fprintf(w, "  cause: %s\n", a.homely(a.advice(line)))
		}
		if command := again(&b, about); command != "" {
			fmt.Fprintf(w, "  then: %s\n", a.advice(command))
		}
		if one.ModuleMissing {
			fmt.Fprintf(w, "  %s: put %s%s there, or run it by its path\n", noModule(e.Connector), output.Clean(e.Connector), plugin.Extension)
		}
		todo, _ := b.Primary()
		writeDevicePart(w, &one.devicePart, b.ForwardStatement, todo)
		a.writeStreams(w, &v)
		if one.Refusal != nil {
			fmt.Fprintf(w, "%-24s %s\n", "refused", one.Refusal.text())
		}
		a.writeRejected(w, e.Name, one.RejectedRecords)
		writeLeftOut(w, one.NotCollected)
		if detail {
			for _, l := range view.Details(&v) {
				fmt.Fprintf(w, "%-24s %s\n", output.Clean(l.Name), output.Clean(l.Text))
			}
			if !e.Dates() {
				fmt.Fprintf(w, "%-24s %s\n", "freshness", "the connector's manifest has no maximum_staleness_seconds, so nothing says when its data is old")
			}
		}
	})
}

// writeStreams shows what the verdict says of each stream.
func (a *app) writeStreams(w io.Writer, v *verdict.RenderedVerdict) {
	for i := range v.Streams {
		s := &v.Streams[i]
		counted := ""
		if s.Collected != nil && s.Considered != nil {
			counted = fmt.Sprintf("  %s of %s", output.Count(*s.Collected), output.Count(*s.Considered))
		}
		fmt.Fprintf(w, "  %s%s  %s\n", output.Clean(s.StreamID), counted, s.Statement)
	}
}
