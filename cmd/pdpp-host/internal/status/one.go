package status

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

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
	}
	if len(b.RequiredActions) > 0 && owner.LeftByRun(&b.RequiredActions[0]) {
		if command = about.Run(); b.RequiredActions[0].CTACode == owner.CTACameBack { // the step would show what stands below
			command = ""
		}
	}
	show.WriteRuntime(w, s.Printer.Style, s.Advice, h.Runtime)
	fmt.Fprintf(w, "%s  %s\n", output.Clean(h.Name), b.Progress.Headline)
	outcome.WriteVerdict(w, s.Printer.Style, name, &b, command, s.Advice)
	writeMissing(w, s, h)
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
	if len(h.Devices) == 0 { // this host runs it
		show.WriteRejected(w, s.Advice, h.Name, h.RejectedRecords)
	}
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

// writeMissing tells what is missing, in the words of whoever said it, and what mends it.
func writeMissing(w io.Writer, s *session.Session, h *owner.Health) {
	if len(h.Missing) == 0 {
		return
	}
	heading := "What the last run noted, and what to do about it:"
	if slices.ContainsFunc(h.Missing, func(m owner.Missing) bool { return !m.Noted }) {
		heading = "What is missing, and what mends it:"
	}
	fmt.Fprintln(w, heading)
	now := s.Now()
	for i := range h.Missing {
		m := &h.Missing[i]
		label := "not collected"
		if m.Noted {
			label = "noted"
		}
		fmt.Fprintf(w, "%-24s %s\n", label, output.Clean(missingLine(m)))
		mends := m.Mends(now)
		if m.Waits(now) {
			mends += "; " + s.Advice("pdpp-host run "+syntax.Quoted(h.Name)+" --force") + " asks now"
		}
		if files := s.Advice("pdpp-host connections files " + syntax.Quoted(h.Name)); m.NotUnderstood() {
			mends += ": " + files + " shows them, and " + files + " --ignore FILE says that one may stay as it is, or --ignore PATTERN that files are not for it"
		} else if m.Files {
			mends += "; or " + files + " lists the files, and with --ignore FILE says that one may stay as it is"
		}
		fmt.Fprintf(w, "  %-22s %s\n", "mended by", output.Clean(mends))
	}
}

// missingLine says in one line, not cleaned, what is missing.
func missingLine(m *owner.Missing) string {
	line := m.Subject()
	if m.Stream != "" {
		line = m.Stream + ": " + line
	}
	if m.Count > 1 && !m.Gone() && !m.NotUnderstood() { // whose words count
		line += " (" + output.Count(m.Count) + " times)"
	}
	if m.Says != "" {
		line += ", "
		if m.ByProvider() {
			line += "the provider says "
		}
		line += `“` + m.Says + `”`
	}
	names := make([]string, len(m.Names))
	for i, name := range m.Names {
		names[i] = output.CutName(name, outcome.LongestName)
	}
	if len(names) > 0 {
		line += ": " + strings.Join(names, ", ")
	}
	if m.More > 0 {
		line += " and " + output.Count(m.More) + " more"
	}
	return line
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
