package status

import (
	"context"
	"fmt"
	"io"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// mostNamed is how many names of one gap are shown.
const mostNamed = 10

func one(ctx context.Context, s *session.Session, name string, detail bool) error {
	return s.Read(func(o *owner.Owner) error { return showOne(ctx, s, o, name, detail) })
}

func showOne(ctx context.Context, s *session.Session, o *owner.Owner, name string, detail bool) error {
	h, err := o.Health(ctx, name, detail)
	if err != nil {
		return err
	}
	result := map[string]any{"connections": []*owner.Health{h}, "runtime": h.Runtime}
	return show.Result(s.Printer, s.Advised, h.Runtime, h.Verdict.Pill.Label+"  "+h.Name, result, func(w io.Writer) { writeHealth(w, s, h, o.Config.DataDir(), detail) })
}

func writeHealth(w io.Writer, s *session.Session, h *owner.Health, dataDir string, detail bool) {
	b := view.BriefOf(&h.Verdict)
	about := show.Subject{Connection: h.Name, Connector: h.Connector, Feeds: h.Devices, Unaccepted: h.Unaccepted}
	name, command := h.Name, show.Step(&b, about)
	if detail {
		name = "" // its details stand below
		if len(b.RequiredActions) > 0 && owner.LeftByRun(&b.RequiredActions[0]) {
			command = about.Run() // the step would show what stands below
		}
	}
	show.WriteRuntime(w, s.Printer.Style, s.Advice, h.Runtime)
	fmt.Fprintf(w, "%s  %s\n", output.Clean(h.Name), b.Progress.Headline)
	outcome.WriteVerdict(w, s.Printer.Style, name, &b, command, s.Advice)
	if line := show.Cause(dataDir, &b); line != "" {
		fmt.Fprintf(w, "  cause: %s\n", s.Homely(s.Advice(line)))
	}
	if command := show.Again(&b, about); command != "" {
		fmt.Fprintf(w, "  then: %s\n", s.Advice(command))
	}
	if h.ModuleMissing {
		fmt.Fprintf(w, "  %s: put %s%s there, or run it by its path\n", show.NoModule(h.Connector), output.Clean(h.Connector), plugin.Extension)
	}
	todo, _ := b.Primary()
	writeDevicePart(w, &h.DevicePart, b.ForwardStatement, todo)
	writeStreams(w, &h.Verdict)
	if h.Refusal != nil {
		fmt.Fprintf(w, "%-24s %s\n", "refused", show.Refusal(h.Refusal))
	}
	show.WriteRejected(w, s.Advice, h.Name, h.RejectedRecords)
	writeLeftOut(w, h.NotCollected)
	if !detail {
		return
	}
	for _, l := range view.Details(&h.Verdict) {
		fmt.Fprintf(w, "%-24s %s\n", output.Clean(l.Name), output.Clean(l.Text))
	}
	if h.Undated {
		fmt.Fprintf(w, "%-24s %s\n", "freshness", "the connector's manifest has no maximum_staleness_seconds, so nothing says when its data is old")
	}
}

// writeLeftOut tells of them in the words of `run`.
func writeLeftOut(w io.Writer, gaps []run.KnownGap) {
	for _, g := range gaps {
		line := outcome.GapLine(g)
		if names := outcome.GapNames(g, mostNamed); names != "" {
			line += ": " + names
		}
		fmt.Fprintf(w, "%-24s %s\n", "not collected", output.Clean(line))
	}
}

// writeStreams shows what the verdict says of each stream.
func writeStreams(w io.Writer, v *verdict.RenderedVerdict) {
	for i := range v.Streams {
		s := &v.Streams[i]
		counted := ""
		if s.Collected != nil && s.Considered != nil {
			counted = fmt.Sprintf("  %s of %s", output.Count(*s.Collected), output.Count(*s.Considered))
		}
		fmt.Fprintf(w, "  %s%s  %s\n", output.Clean(s.StreamID), counted, s.Statement)
	}
}
