package view

import (
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Standing is what a fleet counts of one verdict. It is comparable, so that
// whoever keeps many connections can count equal ones without their verdicts.
type Standing struct {
	Tone    verdict.Tone
	Channel verdict.Channel
	Stalled bool // a device's saved records do not come in
	Records bool // the connection has records that are kept
}

// StandingOf returns what a fleet counts of a verdict.
func StandingOf(v *verdict.RenderedVerdict) Standing {
	s := Standing{Tone: v.Pill.Tone, Channel: v.Channel}
	s.Stalled = v.Detail != nil && v.Detail.Axes.Outbox == health.OutboxStalled
	s.Records = v.Progress.RetainedRecords != nil && *v.Progress.RetainedRecords > 0
	return s
}
