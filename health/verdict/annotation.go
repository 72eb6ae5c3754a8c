package verdict

import "github.com/pdpp-host/pdpp-host/health"

// Annotation stands beside the pill. No annotation of this package carries a
// count of gaps, retries or records (HL-27.3).
type Annotation struct {
	Kind string `json:"kind"` // freshness schedule activity coverage attention outbox
	Code Code   `json:"code"`
	Text string `json:"text"`
}

const kindFreshness = "freshness"

// annotations returns at most one: how fresh the data is, wherever that is not
// simply fresh, and when it was last refreshed where fresh data stands beside a
// pill that is not good (HL-22, HL-23.2).
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

// empty reports whether nothing was ever collected: there is no age to speak of.
func (in *Input) empty() bool {
	p := in.Progress
	return p != nil && p.RetainedRecords != nil && *p.RetainedRecords == 0 && in.Snapshot.LastSuccessAt.IsZero() && p.LastRefreshedAt.IsZero()
}

// staleLine says what ends the staleness, unless something else has to be
// mended first.
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

// ageless is what is said of staleness when nobody knows since when.
var ageless = map[line]line{staleSince: staleUnknownAge, staleManual: staleManualUnknownAge, staleScheduled: staleScheduledUnknownAge}

func freshness(l line, age string) []Annotation {
	return []Annotation{{Kind: kindFreshness, Code: l.code(), Text: l.with(age)}}
}
