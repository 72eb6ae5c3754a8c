package verdict

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// StreamRow is a verdict's statement about one stream. A client with a grant sees the
// fields that are not omitted when empty.
type StreamRow struct {
	StreamID    string              `json:"stream_id"`
	Coverage    health.CoverageAxis `json:"coverage"`
	Disposition health.Disposition  `json:"disposition,omitempty"`
	Collected   *int64              `json:"collected"`
	Considered  *int64              `json:"considered"`
	ActionRef   *int                `json:"action_ref"` // index into the required actions
	Statement   string              `json:"statement,omitempty"`
	Code        Code                `json:"code,omitempty"`
}

// rows returns one row for each stream, in the order of the input.
func rows(in *Input) []StreamRow {
	out := make([]StreamRow, len(in.Streams))
	for i := range in.Streams {
		s := &in.Streams[i]
		accepted := s.Priority == AcceptedAbsence
		d := health.ForwardDisposition(health.DispositionInput{
			Coverage: s.Coverage, Freshness: in.Snapshot.Axes.Freshness, AttentionOpen: s.AttentionOpen,
			GapRetryable: s.GapRetryable, Accepted: accepted, Refresh: in.Refresh,
		})
		l := in.checking(rowLine(d, s.Coverage))
		switch {
		case l == forwardResumable && s.Flawed:
			l = rowFlawed
		case l == forwardResumable && s.Stays:
			l = forwardStays
		case l == forwardResumable && in.cause() != nil:
			l = rowPartial
		case l == rowComplete && s.Gone:
			l = rowGone
		}
		out[i] = StreamRow{
			StreamID: s.StreamID, Coverage: s.Coverage, Disposition: d, Collected: clamped(s), Considered: s.Considered,
			Statement: l.text(), Code: l.code(),
		}
	}
	return out
}

// clamped returns the number of collected items, at most the number considered
// (HL-22.4).
func clamped(s *StreamRollup) *int64 {
	if s.Collected != nil && s.Considered != nil && *s.Collected > *s.Considered {
		return s.Considered
	}
	return s.Collected
}

// rowLine returns the meaning of a disposition for one stream.
func rowLine(d health.Disposition, coverage health.CoverageAxis) line {
	switch d {
	case health.DispositionTerminal:
		return rowTerminal
	case health.DispositionChecking:
		return forwardChecking
	case health.DispositionResumable:
		if coverage == health.CoveragePartial {
			return rowPartial // a run failed, which does not prove that data is missing
		}
		return forwardResumable
	case health.DispositionAwaitingOwner:
		return forwardAwaitingOwner
	case health.DispositionOwnerRefreshDue:
		return forwardRefreshDue
	}
	if coverage.Accepted() {
		return rowAbsent
	}
	return rowComplete
}

// linkActions points each row at the action about it: the first that names it or, if
// something is missing, the owner's first for the connection.
func linkActions(streams []StreamRow, actions []RequiredAction) {
	index := make([]int, len(actions))
	for i := range index {
		index[i] = i
	}
	for i := range streams {
		row := &streams[i]
		for j := range actions {
			if slices.Contains(actions[j].Affects, row.StreamID) {
				row.ActionRef = &index[j]
				break
			}
		}
		if row.ActionRef != nil || row.Disposition == health.DispositionComplete {
			continue
		}
		for j := range actions {
			if a := &actions[j]; a.Audience == AudienceOwner && len(a.Affects) == 0 {
				row.ActionRef = &index[j]
				break
			}
		}
	}
}

// withDisposition returns the streams with disposition d, for an action's affects.
func withDisposition(streams []StreamRow, d health.Disposition) []string {
	ids := []string{}
	for i := range streams {
		if streams[i].Disposition == d {
			ids = append(ids, streams[i].StreamID)
		}
	}
	return ids
}
