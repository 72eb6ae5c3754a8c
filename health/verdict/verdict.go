package verdict

import "github.com/pdpp-host/pdpp-host/health"

// Pill is the overall state, worst first.
type Pill struct {
	Tone  Tone   `json:"tone"`
	Label string `json:"label"`
}

// RenderedVerdict is the one health object that an owner's surfaces render. They read
// its fields and compute nothing. A code beside a text identifies the sentence.
type RenderedVerdict struct {
	Pill             Pill             `json:"pill"`
	Channel          Channel          `json:"channel"`
	Annotations      []Annotation     `json:"annotations"`
	ForwardStatement string           `json:"forward_statement"`
	ForwardCode      Code             `json:"forward_code"`
	RequiredActions  []RequiredAction `json:"required_actions"` // the first is the primary one
	Streams          []StreamRow      `json:"streams"`
	Progress         Progress         `json:"progress"`
	Cause            *Cause           `json:"cause,omitempty"`  // what prevents collection; the owner's only
	Detail           *Detail          `json:"detail,omitempty"` // the owner's only
}

// Synthesize returns the verdict of one connection. It is pure: equal input gives
// deeply equal verdicts (HL-21.2). It never returns a verdict that breaks one of its
// own invariants: see Violation.
func Synthesize(in Input) RenderedVerdict {
	v := render(&in)
	if broken := check(&in, &v); len(broken) > 0 {
		return withheld(&in, &v, broken)
	}
	return v
}

// render builds the verdict: tone, then actions, then the channel from the actions
// alone, then the sentences.
func render(in *Input) RenderedVerdict {
	streams := rows(in)
	d := disposition(in, streams)
	tone := pillTone(in, d)
	actions := requiredActions(in, streams, d, tone)
	linkActions(streams, actions)
	forward := forwardLine(in, d, tone, actions)
	return RenderedVerdict{
		Pill: Pill{tone, tone.Label()}, Channel: channel(actions, in.RuntimeOK), Annotations: annotations(in, d, tone),
		ForwardStatement: in.say(forward), Cause: in.renderedCause(actions), ForwardCode: forward.code(), RequiredActions: actions, Streams: streams,
		Progress: progress(in, d), Detail: detail(in, d, actions),
	}
}

// dispositionOrder is the precedence of dispositions for a connection, the worst
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
	return dispositionRank(health.DispositionChecking) // an unreadable disposition is still being determined
}

// disposition returns the connection's disposition: the snapshot's, or that of a
// required stream if it is worse.
func disposition(in *Input, streams []StreamRow) health.Disposition {
	worst := in.Snapshot.ForwardDisposition
	for i := range streams {
		if d := streams[i].Disposition; in.Streams[i].Priority.required() && dispositionRank(d) > dispositionRank(worst) {
			worst = d
		}
	}
	return dispositionOrder[len(dispositionOrder)-dispositionRank(worst)]
}
