package schedule

import (
	"context"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// HealedElsewhere says that what a refusal rests on, besides its connection, is
// another one: another module, another configuration.
const HealedElsewhere Healed = "elsewhere"

// elsewhere is a refusal that only an attempt can show to be answered, and what it
// rests on outside of the connection. Once that is another, one attempt is worth it,
// also where so many have failed that none is made any more.
type elsewhere struct {
	rests string // "": nobody knows, so that whatever is there now may be another
	since time.Time
}

// findElsewhere returns what the newest of the history, newest first, was refused
// over; nil when it was not. One by hand is kept without a mark: the one before it of
// the same refusal says what was there. Where none does, one attempt finds out: were
// there none, a connection that was given up on would never have a mark.
func findElsewhere(history []Ended) *elsewhere {
	for len(history) > 0 && history[0].Status == StatusCancelled {
		history = history[1:]
	}
	if len(history) == 0 || !history[0].restsElsewhere() {
		return nil
	}
	newest := &history[0]
	for i := range history {
		e := &history[i]
		if e.Status != StatusRefused || e.Class != newest.Class {
			break
		}
		if e.rests != "" {
			return &elsewhere{e.rests, newest.FinishedAt}
		}
	}
	return &elsewhere{"", newest.FinishedAt}
}

// restsElsewhere reports whether it is a refusal that the owner may put right without
// a change of the connection, and that no probe looks at.
func (e *Ended) restsElsewhere() bool {
	return e.Status == StatusRefused && OwnersToChange(abi.Code(e.Code)) && e.obstacle() == ""
}

// watched is the refusal as something of its owner's to do. That what it rests on is
// another one proves nothing: the refusal holds the connection until a run begins.
func (o *elsewhere) watched(now string) Watched {
	return Watched{
		Action: verdict.RequiredAction{
			Kind: verdict.AddInfo, Audience: verdict.AudienceOwner, Urgency: verdict.Now,
			SatisfiedWhen: verdict.SatisfiedWhen{Kind: verdict.AttentionResolved},
		},
		Since: o.since, Version: now, Evidence: Attention(now != "" && now != o.rests), healed: HealedElsewhere,
	}
}

// byItself reports whether the connection would run by itself if nothing were in the
// way. Another module, or another host, is nobody's doing on this connection: unlike
// what its owner does about it, that starts nothing that its owner runs by hand.
func (f *facts) byItself() bool {
	return f.setting.Enrolled(f.policy) && Eligible(f.policy, Scheduled, Facts{Paused: f.setting.Paused, Ready: true}).Start
}

func (s *Scheduler) rests(ctx context.Context, c storage.Connection) string {
	if s.deps.Rests == nil {
		return ""
	}
	return s.deps.Rests(ctx, c)
}

// refusalIdentity makes two refusals of one kind two records where a run lies between
// them, or where they rest on something else.
func refusalIdentity(run, rests string) string {
	if rests == "" {
		return run
	}
	return run + " " + rests
}

// restsOf reads the mark of an identity.
func restsOf(identity string) string {
	_, rests, _ := strings.Cut(identity, " ")
	return rests
}
