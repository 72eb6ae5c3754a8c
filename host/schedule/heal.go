package schedule

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Watched is an action of the owner's, with the evidence that shows whether it was
// done.
type Watched struct {
	Action   verdict.RequiredAction
	Since    time.Time // when the action appeared; only later evidence counts
	Evidence verdict.SatisfactionEvidence
	Version  string // version of the evidence: the same one never counts twice

	of     *Obstacle // the connection's obstacle; nil: none
	healed Healed
}

// Healed is the owner's action: ending the pause, or resolving an obstacle, in which
// case it is the obstacle's kind.
type Healed string

// HealedPause reports that the schedule was resumed.
const HealedPause Healed = "pause"

// identity identifies one appearance of the action: the same need at a later time is
// another one.
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

// wantsRun reports whether a run has to confirm the action once it is done. An action
// that only a run can satisfy is already confirmed by that run.
func (w *Watched) wantsRun() bool {
	switch w.Action.SatisfiedWhen.Kind {
	case verdict.CredentialPresentAndUnrejected, verdict.ScheduleAttachedAndEnabled, verdict.AttentionResolved:
		return true
	}
	return false
}

// Claims stores which confirming runs are owed.
type Claims interface {
	// ClaimConfirmation records that a confirming run of the connection is owed, and
	// reports whether that is new. It is new once for each (connection, action,
	// version), however often it is claimed.
	ClaimConfirmation(ctx context.Context, connectionID, action, version string) (bool, error)
}

// Heal examines a connection's actions and claims a confirming run for each one that
// was done, once (HL-26). It starts nothing and changes no health evidence: the
// connection's health stays as it is until that run has ended (HL-26.2). It returns
// the number of new claims.
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

// SignedIn claims a confirming run of a connection at whose site its owner has signed in at a moment,
// where something waited for that. Any process may claim it.
func SignedIn(ctx context.Context, claims Claims, connectionID string, at time.Time) error {
	_, err := claims.ClaimConfirmation(ctx, connectionID, storage.SignedInByHand, strconv.FormatInt(at.UnixMicro(), 10))
	return err
}

// removeSignIn removes what waited for an owner who has signed in at a moment, and reports whether
// anything did.
func (f *facts) removeSignIn(at time.Time) (removed bool) {
	for _, o := range []**Obstacle{&f.obstacle, &f.rejection} {
		if *o != nil && ((*o).Kind == OwnersTurn || (*o).Kind == BadCredentials) && (*o).Since.Before(at) {
			*o, removed = nil, true
		}
	}
	return removed
}
