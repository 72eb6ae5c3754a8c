package schedule

import (
	"context"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// HealedElsewhere reports that the circumstances outside the connection on which a
// refusal depends have changed: another module, another configuration.
const HealedElsewhere Healed = "elsewhere"

// elsewhere is a refusal that only another attempt can resolve, with the circumstances
// outside the connection on which it depends. When those change, one attempt is made,
// even if so many have failed that no other is.
type elsewhere struct {
	mark  string // "": unknown, so the present circumstances may differ
	since time.Time
}

// findElsewhere returns the refusal in the newest attempt of the history, newest
// first; nil if there is none. A manual attempt is recorded without a mark, so the
// mark of an earlier attempt with the same refusal is used. If none has a mark, one
// attempt is made: otherwise a connection that was given up would never get a mark.
func findElsewhere(history []Ended) *elsewhere {
	for len(history) > 0 && history[0].Status == StatusCancelled {
		history = history[1:]
	}
	if len(history) == 0 || !history[0].dependsOnCircumstances() {
		return nil
	}
	newest := &history[0]
	for i := range history {
		e := &history[i]
		if e.Status != StatusRefused || e.Class != newest.Class {
			break
		}
		if e.mark != "" {
			return &elsewhere{e.mark, newest.FinishedAt}
		}
	}
	return &elsewhere{"", newest.FinishedAt}
}

// dependsOnCircumstances reports whether the owner may resolve the refusal without changing
// the connection, and no probe checks it.
func (e *Ended) dependsOnCircumstances() bool {
	return e.Status == StatusRefused && OwnersToChange(abi.Code(e.Code)) && e.obstacle() == ""
}

// asWatched returns the refusal as an action of its owner's. A change of circumstances
// alone proves nothing: the refusal holds the connection until a run begins.
func (o *elsewhere) asWatched(now string) Watched {
	return Watched{
		Action: verdict.RequiredAction{
			Kind: verdict.AddInfo, Audience: verdict.AudienceOwner, Urgency: verdict.Now,
			SatisfiedWhen: verdict.SatisfiedWhen{Kind: verdict.AttentionResolved},
		},
		Since: o.since, Version: now, Evidence: Attention(now != "" && now != o.mark), healed: HealedElsewhere,
	}
}

// runsAutomatically reports whether the connection would run automatically without an obstacle.
// A new module, or another host, is not an action of the owner's on this connection,
// so it does not start a connection that its owner runs.
func (f *facts) runsAutomatically() bool {
	return f.setting.Enrolled(f.policy) && Eligible(f.policy, Scheduled, Facts{Paused: f.setting.Paused, Ready: true}).Start
}

func (s *Scheduler) circumstances(ctx context.Context, c storage.Connection) string {
	if s.deps.Rests == nil {
		return ""
	}
	return s.deps.Rests(ctx, c)
}

// refusalIdentity makes two equal refusals two records if a run lies between them, or
// if their circumstances differ.
func refusalIdentity(run, rests string) string {
	if rests == "" {
		return run
	}
	return run + " " + rests
}

// markOf returns the mark in an identity.
func markOf(identity string) string {
	_, rests, _ := strings.Cut(identity, " ")
	return rests
}
