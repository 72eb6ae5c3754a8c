package verdict

// Channel says whether a connection interrupts its owner. It follows from the
// actions alone: nothing else decides it, and no surface decides it again
// (HL-29).
type Channel string

// The channels, the quietest first.
const (
	Calm      Channel = "calm"
	Advisory  Channel = "advisory"
	Attention Channel = "attention"
)

// channel is the loudest that an action calls for. While the runtime is at
// fault nothing interrupts: it is one fault and not one for each connection
// (HL-28).
func channel(actions []RequiredAction, runtimeOK bool) Channel {
	loudest := Calm
	if !runtimeOK {
		return loudest
	}
	for i := range actions {
		switch a := &actions[i]; {
		case a.Audience == AudienceNone:
		case a.OwnerSatisfiable() && (a.Urgency == Now || a.Urgency == Overdue):
			return Attention
		default:
			loudest = Advisory
		}
	}
	return loudest
}

// ShouldPush reports whether the owner is sent a notification: only for what
// interrupts, and only when the first thing to do is theirs (HL-29).
func ShouldPush(v RenderedVerdict) bool {
	return v.Channel == Attention && len(v.RequiredActions) > 0 && v.RequiredActions[0].OwnerSatisfiable()
}
