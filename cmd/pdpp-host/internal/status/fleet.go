package status

import (
	"fmt"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func writeFleet(w io.Writer, s *session.Session, r *owner.Fleet) {
	show.WriteRuntime(w, s.Printer.Style, s.Advice, r.Runtime)
	if r.Fleet.Registered == 0 {
		fmt.Fprintln(w, s.Advice(show.NoConnections))
		return
	}
	rows := make([][]string, len(r.Connections))
	for i := range r.Connections {
		rows[i] = row(&r.Connections[i], s.Advice)
	}
	output.Wrapped(w, s.Printer.Style, []string{"health", "connection", "to do", "what happens next"}, rows)
	if s.Flags.Quiet {
		return
	}
	for _, line := range missingModules(r.Connections) {
		fmt.Fprintln(w, s.Advice(line))
	}
	fmt.Fprintln(w, r.Fleet.Summary())
	if r.Next != "" {
		fmt.Fprintln(w, s.Advice("more: pdpp-host status --after "+syntax.Quoted(r.Next)))
	}
}

// row is the connection's line of the table. The entries to act on name their command.
func row(c *owner.ConnectionStatus, advise func(string) string) []string {
	b, about := &c.Verdict, subjectOf(c)
	todo, owners := b.Primary()
	notes := b.Notes()
	if command := show.Again(b, about); command != "" && len(notes) > 0 {
		last := &notes[len(notes)-1]
		*last = strings.TrimSuffix(*last, ".") + ": " + advise(command)
	}
	if c.Outbox != nil {
		notes = append(notes, "On its device: "+c.Outbox.Text+"; see: "+advise("pdpp-host status "+syntax.Quoted(c.Outbox.Detail)))
	}
	if !owners {
		todo = "" // no task of the owner's: what happens next says it
	} else if command := show.Step(b, about); command != "" {
		todo += ": " + advise(command)
	}
	if !owners && c.Rejected { // the fix is not the owner's; how it ends is
		todo = "See the rejected records: " + advise("pdpp-host status "+syntax.Quoted(c.Name))
	}
	next := once(todo, append([]string{b.ForwardStatement}, notes...)...)
	if owners && b.MoreActions > 0 {
		todo += fmt.Sprintf(" +%d more", b.MoreActions)
	}
	return []string{b.Pill.Label, c.Name, show.Dash(todo), next}
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

// subjectOf is a connection that steps are named for.
func subjectOf(c *owner.ConnectionStatus) show.Subject {
	return show.Subject{Connection: c.Name, Connector: c.Connector, Feeds: c.Feeds, Unaccepted: c.Unaccepted}
}

// missingModules is a line for each connector whose module is missing.
func missingModules(items []owner.ConnectionStatus) (lines []string) {
	var connectors []string
	names := map[string]string{}
	for i := range items {
		if x := &items[i]; x.ModuleMissing {
			if _, known := names[x.Connector]; !known {
				connectors = append(connectors, x.Connector)
			} else {
				names[x.Connector] += ", "
			}
			names[x.Connector] += output.Clean(x.Name)
		}
	}
	for _, connector := range connectors {
		lines = append(lines, show.NoModule(connector)+": "+names[connector]+"; see: "+"pdpp-host doctor")
	}
	return lines
}
