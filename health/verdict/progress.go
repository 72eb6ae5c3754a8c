package verdict

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/health"
)

// Mode is how a connection collects, and so what tells that it worked.
type Mode string

// The modes.
const (
	ModeScheduled   Mode = "scheduled"
	ModeManual      Mode = "manual"
	ModeDeferred    Mode = "deferred"
	ModeLocalDevice Mode = "local_device"
)

// ModeInput is what the mode depends on.
type ModeInput struct {
	LocalDeviceBacked      bool             `json:"local_device_backed"`
	Refresh                *health.Refresh  `json:"refresh"`
	Schedule               *health.Schedule `json:"schedule"`
	HasRecoveredDetailGaps bool             `json:"has_recovered_detail_gaps"`
}

// ProgressMode tells how a connection collects.
func ProgressMode(in ModeInput) Mode {
	scheduled := in.Schedule != nil && in.Schedule.Enabled
	switch {
	case in.LocalDeviceBacked:
		return ModeLocalDevice
	case scheduled && in.HasRecoveredDetailGaps:
		return ModeDeferred
	case !scheduled, in.Refresh.ManualOnly():
		return ModeManual
	}
	return ModeScheduled
}

// ProgressEvidence is what is known of a connection's progress. A nil number is
// one that nobody counted.
type ProgressEvidence struct {
	Mode                    Mode           `json:"mode"`
	RecordsCommittedLastRun *int64         `json:"records_committed_last_run"`
	GapsDrainedLastRun      *int64         `json:"gaps_drained_last_run"`
	RetainedRecords         *int64         `json:"retained_records"`
	LastRefreshedAt         health.Instant `json:"last_refreshed_at"`
	ObservedAt              health.Instant `json:"observed_at"`
}

// Progress says whether it worked, by the number that fits how the connection
// collects; the others are null (HL-30).
type Progress struct {
	Mode                    Mode           `json:"mode,omitempty"` // the owner's only
	Headline                string         `json:"headline"`
	HeadlineCode            Code           `json:"headline_code"`
	RecordsCommittedLastRun *int64         `json:"records_committed_last_run"` // scheduled only
	RetainedRecords         *int64         `json:"retained_records"`
	LastRefreshedAt         health.Instant `json:"last_refreshed_at"`
	GapsDrainedLastRun      *int64         `json:"gaps_drained_last_run"` // deferred only
}

// mode is the progress's mode; scheduled without one that is known.
func (in *Input) mode() Mode {
	if p := in.Progress; p != nil && (p.Mode == ModeManual || p.Mode == ModeDeferred || p.Mode == ModeLocalDevice) {
		return p.Mode
	}
	return ModeScheduled
}

func progress(in *Input, d health.Disposition) Progress {
	p := Progress{Mode: in.mode()}
	e := in.Progress
	if e == nil {
		p.say(progressUnknown, "", "")
		return p
	}
	p.RetainedRecords, p.LastRefreshedAt = e.RetainedRecords, e.LastRefreshedAt
	if p.Mode == ModeScheduled {
		p.RecordsCommittedLastRun = e.RecordsCommittedLastRun
		if e.RecordsCommittedLastRun == nil {
			p.say(progressUnknown, "", "")
		} else {
			p.say(progressCommitted, number(e.RecordsCommittedLastRun), "")
		}
		return p
	}
	if p.Mode == ModeDeferred {
		p.GapsDrainedLastRun = e.GapsDrainedLastRun
	}
	drained := p.GapsDrainedLastRun != nil && *p.GapsDrainedLastRun > 0
	refreshed := age(e.LastRefreshedAt, e.ObservedAt)
	switch kept := number(e.RetainedRecords); {
	case drained && kept != "" && d != health.DispositionTerminal:
		p.say(progressDrained, kept, "")
	case kept == "":
		p.say(progressUnknown, "", "")
	case p.Mode == ModeManual && refreshed != "" && d != health.DispositionTerminal:
		p.say(progressManual, kept, refreshed)
	default:
		p.say(progressKept, kept, "")
	}
	return p
}

func (p *Progress) say(l line, n, age string) {
	p.Headline, p.HeadlineCode = l.with(n, age), l.code()
}

// number is a count in digits; "" for one that nobody counted.
func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
