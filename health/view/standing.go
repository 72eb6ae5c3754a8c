package view

import (
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Standing is the part of a verdict that a fleet counts. It is comparable, so equal
// standings of many connections can be counted without their verdicts.
type Standing struct {
	Tone    verdict.Tone
	Channel verdict.Channel
	Stalled bool // a device's saved records do not arrive
	Records bool // the connection has stored records
}

// StandingOf returns the standing of a verdict.
func StandingOf(v *verdict.RenderedVerdict) Standing {
	s := Standing{Tone: v.Pill.Tone, Channel: v.Channel}
	s.Stalled = v.Detail != nil && v.Detail.Axes.Outbox == health.OutboxStalled
	s.Records = v.Progress.RetainedRecords != nil && *v.Progress.RetainedRecords > 0
	return s
}
