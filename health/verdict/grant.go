package verdict

// GrantScoped is what a client with a grant may see of a verdict, where it may
// see one at all: how collection is, and how far each stream came. Everything
// that tells why, or what the owner is to do, is the owner's: the detail with
// its conditions and counts, the actions, the sentences about them, and whether
// the owner is to be interrupted (HL-06.2, HL-19.3, HL-27.4).
func GrantScoped(v RenderedVerdict) RenderedVerdict {
	out := RenderedVerdict{
		Pill: v.Pill, Channel: Calm, Annotations: append([]Annotation{}, v.Annotations...), RequiredActions: []RequiredAction{},
		Streams: append([]StreamRow{}, v.Streams...),
	}
	for i := range out.Streams {
		out.Streams[i].ActionRef = nil
	}
	out.Progress.Mode = v.Progress.Mode
	out.Progress.say(progressUnknown, "", "")
	return out
}
