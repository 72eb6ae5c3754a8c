package schedule

import (
	"context"

	"github.com/pdpp-host/pdpp-host/health/stored"
)

// lastRejection returns the newest rejection of the credentials, if no run has
// succeeded since; nil if there is none. A later run that failed for another reason,
// or was refused, is no evidence about them.
func lastRejection(history []Ended) *Obstacle {
	for i := range history {
		switch e := &history[i]; {
		case e.Status == StatusSucceeded:
			return nil
		case e.Status == StatusFailed && e.CredentialsAtFault():
			return &Obstacle{Kind: BadCredentials, Code: e.Code, Since: e.FinishedAt}
		}
	}
	return nil
}

// findRejection looks for a valid rejection of the credentials by a run older than the
// obstacle's. If there is no other obstacle, it becomes the obstacle.
func (s *Scheduler) findRejection(ctx context.Context, f *facts) error {
	o := lastRejection(f.history)
	if o == nil || f.obstacle != nil && *o == *f.obstacle {
		return nil
	}
	e, err := s.deps.Store.EvidenceOf(ctx, f.connection.ID)
	if err != nil || !rejectionStands(e.Facts) {
		return err
	}
	f.rejection = o
	f.nextObstacle()
	return nil
}

// rejectionStands reports whether the evidence still contains a run's rejection of the
// credentials, as the verdict does: no run signed in since. A new credential that no
// run has used is left to a probe, and to a confirming run; if a run has used the new
// one, the rejection does not concern it.
func rejectionStands(f *stored.Facts) bool {
	if f.Rejected == nil {
		return false
	}
	another := f.Credential != nil && f.Credential.PutUS > f.Rejected.AtUS
	return !another || f.Settled == nil || f.Settled.StartedUS <= f.Credential.PutUS
}

// nextObstacle replaces a resolved obstacle by the one behind it.
func (f *facts) nextObstacle() {
	if f.obstacle == nil {
		f.obstacle, f.rejection = f.rejection, nil
	}
}

// removeResolved removes resolved obstacles, and reports whether there were any.
func (f *facts) removeResolved(watched []Watched) (was bool) {
	for i := range watched {
		w := &watched[i]
		if w.of == nil || !w.satisfied() {
			continue
		}
		if was = true; w.of == f.obstacle {
			f.removeObstacle()
		} else {
			f.rejection = nil
		}
	}
	f.nextObstacle()
	return was
}

// removeObstacle removes the obstacle, together with its stored record of waiting. The
// record of a removed credential stays, and so does a later refusal for another
// reason.
func (f *facts) removeObstacle() {
	f.putRight = f.obstacle.Code != CodeSignedOut && (!f.refusalStands() || f.standing.Reason == f.obstacle.Code)
	if f.putRight && f.standing != nil && f.standing.Holds == stored.HeldForOwner {
		f.standing = nil
	}
	f.obstacle = nil
}
