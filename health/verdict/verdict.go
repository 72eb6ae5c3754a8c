package verdict

import "github.com/pdpp-host/pdpp-host/health"

// Pill is how collection is, told worst first.
type Pill struct {
	Tone  Tone   `json:"tone"`
	Label string `json:"label"`
}

// RenderedVerdict is the one health object that an owner's surfaces render.
// They read its fields and compute nothing. Codes beside texts say which
// sentence a text is.
type RenderedVerdict struct {
	Pill             Pill             `json:"pill"`
	Channel          Channel          `json:"channel"`
	Annotations      []Annotation     `json:"annotations"`
	ForwardStatement string           `json:"forward_statement"`
	ForwardCode      Code             `json:"forward_code"`
	RequiredActions  []RequiredAction `json:"required_actions"` // the first is the primary one
	Streams          []StreamRow      `json:"streams"`
	Progress         Progress         `json:"progress"`
	Cause            *Cause           `json:"cause,omitempty"`  // what keeps it from being collected; the owner's only
	Detail           *Detail          `json:"detail,omitempty"` // the owner's only
}

// Synthesize makes the verdict of one connection. It is pure: equal input gives
// deeply equal verdicts (HL-21.2). A verdict that would break one of its own
// invariants is never returned: see Violation.
func Synthesize(in Input) RenderedVerdict {
	v := render(&in)
	if broken := check(&in, &v); len(broken) > 0 {
		return withheld(&in, &v, broken)
	}
	return v
}

// render makes the verdict: tone, then actions, then the channel from the
// actions alone, then what is said about them.
func render(in *Input) RenderedVerdict {
	streams := rows(in)
	d := disposition(in, streams)
	tone := pillTone(in, d)
	actions := requiredActions(in, streams, d, tone)
	refer(streams, actions)
	forward := forwardLine(in, d, tone, actions)
	return RenderedVerdict{
		Pill: Pill{tone, tone.Label()}, Channel: channel(actions, in.RuntimeOK), Annotations: annotations(in, d, tone),
		ForwardStatement: forward.with(in.place(forward)), Cause: in.renderedCause(), ForwardCode: forward.code(), RequiredActions: actions, Streams: streams,
		Progress: progress(in, d), Detail: detail(in, d, actions),
	}
}

// dispositionOrder is which disposition speaks for a connection, the worst
// first.
var dispositionOrder = [...]health.Disposition{
	health.DispositionTerminal, health.DispositionAwaitingOwner, health.DispositionResumable, health.DispositionChecking,
	health.DispositionOwnerRefreshDue, health.DispositionComplete,
}

func dispositionRank(d health.Disposition) int {
	for i, known := range dispositionOrder {
		if d == known {
			return len(dispositionOrder) - i
		}
	}
	return dispositionRank(health.DispositionChecking) // what cannot be read is being determined
}

// disposition is the connection's: the snapshot's, or that of a required stream
// that is worse.
func disposition(in *Input, streams []StreamRow) health.Disposition {
	worst := in.Snapshot.ForwardDisposition
	for i := range streams {
		if d := streams[i].Disposition; in.Streams[i].Priority.required() && dispositionRank(d) > dispositionRank(worst) {
			worst = d
		}
	}
	return dispositionOrder[len(dispositionOrder)-dispositionRank(worst)]
}
