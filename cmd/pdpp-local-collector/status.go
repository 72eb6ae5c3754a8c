package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
)

func (a *app) statusCommand() *cobra.Command {
	var f laneFlags
	cmd := &cobra.Command{
		Use: "status", Short: "Show what waits to be delivered, and how the collector is", Args: syntax.Takes(),
		Long: "Shows the outbox and the state of one source instance, or of all of this machine. It changes nothing and asks nobody.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			lanes, err := a.lanes(f)
			if err != nil {
				return err
			}
			all := make([]*collector.Status, len(lanes))
			var summaries []string
			for i, l := range lanes {
				c, err := a.collector(l)
				if err != nil {
					return err
				}
				if all[i], err = c.Status(cmd.Context()); err != nil {
					return err
				}
				s := all[i]
				s.DB.Path = a.tilde(s.DB.Path)
				summaries = append(summaries, stateWords(s.LifecycleState)+"  "+s.ConnectorID+"  "+waiting(s.Outbox.Counts))
			}
			var result any = all[0]
			if len(all) > 1 {
				result = map[string]any{"object": "local_collector_status_list", "lanes": all}
			}
			return a.Printer.Result(output.Clean(strings.Join(summaries, "; ")), result, func(w io.Writer) {
				for i, s := range all {
					if i > 0 {
						fmt.Fprintln(w)
					}
					a.writeStatus(w, s)
				}
			})
		},
	}
	f.add(cmd)
	return cmd
}

// stateWords says a lifecycle state plainly.
func stateWords(state string) string {
	switch state {
	case "healthy_idle":
		return "Idle"
	case "draining":
		return "Work waits"
	case "retryable_backlog":
		return "Waiting to try again"
	case "dead_letter":
		return "Blocked"
	case "stale_lease":
		return "Cut off"
	case "coverage_missing":
		return "Coverage unknown"
	}
	return "Unknown"
}

// stateTone is a lifecycle state's tone.
func stateTone(state string) string {
	switch state {
	case "healthy_idle":
		return "green"
	case "dead_letter":
		return "red"
	case "draining":
		return ""
	}
	return "amber"
}

// stateMeaning says what follows from a lifecycle state; "" when nothing does.
func stateMeaning(state, source string) string {
	switch state {
	case "draining":
		return "the next run delivers it first"
	case "dead_letter":
		return "the host refused part of what was saved here; see: " + program + " doctor --source-instance-id " + source
	case "stale_lease":
		return "an earlier run was cut off while it delivered; the next run takes over"
	case "coverage_missing":
		return "records were delivered, but not what they cover; a run without --stream says it, where the connector can"
	}
	return ""
}

// putOff says why something is to be tried again.
func putOff(o collector.PutOff) string {
	what := output.Plural(o.Count, "upload") + " to be tried again: "
	why := o.Class
	if o.Message != "" {
		why += ", " + o.Message
	}
	word, code, _ := strings.Cut(o.Class, ":")
	switch {
	case word == "timeout", word == "network", strings.HasPrefix(word, "connection"):
		return what + "the host could not be reached"
	case word == "http_429", word == "http_503":
		return what + "the host asked for a pause"
	case word == "lease_expired":
		return what + "a run was cut off while it delivered"
	case strings.HasPrefix(word, "http_4") && code != "":
		return what + "the host refused it (" + why + ")"
	}
	return what + "the host, or something on the way to it, could not take it (" + why + ")"
}

// lastRun says how a run ended.
func lastRun(l *collector.LastRun) string {
	text := l.Status
	if l.Reason != "" {
		text += ", " + l.Reason
	}
	if l.Code != "" && l.Code != l.Reason {
		text += "  [" + l.Code + "]"
	}
	return text
}

// writeStatus shows one source instance.
func (a *app) writeStatus(w io.Writer, s *collector.Status) {
	style := a.Printer.Style
	fmt.Fprintf(w, "%s  %s\n", style.Pill(stateTone(s.LifecycleState), stateWords(s.LifecycleState)), output.Clean(s.ConnectorID))
	if m := stateMeaning(s.LifecycleState, s.SourceInstanceID); m != "" {
		fmt.Fprintf(w, "  %s\n", output.Clean(m))
	}
	for _, o := range s.PutOff {
		fmt.Fprintf(w, "  %s\n", output.Clean(a.short(putOff(o))))
	}
	c := s.Outbox.Counts
	row := func(name, value string) { fmt.Fprintf(w, "  %-12s  %s\n", name, output.Clean(value)) }
	row("outbox", waiting(c)+", "+output.Count(c.Sent)+" confirmed and still kept")
	a.moment(row, "oldest", c.OldestPendingAt)
	a.moment(row, "next attempt", c.NextAttemptAt)
	a.moment(row, "confirmed", c.LastAckAt)
	a.moment(row, "checkpoint", c.LastCheckpointAt)
	if l := s.Last; l != nil {
		a.moment(row, "last run", &l.FinishedAt)
		row("", lastRun(l))
	}
	if c.GapsOpen > 0 || c.BacklogOpen > 0 {
		row("not done", output.Plural(c.GapsOpen, "gap")+", "+output.Plural(c.BacklogOpen, "part")+" of the source left for later")
	}
	a.writeOpen(w, s.Open)
	for _, d := range c.DeadLetterWhy {
		row("refused", output.Plural(d.Count, "row")+": "+d.Class)
	}
	row("source", s.SourceInstanceID+"  on device "+s.DeviceID)
	row("delivers to", s.Host)
	row("version", s.AgentVersion+"  protocol "+s.Protocol+"  "+s.Posture.Hint)
	path := s.DB.Path
	if !s.DB.Exists {
		path += ", not made yet"
	}
	row("file", path)
}

// writeOpen lists what of the source is not done and has a reason; the others are
// on their way.
func (a *app) writeOpen(w io.Writer, open collector.OpenWork) {
	const most = 20
	shown := int64(0)
	for _, p := range open.Parts {
		if p.Reason == "" || shown == most {
			continue
		}
		shown++
		what := p.Stream
		if p.Boundary != "" {
			what += " " + p.Boundary
		}
		if what == "" {
			what = "the source"
		}
		if p.Kind == "gap" {
			what += ", the detail of a record"
		}
		again := "not tried again by itself"
		if p.Retryable {
			again = "tried again"
		}
		tried := output.Plural(p.Attempts, "attempt")
		if p.LastAttemptAt != nil {
			tried += ", last " + output.Seconds(a.Now().Sub(*p.LastAttemptAt)) + " ago"
		}
		fmt.Fprintf(w, "    %s\n", output.Clean(what+": "+p.Reason+", "+again+", "+tried))
	}
	if more := open.Total - shown; shown == most && more > 0 {
		fmt.Fprintf(w, "    and %s more; --json lists the first %d\n", output.Count(more), len(open.Parts))
	}
}

// moment writes a time with how long ago it was, or is still to be.
func (a *app) moment(row func(name, value string), name string, t *time.Time) {
	if t == nil {
		return
	}
	now := a.Now()
	text := output.Timestamp(*t)
	if d := now.Sub(*t); d >= 0 {
		text += "  (" + output.Seconds(d) + " ago)"
	} else {
		text += "  (in " + output.Seconds(-d) + ")"
	}
	row(name, text)
}
