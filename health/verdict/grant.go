package verdict

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/health"
)

// ForStreams returns what GrantScoped leaves of a verdict, for a client that sees some of the streams.
// The pill shows their coverage alone, and no other stream, no outbox and nothing that waits for the
// owner. How much of a stream was collected counts records that a grant may not show, and is left out.
func ForStreams(v RenderedVerdict, sees func(stream string) bool) RenderedVerdict {
	out := GrantScoped(v)
	kept, tone := []StreamRow{}, Green
	for i := range v.Streams {
		row := &v.Streams[i]
		if !sees(row.StreamID) {
			continue
		}
		kept = append(kept, StreamRow{StreamID: row.StreamID, Coverage: row.Coverage})
		// The tone leaves out a stream that the source is known not to have.
		if absent := row.Disposition == health.DispositionComplete || row.Disposition == health.DispositionOwnerRefreshDue; !absent || !row.Coverage.Accepted() {
			tone = worse(tone, coverageTone(row.Coverage))
		}
	}
	if len(kept) == 0 {
		tone = Grey
	}
	out.Streams, out.Pill = kept, Pill{tone, tone.Label()}
	return out
}

// GrantScoped returns the part of a verdict that a client with a grant may see, if it
// may see one at all: the state of the collection, the freshness of the data, and the
// progress of each stream. Every explanation, prediction and request is the owner's:
// the detail with its conditions and counts, the actions, the sentences about them and
// about the streams, and whether the owner is waited for or interrupted. So is how
// runs start, since a pause and filled gaps would show in it (HL-06.2, HL-19.3,
// HL-27.4).
func GrantScoped(v RenderedVerdict) RenderedVerdict {
	out := RenderedVerdict{
		Pill: v.Pill, Channel: Calm, Annotations: []Annotation{}, RequiredActions: []RequiredAction{}, Streams: make([]StreamRow, len(v.Streams)),
	}
	for i := range v.Annotations {
		if a := &v.Annotations[i]; a.Kind == kindFreshness {
			out.Annotations = append(out.Annotations, withoutRemedy(a))
		}
	}
	for i := range v.Streams {
		row := &v.Streams[i]
		out.Streams[i] = StreamRow{StreamID: row.StreamID, Coverage: row.Coverage, Collected: row.Collected, Considered: row.Considered}
	}
	out.Progress.setHeadline(progressUnknown, "", "")
	return out
}

// withoutRemedy returns the annotation without the event that ends the staleness.
func withoutRemedy(a *Annotation) Annotation {
	switch l := lines[a.Code]; l {
	case staleManual, staleScheduled:
		before, after, _ := strings.Cut(l.text(), "%")
		age := strings.TrimSuffix(strings.TrimPrefix(a.Text, before), after)
		return freshness(staleSince, age)[0]
	case staleManualUnknownAge, staleScheduledUnknownAge:
		return freshness(staleUnknownAge, "")[0]
	}
	return *a
}
