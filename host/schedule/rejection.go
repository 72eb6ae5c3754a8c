package schedule

import (
	"context"

	"github.com/pdpp-host/pdpp-host/health"
)

// lastRejection returns what the newest run that was rejected says against the
// credentials, where none has succeeded since; nil where none has said anything. What
// failed over something else since, or was refused, says nothing of them.
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

// findRejection looks for what an older run than the obstacle's said against the
// credentials, as long as that stands. Where nothing else is in the way, it is.
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

// rejectionStands reports whether the evidence still has what a run said against the
// credentials, as the verdict does: no run got in since. Another credential that no run
// has used is for a probe to see, and for a run to confirm; with one that a run has
// used, nothing was said against those that there are.
func rejectionStands(f *health.Stored) bool {
	if f.Rejected == nil {
		return false
	}
	another := f.Credential != nil && f.Credential.PutUS > f.Rejected.AtUS
	return !another || f.Settled == nil || f.Settled.StartedUS <= f.Credential.PutUS
}

// nextObstacle puts what is behind an obstacle in the place of one that is gone.
func (f *facts) nextObstacle() {
	if f.obstacle == nil {
		f.obstacle, f.rejection = f.rejection, nil
	}
}

// passed takes away what was put right, and reports whether that was anything.
func (f *facts) passed(watched []Watched) (was bool) {
	for i := range watched {
		w := &watched[i]
		if w.of == nil || !w.satisfied() {
			continue
		}
		if was = true; w.of == f.obstacle {
			f.passObstacle()
		} else {
			f.rejection = nil
		}
	}
	f.nextObstacle()
	return was
}

// passObstacle takes the obstacle away, and with it what is kept of waiting for it.
// Of a credential that was taken away nothing is, and of one that was rejected no
// refusal that came later.
func (f *facts) passObstacle() {
	f.putRight = f.obstacle.Code != CodeSignedOut && (!f.refusalStands() || f.standing.Reason == f.obstacle.Code)
	if f.putRight && f.standing != nil && f.standing.Holds == health.HeldForOwner {
		f.standing = nil
	}
	f.obstacle = nil
}
