package main

import (
	"fmt"
	"io"
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
		Long: "Shows the outbox and the state of one source instance. It changes nothing and asks nobody.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.lane(f)
			if err != nil {
				return err
			}
			c, err := a.collector(l)
			if err != nil {
				return err
			}
			s, err := c.Status(cmd.Context())
			if err != nil {
				return err
			}
			s.DB.Path = a.tilde(s.DB.Path)
			return a.printer.Result(output.Clean(stateWords(s.LifecycleState)+"  "+s.ConnectorID+"  "+waiting(s.Outbox.Counts)), s,
				func(w io.Writer) { a.writeStatus(w, s) })
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
func stateMeaning(state string) string {
	switch state {
	case "draining":
		return "the next run delivers it first"
	case "retryable_backlog":
		return "the host could not be reached or asked for a pause; a run from then on tries again"
	case "dead_letter":
		return "the host refused part of what was saved here; see: " + program + " doctor"
	case "stale_lease":
		return "an earlier run was cut off while it delivered; the next run takes over"
	case "coverage_missing":
		return "records were delivered, but not what they cover; a run without --stream says it, where the connector can"
	}
	return ""
}

// writeStatus shows one source instance.
func (a *app) writeStatus(w io.Writer, s *collector.Status) {
	style := a.printer.Style
	fmt.Fprintf(w, "%s  %s\n", style.Pill(stateTone(s.LifecycleState), stateWords(s.LifecycleState)), output.Clean(s.ConnectorID))
	if m := stateMeaning(s.LifecycleState); m != "" {
		fmt.Fprintf(w, "  %s\n", m)
	}
	c := s.Outbox.Counts
	row := func(name, value string) { fmt.Fprintf(w, "  %-12s  %s\n", name, output.Clean(value)) }
	row("outbox", waiting(c)+", "+output.Count(c.Sent)+" confirmed and still kept")
	a.moment(row, "oldest", c.OldestPendingAt)
	a.moment(row, "next attempt", c.NextAttemptAt)
	a.moment(row, "confirmed", c.LastAckAt)
	a.moment(row, "checkpoint", c.LastCheckpointAt)
	if c.GapsOpen > 0 || c.BacklogOpen > 0 {
		row("not done", output.Plural(c.GapsOpen, "gap")+", "+output.Plural(c.BacklogOpen, "part")+" of the source left for later")
	}
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

// moment writes a time with how long ago it was, or is still to be.
func (a *app) moment(row func(name, value string), name string, t *time.Time) {
	if t == nil {
		return
	}
	now := a.now()
	text := output.Timestamp(*t)
	if d := now.Sub(*t); d >= 0 {
		text += "  (" + output.Seconds(d) + " ago)"
	} else {
		text += "  (in " + output.Seconds(-d) + ")"
	}
	row(name, text)
}
