package verdict

// Channel defines whether a connection interrupts its owner. It follows from the
// actions alone; no other rule and no surface decides it (HL-29).
type Channel string

// The channels, the quietest first.
const (
	Calm      Channel = "calm"
	Advisory  Channel = "advisory"
	Attention Channel = "attention"
)

// channel returns the loudest channel that an action requires. A fault of the runtime
// interrupts nobody: it is one fault and not one for each connection (HL-28).
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

// ShouldPush reports whether the owner gets a notification: only for an interrupting
// verdict whose first action is the owner's (HL-29).
func ShouldPush(v RenderedVerdict) bool {
	return v.Channel == Attention && len(v.RequiredActions) > 0 && v.RequiredActions[0].OwnerSatisfiable()
}
