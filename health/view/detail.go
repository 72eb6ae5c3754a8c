package view

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Line is one line of the inspection layer: its subject and its text.
type Line struct{ Name, Text string }

// Details returns the inspection layer of a verdict as lines, in the order of an
// engineer's questions: the basis of the answer, each condition, the waiting work, and
// the suppressed signals. It holds everything that the verdict's detail holds
// (HL-27.2), each condition once.
func Details(v *verdict.RenderedVerdict) []Line {
	d := v.Detail
	if d == nil {
		return nil
	}
	lines := []Line{
		{"state", join(string(d.State), string(d.ReasonCode))},
		{"disposition", string(d.ForwardDisposition)},
		{"axes", "attention " + string(d.Axes.Attention) + ", coverage " + string(d.Axes.Coverage) + ", freshness " + string(d.Axes.Freshness) +
			", outbox " + string(d.Axes.Outbox) + ", remote surface " + string(d.Axes.RemoteSurface)},
	}
	if d.Badges.Syncing {
		lines = append(lines, Line{"activity", "a run is going on"})
	}
	for i := range d.Conditions {
		c := d.Conditions[i]
		if step := ownersStep(v); c.Type == health.AttentionClear && c.Remediation != nil && step != "" {
			r := *c.Remediation
			r.Label, c.Remediation = step, &r
		}
		lines = append(lines, conditionLine(&c, d.DominantConditionID))
	}
	if d.Said != nil {
		lines = append(lines, Line{"in the provider's words", "“" + d.Said.Text + "”"})
	}
	if b := d.DetailGapBacklog; b == nil {
		lines = append(lines, Line{"backlog", "not known"})
	} else {
		lines = append(lines, backlogLine(b))
	}
	if text := countsText(d.OutboxCounts, true); text != "" {
		lines = append(lines, Line{"outbox", text})
	}
	if !d.NextAttemptAt.IsZero() {
		lines = append(lines, Line{"next attempt", "not before " + formatTime(d.NextAttemptAt)})
	}
	if len(d.CollectionRate) > 0 {
		lines = append(lines, Line{"rate", string(d.CollectionRate)})
	}
	for _, s := range d.Suppressed {
		lines = append(lines, Line{"handled", s.Kind + ", see " + s.DetailField})
	}
	for _, broken := range d.Violations {
		lines = append(lines, Line{"withheld", string(broken)})
	}
	return lines
}

// ownersStep returns the verdict's own text for the step it asks of the owner; "" for
// none.
func ownersStep(v *verdict.RenderedVerdict) string {
	for i := range v.RequiredActions {
		if a := &v.RequiredActions[i]; a.Kind == verdict.AddInfo && a.Remediation == nil {
			return a.CTA
		}
	}
	return ""
}

func conditionLine(c *health.Condition, dominant health.Word) Line {
	name := string(c.Type)
	if c.ID == string(dominant) {
		name += " *"
	}
	text := string(c.Status) + " (" + string(c.Reason) + ")  " + c.Message
	if r := c.Remediation; r != nil {
		text += " " + r.Label + "."
	}
	if c.Type == health.AttentionClear && !c.ExpiresAt.IsZero() {
		text += " Until " + formatTime(c.ExpiresAt) + "."
	}
	if len(c.Streams) > 0 {
		text += " Streams: " + strings.Join(c.Streams, ", ") + "."
	}
	if !c.Current {
		text += " No longer current."
	}
	return Line{name, text}
}

func backlogLine(b *health.Backlog) Line {
	text := atLeast(b.Pending, b.PendingIsFloor) + " under source pressure, " + atLeast(b.PendingOther, b.PendingOtherIsFloor) + " others"
	if b.Recovered != nil {
		text += ", " + strconv.FormatInt(*b.Recovered, 10) + " recovered"
	}
	if b.MaxAttemptCount > 0 {
		text += ", up to " + strconv.FormatInt(b.MaxAttemptCount, 10) + " attempts"
	}
	if !b.NextAttemptAt.IsZero() {
		text += ", not before " + formatTime(b.NextAttemptAt)
	}
	return Line{"backlog", text}
}

// atLeast writes a count, marked as a minimum if a bound was reached.
func atLeast(n int64, floor bool) string {
	if floor {
		return "at least " + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

func formatTime(i health.Instant) string { return i.UTC().Format(time.RFC3339) }

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + " (" + b + ")"
}
