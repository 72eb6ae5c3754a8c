package run

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// OC-18.3: a limit counts no rest, and none that goes on.
func TestALimitDoesNotCountRests(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	synctest.Test(t, func(t *testing.T) {
		r := &rest{now: time.Now}
		began := time.Now()
		ctx, end := r.within(t.Context(), 10*time.Second, over)
		defer end()
		time.Sleep(9999 * time.Millisecond)
		r.begin()
		time.Sleep(time.Hour)
		if err := context.Cause(ctx); err != nil {
			t.Errorf("while it rests: got %v, want that it goes on", err)
		}
		r.end()
		<-ctx.Done()
		if got, want := time.Since(began), 10*time.Second+time.Hour; got < want || got > want+restLook {
			t.Errorf("got the end after %s, want it after %s", got, want)
		}
		if got := context.Cause(ctx); !errors.Is(got, over) {
			t.Errorf("got the cause %v, want %v", got, over)
		}
	})
}

// OC-18.3: a run goes on that waited for its owner for longer than it may take, and one
// that waits for its credentials, which no time-out of their question bounds, does not.
func TestARunRestsWhileItsOwnerIsAsked(t *testing.T) {
	t.Parallel()
	const limit = 10 * time.Second // the run's own time, which a busy machine needs
	for _, tc := range []struct {
		kind string
		goes bool
	}{{abi.InteractionOTP, true}, {abi.InteractionMissingCredentials, false}} {
		t.Run(tc.kind, func(t *testing.T) {
			t.Parallel()
			var cut atomic.Bool // the wait was, by the run's limit
			h := newHost(t, setup{asker: answers(func(ctx context.Context, _ abi.Interaction) (abi.InteractionResponse, error) {
				wait := time.NewTimer(limit + time.Second)
				defer wait.Stop()
				select {
				case <-wait.C:
				case <-ctx.Done():
					cut.Store(true)
				}
				return abi.InteractionResponse{Status: abi.ResponseSuccess}, nil
			})})
			if !tc.goes {
				h.file = declaring(t, h.file)
			}
			h.succeed(done(0)) // the guest is compiled
			res := h.mustPlay(ask(tc.kind)+done(0), func(r *Request) { r.Timeout = limit })
			if cut.Load() == tc.goes || tc.goes && res.Status != StatusSucceeded {
				t.Errorf("got %s %s, cut %t, want that it goes on: %t", res.Status, res.Reason, cut.Load(), tc.goes)
			}
		})
	}
}
