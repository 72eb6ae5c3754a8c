package verdict

import "github.com/pdpp-host/pdpp-host/health"

// Annotation is a short text beside the pill. None of them carries a count of gaps,
// retries or records (HL-27.3).
type Annotation struct {
	Kind string `json:"kind"` // freshness schedule activity coverage attention outbox
	Code Code   `json:"code"`
	Text string `json:"text"`
}

const kindFreshness = "freshness"

// annotations returns at most one: the freshness of data that is not simply fresh, or
// the last refresh of fresh data beside a pill that is not good (HL-22, HL-23.2).
func annotations(in *Input, d health.Disposition, tone Tone) []Annotation {
	refreshed := in.refreshed()
	var l line
	if in.Snapshot.Axes.Freshness != health.FreshnessFresh && in.empty() {
		return freshness(nothingCollected, "")
	}
	switch in.Snapshot.Axes.Freshness {
	case health.FreshnessFresh:
		if tone != Amber && tone != Red || refreshed == "" {
			return []Annotation{}
		}
		return freshness(lastSuccessfulRefresh, refreshed)
	case health.FreshnessStale:
		l = in.staleLine(d)
	default:
		return freshness(freshnessUnknown, "")
	}
	if refreshed == "" {
		l = ageless[l]
	}
	return freshness(l, refreshed)
}

// empty reports whether nothing was ever collected, so there is no age to report.
func (in *Input) empty() bool {
	p := in.Progress
	return p != nil && p.RetainedRecords != nil && *p.RetainedRecords == 0 && in.Snapshot.LastSuccessAt.IsZero() && p.LastRefreshedAt.IsZero()
}

// staleLine names the event that ends the staleness, unless another problem comes
// first.
func (in *Input) staleLine(d health.Disposition) line {
	switch state := in.Snapshot.State; {
	case d == health.DispositionTerminal, state == health.StateBlocked, state == health.StateNeedsAttention, in.rejected(), in.stalled(), in.coolsDown():
		return staleSince
	case in.Refresh.ManualOnly(), in.scheduleIs(ScheduleManual):
		return staleManual
	case in.scheduleIs(ScheduleActive) && in.RuntimeOK:
		return staleScheduled
	}
	return staleSince
}

// ageless replaces a line about staleness if its beginning is unknown.
var ageless = map[line]line{staleSince: staleUnknownAge, staleManual: staleManualUnknownAge, staleScheduled: staleScheduledUnknownAge}

func freshness(l line, age string) []Annotation {
	return []Annotation{{Kind: kindFreshness, Code: l.code(), Text: l.fill(age)}}
}
