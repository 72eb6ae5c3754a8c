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
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
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
				a.shorten(s.Failed)
				_, state := standing(s)
				summaries = append(summaries, state+"  "+s.ConnectorID+"  "+waiting(s.Outbox.Counts))
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

// standing is how a lane stands, in a word and its tone: why its last run could not
// run or deliver goes before what the outbox holds, which knows nothing of it.
func standing(s *collector.Status) (tone, word string) {
	f, tone := s.Failed, "red"
	if f != nil && !f.Lasting {
		tone = "amber"
	}
	switch {
	case f != nil && f.Delivering:
		return tone, "Cannot deliver"
	case f != nil:
		return tone, "Cannot run"
	case s.Last != nil && s.Last.Status == run.StatusFailed && s.Outbox.Counts.DeadLetter == 0 && s.Outbox.Counts.StaleLeases == 0:
		return tone, "Last run failed"
	case notEnded(s):
		return "", "Run not ended"
	}
	return stateTone(s.LifecycleState), stateWords(s.LifecycleState)
}

// notEnded reports whether a run goes on, or was cut off, that left nothing else to
// tell of.
func notEnded(s *collector.Status) bool {
	return s.Last != nil && s.Last.Status == storage.StatusRunning &&
		(s.LifecycleState == storage.LaneHealthyIdle || s.LifecycleState == storage.LaneCoverageMissing)
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
		text := what + "the host refused it (" + why + ")"
		if remedy := client.Remedy(o.Class); remedy != "" {
			text += "; " + remedy
		}
		return text
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
	tone, word := standing(s)
	fmt.Fprintf(w, "%s  %s\n", style.Pill(tone, word), output.Clean(s.ConnectorID))
	if f := s.Failed; f != nil {
		a.writeProblem(w, &collector.Problem{Code: f.Code, Message: f.Message, Hint: f.Hint})
	}
	if notEnded(s) {
		fmt.Fprintln(w, "  a run goes on, or was cut off: the next one takes over")
	}
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
	a.writeLast(row, s)
	if left := s.GapsLeft(); left != (collector.GapsLeft{}) {
		row("not done", left.String())
	}
	a.writeOpen(w, s.Open)
	for _, d := range c.DeadLetterWhy {
		row("refused", output.Plural(d.Count, "row")+": "+d.Class)
	}
	if s.Since != "" {
		row("collects", "what is from "+s.Since+" on: the host wants nothing older")
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

// shorten makes a failure one to show.
func (a *app) shorten(f *collector.Failed) {
	if f != nil {
		f.Message, f.Hint = a.short(f.Message), a.short(f.Hint)
	}
}

// writeLast tells of the last run; where that came to nothing, of the one before too.
func (a *app) writeLast(row func(name, value string), s *collector.Status) {
	name, l := "last run", s.Last
	if f := s.Failed; f != nil && (l == nil || l.FinishedAt.Before(f.BeganAt)) {
		a.moment(row, name, &f.At)
		row("", "failed  ["+f.Code+"]")
		name = "before it"
	}
	if l != nil {
		a.moment(row, name, &l.FinishedAt)
		row("", lastRun(l))
	}
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
		tried := output.Plural(p.Attempts, "attempt")
		if p.LastAttemptAt != nil {
			tried += ", last " + output.Seconds(a.Now().Sub(*p.LastAttemptAt)) + " ago"
		}
		fmt.Fprintf(w, "    %s\n", output.Clean(a.short(p.Why())+", "+p.Again()+", "+tried))
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
