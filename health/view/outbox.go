package view

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Count counts one kind of work that is still on a device.
type Count struct {
	Category string `json:"category"` // pending retrying stale_leases dead_letter backlog_open
	N        int64  `json:"n"`
	Text     string `json:"text"`
}

// RemediationPanel is a page's panel for a stalled outbox: texts and commands that are
// always visible, never behind a pointer's hover (HL-08). nil: the outbox needs
// nothing.
type RemediationPanel struct {
	Label   string `json:"label"`
	Message string `json:"message"`
	// Command runs on the host that holds the data. Its one parameter is the source
	// instance (verdict.SourceInstance), which the surface fills in.
	Command string `json:"command"`
	Scale   string `json:"scale,omitempty"` // how much is stuck; "" if not counted (HL-12)
}

// diagnose is the command that inspects a collector and changes nothing. It holds no
// address, token or path (HL-08.2).
const diagnose = "pdpp-local-collector status --source-instance-id " + verdict.SourceInstance

// RemediationPanelOf returns the panel for a verdict's outbox. It appears only for a
// stalled outbox and for a condition that asks to clear a backlog (HL-08.3).
func RemediationPanelOf(v *verdict.RenderedVerdict) *RemediationPanel {
	d := v.Detail
	if d == nil {
		return nil
	}
	stalled := d.Axes.Outbox == health.OutboxStalled
	for i := range d.Conditions {
		c := &d.Conditions[i]
		if r := c.Remediation; c.Current && c.Status == health.False && r != nil && r.Action == "clear_backlog" {
			return &RemediationPanel{Label: r.Label, Message: c.Message, Command: diagnose, Scale: countsText(d.OutboxCounts, false)}
		}
	}
	if !stalled {
		return nil
	}
	return &RemediationPanel{Label: "Check the collector on the host that holds the data", Command: diagnose, Scale: countsText(d.OutboxCounts, false)}
}

// OutboxCue is a list row's note about stuck work. It leads to the panel on the
// connection's own page and offers no action itself (HL-13). nil: none.
type OutboxCue struct {
	Counts []Count `json:"counts"` // positive ones only
	Text   string  `json:"text"`
	Detail string  `json:"detail"` // the name of the connection whose page holds the panel
}

// OutboxCueOf returns the cue of a row.
func OutboxCueOf(connection string, v *verdict.RenderedVerdict) *OutboxCue {
	d := v.Detail
	if d == nil || d.Axes.Outbox != health.OutboxStalled || v.Progress.Mode != verdict.ModeLocalDevice || !d.OutboxCounts.Stuck() {
		return nil
	}
	return &OutboxCue{Counts: stuck(d.OutboxCounts), Text: countsText(d.OutboxCounts, false), Detail: connection}
}

// stuck returns the positive counts of work that is still on the device. Delivered
// work and the total are not stuck (HL-13.3).
func stuck(c *health.OutboxCounts) []Count {
	if c == nil {
		return nil
	}
	var out []Count
	for _, x := range []struct {
		category, words string
		n               *int64
	}{
		{"pending", "waiting", c.Pending}, {"retrying", "being sent again", c.Retrying}, {"stale_leases", "left half-way", c.StaleLeases},
		{"dead_letter", "given up", c.DeadLetter}, {"backlog_open", "not taken up yet", c.BacklogOpen},
	} {
		if x.n != nil && *x.n > 0 {
			out = append(out, Count{x.category, *x.n, strconv.FormatInt(*x.n, 10) + " " + x.words})
		}
	}
	return out
}

// countsText describes how much work is stuck and, with everything, how much was
// delivered. "": nothing is, or it was not counted.
func countsText(c *health.OutboxCounts, everything bool) string {
	var parts []string
	for _, s := range stuck(c) {
		parts = append(parts, s.Text)
	}
	if everything && c != nil && c.Succeeded != nil {
		parts = append(parts, strconv.FormatInt(*c.Succeeded, 10)+" delivered")
	}
	return strings.Join(parts, ", ")
}
