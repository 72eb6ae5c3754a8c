package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Watched is an action of the owner's, with the evidence that shows whether it
// was done.
type Watched struct {
	Action   verdict.RequiredAction
	Since    time.Time // when the action appeared; evidence is bound to it
	Evidence verdict.SatisfactionEvidence
	Version  string // of the evidence: the same one never counts twice

	of     *Obstacle // of the connection; nil: it is of none
	healed Healed
}

// Healed says what its owner did: ended the pause, or something about an
// obstacle, whose kind it is then.
type Healed string

// HealedPause says that the schedule was resumed.
const HealedPause Healed = "pause"

// identity names the action as it appeared then: the same need, come again
// later, is another one.
func (w *Watched) identity() string {
	affects := slices.Sorted(slices.Values(w.Action.Affects))
	return fmt.Sprintf("%s|%s|%s|%d", w.Action.Kind, w.Action.SatisfiedWhen.Kind, strings.Join(affects, ","), w.Since.UnixMicro())
}

// satisfied reports whether the evidence shows that the action was done.
func (w *Watched) satisfied() bool {
	e := w.Evidence
	e.Since = health.At(w.Since)
	return w.Action.OwnerSatisfiable() && verdict.Satisfied(w.Action, e)
}

// wantsRun reports whether a run has to confirm the action once it is done. What
// only a run can satisfy is confirmed already by the run that did.
func (w *Watched) wantsRun() bool {
	switch w.Action.SatisfiedWhen.Kind {
	case verdict.CredentialPresentAndUnrejected, verdict.ScheduleAttachedAndEnabled, verdict.AttentionResolved:
		return true
	}
	return false
}

// Claims keeps which confirming runs are owed.
type Claims interface {
	// ClaimConfirmation keeps that a confirming run of the connection is owed, and
	// reports whether that is new. For one (connection, action, version) it is
	// new once, whoever asks and however often.
	ClaimConfirmation(ctx context.Context, connectionID, action, version string) (bool, error)
}

// Heal looks at a connection's actions and owes it a confirming run for each one
// that was done, once (HL-26). It starts nothing and changes nothing that health
// is made of: until that run has ended, the connection is as unwell as before
// (HL-26.2). It returns how many became owed by this call.
func Heal(ctx context.Context, claims Claims, connectionID string, watched []Watched) (owed int, err error) {
	for i := range watched {
		w := &watched[i]
		if !w.wantsRun() || !w.satisfied() {
			continue
		}
		fresh, err := claims.ClaimConfirmation(ctx, connectionID, w.identity(), w.Version)
		if err != nil {
			return owed, err
		}
		if fresh {
			owed++
		}
	}
	return owed, nil
}
