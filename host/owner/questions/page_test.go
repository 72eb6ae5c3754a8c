package questions

import (
	"context"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// surface is a page of a test's own, which ends when it is told to.
type surface struct{ ended chan struct{} }

func (surface) State() (handoff.State, <-chan struct{}) {
	return handoff.State{Host: "shop.example"}, nil
}
func (surface) Cast(context.Context, int, func([]byte, func())) (stop func(), err error) {
	return func() {}, nil
}
func (surface) Do(context.Context, handoff.Event) error { return nil }
func (s surface) Ended() <-chan struct{}                { return s.ended }
func (surface) Outcome() string                         { return handoff.OutcomeLost }

// A question and the page that it is about end together, whichever ends first (BR-15, OC-18): the
// page by what happens there, or the question by an answer, its time or its run.
func TestAskOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do      func(w *world, r *handoff.Registry, s surface, id string, cancel context.CancelFunc)
		status  string // that the run is told
		state   string // of the question
		outcome string // of the page
	}{
		"done on the page": {func(w *world, r *handoff.Registry, _ surface, id string, _ context.CancelFunc) {
			w.acts(r, id, handoff.Done)
		}, abi.ResponseSuccess, storage.QuestionAnswered, handoff.OutcomeDone},
		"given up on the page": {func(w *world, r *handoff.Registry, _ surface, id string, _ context.CancelFunc) {
			w.acts(r, id, handoff.Cannot)
		}, abi.ResponseCancelled, storage.QuestionDeclined, handoff.OutcomeCancelled},
		"the browser is gone": {func(_ *world, _ *handoff.Registry, s surface, _ string, _ context.CancelFunc) {
			close(s.ended)
		}, abi.ResponseCancelled, storage.QuestionLost, handoff.OutcomeLost},
		"answered": {func(w *world, _ *handoff.Registry, _ surface, id string, _ context.CancelFunc) {
			if _, err := Answer(w.Context(), w.face(owner.CommandLine), Given{ID: id}); err != nil {
				w.Errorf("answering: got %v, want it taken", err)
			}
		}, abi.ResponseSuccess, storage.QuestionAnswered, handoff.OutcomeDone},
		"declined": {func(w *world, _ *handoff.Registry, _ surface, id string, _ context.CancelFunc) {
			if _, err := Decline(w.Context(), w.face(owner.CommandLine), id); err != nil {
				w.Errorf("declining: got %v, want it taken", err)
			}
		}, abi.ResponseCancelled, storage.QuestionDeclined, handoff.OutcomeCancelled},
		"the run is cancelled": {func(_ *world, _ *handoff.Registry, _ surface, _ string, cancel context.CancelFunc) {
			cancel()
		}, abi.ResponseCancelled, storage.QuestionLost, handoff.OutcomeCancelled},
		"in time": {func(_ *world, _ *handoff.Registry, _ surface, _ string, over context.CancelFunc) { over() }, abi.ResponseTimeout, storage.QuestionTimedOut, handoff.OutcomeTimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			o := w.face(owner.CommandLine)
			o.Handoffs = handoff.New(time.Now, o.Random)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.outcome == handoff.OutcomeTimedOut {
				ctx, cancel = timed(ctx)
			}
			waiting, s := make(chan bool, 2), surface{make(chan struct{})}
			p := Park(o, w.store, func(yes bool) { waiting <- yes })
			p.Began(w.run)
			told := make(chan abi.InteractionResponse, 1)
			go func() {
				in := abi.Interaction{Kind: abi.InteractionManualAction, Message: "hold it", Browser: &abi.Handoff{Reason: abi.HandoffCaptcha}}
				resp, err := p.AskOn(ctx, in, s)
				if err != nil {
					w.Errorf("the run is told %v, want no error", err)
				}
				told <- resp
			}()
			<-waiting
			page, err := List(t.Context(), o, Query{Open: true})
			if err != nil || len(page.Questions) != 1 {
				t.Fatalf("got %+v, %v, want one question", page, err)
			}
			id := page.Questions[0].ID
			for len(o.Handoffs.List()) == 0 {
				select {
				case <-ctx.Done():
				case <-time.After(time.Millisecond):
				}
			}
			if got := o.Handoffs.List()[0]; got.ID != id || got.Connection != "mine" || got.RunID != "r1" || got.ConnectionID != w.run.ConnectionID || got.Reason != abi.HandoffCaptcha {
				t.Errorf("got %+v, want the page of question %s", got, id)
			}
			other := w.face(owner.CommandLine) // of another process, which has no pages
			late := time.After(time.Minute)
			for want := o.Handoffs.List()[0].Deadline; ; {
				q, err := Show(ctx, other, id)
				if err == nil && q.Deadline != nil && q.Deadline.Equal(want.Truncate(time.Microsecond)) {
					break
				}
				select {
				case <-late:
					t.Fatalf("got the question %+v, %v, want the time that there is on its page, %s", q, err, want)
				case <-time.After(time.Millisecond):
				}
			}
			c.do(w, o.Handoffs, s, id, cancel)
			if resp := <-told; resp.Status != c.status || len(resp.Data) > 0 {
				t.Errorf("the run is told %+v, want %s", resp, c.status)
			}
			if q, err := w.store.Question(t.Context(), id, nil); err != nil || q.State != c.state {
				t.Errorf("got the question %+v, %v, want it %s", q, err, c.state)
			}
			if got, err := o.Handoffs.Show(id); err != nil || got.Outcome != c.outcome {
				t.Errorf("got the page %+v, %v, want it %s", got, err, c.outcome)
			}
		})
	}
}

// acts has an owner look at a page and say one thing there.
func (w *world) acts(r *handoff.Registry, id, what string) {
	token, err := r.Attach(id, "ana")
	if err != nil {
		w.Errorf("attaching: got %v, want a token", err)
	}
	looks := make(chan struct{}, 1)
	go func() {
		_ = r.View(w.Context(), id, "ana", token, func(byte, []byte) error {
			select {
			case looks <- struct{}{}:
			default:
			}
			return nil
		})
	}()
	<-looks
	if err := r.Input(w.Context(), id, "ana", token, []handoff.Event{{Do: what}}); err != nil {
		w.Errorf("%s: got %v, want it taken", what, err)
	}
}
