package verdict

import "strings"

// GrantScoped is what a client with a grant may see of a verdict, where it may
// see one at all: how collection is, how fresh the data is, and how far each stream
// came. Everything that tells why, what happens next, or what the owner is to do, is
// the owner's: the detail with its conditions and counts, the actions, the sentences
// about them and about the streams, whether the owner is waited for or to be
// interrupted, and how runs come about: a pause changes that, and so do gaps that were
// filled (HL-06.2, HL-19.3, HL-27.4).
func GrantScoped(v RenderedVerdict) RenderedVerdict {
	out := RenderedVerdict{
		Pill: v.Pill, Channel: Calm, Annotations: []Annotation{}, RequiredActions: []RequiredAction{}, Streams: make([]StreamRow, len(v.Streams)),
	}
	for i := range v.Annotations {
		if a := &v.Annotations[i]; a.Kind == kindFreshness {
			out.Annotations = append(out.Annotations, ageAlone(a))
		}
	}
	for i := range v.Streams {
		row := &v.Streams[i]
		out.Streams[i] = StreamRow{StreamID: row.StreamID, Coverage: row.Coverage, Collected: row.Collected, Considered: row.Considered}
	}
	out.Progress.say(progressUnknown, "", "")
	return out
}

// ageAlone is the annotation without what ends the staleness.
func ageAlone(a *Annotation) Annotation {
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
