package owner_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// still is a page that nothing happens on.
type still struct{}

func (still) State() (handoff.State, <-chan struct{}) { return handoff.State{}, nil }
func (still) Cast(context.Context, int, func([]byte, func())) (stop func(), err error) {
	return func() {}, nil
}
func (still) Do(context.Context, handoff.Event) error { return nil }
func (still) Ended() <-chan struct{}                  { return nil }
func (still) Outcome() string                         { return "" }

// An owner is at what a run asks for while they look at its page (BR-15).
func TestAttended(t *testing.T) {
	t.Parallel()
	r := handoff.New(time.Now, rand.Reader)
	o := owner.New(owner.Deps{Handoffs: r})
	h := r.Open(handoff.Opening{ID: "q_1", RunID: "run_1"}, still{})
	mine, other := &stored.Run{ID: "run_1"}, &stored.Run{ID: "run_2"}
	if o.Attended(mine) || o.Attended(nil) || owner.New(owner.Deps{}).Attended(mine) {
		t.Error("got an owner who is there, want none so far")
	}
	token, err := r.Attach("q_1", "ana")
	if err != nil {
		t.Fatal(err)
	}
	looks, gone := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(gone)
		_ = r.View(t.Context(), "q_1", "ana", token, func(byte, []byte) error {
			select {
			case looks <- struct{}{}:
			default:
			}
			return nil
		})
	}()
	<-looks
	if !o.Attended(mine) || o.Attended(other) {
		t.Errorf("got %v and %v, want the owner at the one run", o.Attended(mine), o.Attended(other))
	}
	h.End(handoff.OutcomeDone)
	<-gone
	if o.Attended(mine) {
		t.Error("got the owner there after the end, want them gone")
	}
}
