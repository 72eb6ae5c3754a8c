package verdict

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/health"
)

// Mode is how a connection collects, which determines the evidence of success.
type Mode string

// The modes.
const (
	ModeScheduled   Mode = "scheduled"
	ModeManual      Mode = "manual"
	ModeDeferred    Mode = "deferred"
	ModeLocalDevice Mode = "local_device"
)

// ModeInput holds the inputs of the mode.
type ModeInput struct {
	LocalDeviceBacked      bool             `json:"local_device_backed"`
	Refresh                *health.Refresh  `json:"refresh"`
	Schedule               *health.Schedule `json:"schedule"`
	HasRecoveredDetailGaps bool             `json:"has_recovered_detail_gaps"`
}

// ProgressMode returns how a connection collects.
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

// ProgressEvidence is the evidence about a connection's progress. A nil number was not
// counted.
type ProgressEvidence struct {
	Mode                    Mode           `json:"mode"`
	RecordsCommittedLastRun *int64         `json:"records_committed_last_run"`
	GapsDrainedLastRun      *int64         `json:"gaps_drained_last_run"`
	RetainedRecords         *int64         `json:"retained_records"`
	LastRefreshedAt         health.Instant `json:"last_refreshed_at"`
	ObservedAt              health.Instant `json:"observed_at"`
}

// Progress reports success by the number that fits how the connection collects; the
// others are null (HL-30).
type Progress struct {
	Mode                    Mode           `json:"mode,omitempty"` // the owner's only
	Headline                string         `json:"headline"`
	HeadlineCode            Code           `json:"headline_code"`
	RecordsCommittedLastRun *int64         `json:"records_committed_last_run"` // scheduled only
	RetainedRecords         *int64         `json:"retained_records"`
	LastRefreshedAt         health.Instant `json:"last_refreshed_at"`
	GapsDrainedLastRun      *int64         `json:"gaps_drained_last_run"` // deferred only
	// LastSuccessAt is when a run last succeeded, whether it covered everything or not.
	LastSuccessAt health.Instant `json:"last_success_at,omitzero"`
}

// mode returns the progress's mode; scheduled if it is unknown.
func (in *Input) mode() Mode {
	if p := in.Progress; p != nil && (p.Mode == ModeManual || p.Mode == ModeDeferred || p.Mode == ModeLocalDevice) {
		return p.Mode
	}
	return ModeScheduled
}

func progress(in *Input, d health.Disposition) Progress {
	p := Progress{Mode: in.mode(), LastSuccessAt: in.Snapshot.LastSuccessAt}
	e := in.Progress
	if e == nil {
		p.setHeadline(progressUnknown, "", "")
		return p
	}
	p.RetainedRecords, p.LastRefreshedAt = e.RetainedRecords, e.LastRefreshedAt
	if p.Mode == ModeScheduled {
		p.RecordsCommittedLastRun = e.RecordsCommittedLastRun
		if e.RecordsCommittedLastRun == nil {
			p.setHeadline(progressUnknown, "", "")
		} else {
			p.setHeadline(progressCommitted, countText(e.RecordsCommittedLastRun), "")
		}
		return p
	}
	if p.Mode == ModeDeferred {
		p.GapsDrainedLastRun = e.GapsDrainedLastRun
	}
	drained := p.GapsDrainedLastRun != nil && *p.GapsDrainedLastRun > 0
	refreshed := age(e.LastRefreshedAt, e.ObservedAt)
	switch kept := countText(e.RetainedRecords); {
	case drained && kept != "" && d != health.DispositionTerminal:
		p.setHeadline(progressDrained, kept, "")
	case kept == "":
		p.setHeadline(progressUnknown, "", "")
	case p.Mode == ModeManual && refreshed != "" && d != health.DispositionTerminal:
		p.setHeadline(progressManual, kept, refreshed)
	default:
		p.setHeadline(progressKept, kept, "")
	}
	return p
}

func (p *Progress) setHeadline(l line, n, age string) {
	p.Headline, p.HeadlineCode = l.fill(n, age), l.code()
}

// countText returns a count in digits; "" if it was not counted.
func countText(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
