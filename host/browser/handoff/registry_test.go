package handoff

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// surface is a browser of a test's own.
type surface struct {
	lock    sync.Mutex
	state   State
	changed chan struct{}
	put     func([]byte, func())
	casts   []int // the qualities
	stops   int
	done    []Event
	hangs   bool          // nothing is carried out before ctx ends
	slow    time.Duration // until an event is carried out
	ended   chan struct{}
	outcome string
}

func newSurface() *surface {
	return &surface{
		state:   State{Page: 1, Host: "accounts.shop.example", Viewport: Viewports[0], Pages: []PageShown{{1, "accounts.shop.example", "Hold"}}, Refused: []string{"captcha.example"}},
		changed: make(chan struct{}), ended: make(chan struct{}),
	}
}

func (s *surface) State() (State, <-chan struct{}) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state, s.changed
}

func (s *surface) change(do func(*State)) {
	s.lock.Lock()
	defer s.lock.Unlock()
	do(&s.state)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *surface) Cast(_ context.Context, quality int, put func([]byte, func())) (func(), error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.put = put
	s.casts = append(s.casts, quality)
	return func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.stops++
	}, nil
}

// frame puts a picture, and returns what counts its acks.
func (s *surface) frame(jpeg string) *int {
	s.lock.Lock()
	put := s.put
	s.lock.Unlock()
	n := new(int)
	put([]byte(jpeg), func() { *n++ })
	return n
}

func (s *surface) Do(ctx context.Context, e Event) error {
	if s.hangs {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if s.slow > 0 {
		time.Sleep(s.slow)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.done = append(s.done, e)
	return nil
}

func (s *surface) Ended() <-chan struct{} { return s.ended }
func (s *surface) Outcome() string        { return s.outcome }

// viewer is an owner who looks on.
type viewer struct {
	lock   sync.Mutex
	at     []time.Time
	jpegs  []string
	states []StateFrame
	err    error
	gone   chan struct{}
	cancel context.CancelFunc
}

func look(t *testing.T, r *Registry, id, session, token string) *viewer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	v := &viewer{gone: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(v.gone)
		v.err = r.View(ctx, id, session, token, func(kind byte, body []byte) error {
			v.lock.Lock()
			defer v.lock.Unlock()
			if kind == FrameJPEG {
				v.jpegs, v.at = append(v.jpegs, string(body)), append(v.at, time.Now())
				return nil
			}
			var s StateFrame
			err := json.Unmarshal(body, &s)
			v.states = append(v.states, s)
			return err
		})
	}()
	synctest.Wait()
	return v
}

// seen is what the viewer has seen so far.
func (v *viewer) seen() (jpegs []string, at []time.Time, states []StateFrame) {
	v.lock.Lock()
	defer v.lock.Unlock()
	return slices.Clone(v.jpegs), slices.Clone(v.at), slices.Clone(v.states)
}

func attach(t *testing.T, r *Registry, id, session string) string {
	t.Helper()
	token, err := r.Attach(id, session)
	if err != nil || len(token) != 2*tokenBytes {
		t.Fatalf("got the token %q, %v, want 32 bytes", token, err)
	}
	return token
}

func begin() (*Registry, *surface, *Handoff) {
	r, s := New(time.Now, rand.Reader), newSurface()
	return r, s, r.Open(Opening{ID: "q_1", ConnectionID: "c_1", Connection: "shop", RunID: "run_1", Reason: "captcha", Deadline: time.Now().Add(time.Hour)}, s)
}

func want(t *testing.T, what string, err error, code abi.Code) {
	t.Helper()
	if abi.CodeOf(err) != code {
		t.Errorf("%s: got %v, want %s", what, err, code)
	}
}

// A token is good once, for a minute, for its session, and while its view lives (T14).
func TestToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s, h := begin()
		defer h.End(OutcomeCancelled)
		nothing := func(byte, []byte) error { return nil }
		_, err := r.Attach("q_2", "ana")
		want(t, "another id", err, CodeUnknown)
		token := attach(t, r, "q_1", "ana")
		want(t, "input without a view", r.Input(t.Context(), "q_1", "ana", token, []Event{{Do: Back}}), CodeTokenInvalid)
		want(t, "another session", r.View(t.Context(), "q_1", "eve", token, nothing), CodeTokenInvalid)
		want(t, "another token", r.View(t.Context(), "q_1", "ana", strings.Repeat("0", 64), nothing), CodeTokenInvalid)
		_, err = r.Attach("q_1", "eve")
		want(t, "a second session", err, CodeTaken)
		time.Sleep(tokenLife + time.Second)
		want(t, "an old token", r.View(t.Context(), "q_1", "ana", token, nothing), CodeTokenInvalid)

		token = attach(t, r, "q_1", "ana")
		v := look(t, r, "q_1", "ana", token)
		want(t, "a token again", r.View(t.Context(), "q_1", "ana", token, nothing), CodeTokenInvalid)
		want(t, "input of another session", r.Input(t.Context(), "q_1", "eve", token, []Event{{Do: Back}}), CodeTokenInvalid)
		if err := r.Input(t.Context(), "q_1", "ana", token, []Event{{Do: Back}}); err != nil || len(s.done) != 1 {
			t.Errorf("got %v and %d events, want the input carried out", err, len(s.done))
		}
		v.cancel()
		<-v.gone
		want(t, "input after the view", r.Input(t.Context(), "q_1", "ana", token, []Event{{Do: Back}}), CodeTokenInvalid)
		time.Sleep(seatKept - time.Second)
		_, err = r.Attach("q_1", "eve")
		want(t, "a second session at once", err, CodeTaken)
		time.Sleep(2 * time.Second)
		attach(t, r, "q_1", "eve")
	})
}

// A second view of one session takes the place of the first, which is told so.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s, h := begin()
		defer h.End(OutcomeCancelled)
		token := attach(t, r, "q_1", "ana")
		first := look(t, r, "q_1", "ana", token)
		second := attach(t, r, "q_1", "ana")
		<-first.gone
		if last := first.states[len(first.states)-1]; last.Ended != TakenOver || first.err != nil {
			t.Errorf("got the end %q, %v, want %s", last.Ended, first.err, TakenOver)
		}
		v := look(t, r, "q_1", "ana", second)
		want(t, "input of the first", r.Input(t.Context(), "q_1", "ana", token, []Event{{Do: Back}}), CodeTokenInvalid)
		if shown, err := r.Show("q_1"); err != nil || !shown.Watched || shown.Host != "accounts.shop.example" || shown.Connection != "shop" {
			t.Errorf("got %+v, %v, want it watched", shown, err)
		}
		if len(s.casts) != 2 || s.stops != 1 {
			t.Errorf("got %d casts and %d of them stopped, want the first one's stopped", len(s.casts), s.stops)
		}
		v.cancel()
		<-v.gone
	})
}

// The newest picture wins, twelve a second go at most, and the browser hears that one was shown
// only after it was. At the end nothing of them is left.
func TestFrames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s, h := begin()
		v := look(t, r, "q_1", "ana", attach(t, r, "q_1", "ana"))
		if _, _, states := v.seen(); len(states) != 1 || states[0].Page != 1 || states[0].Ended != "" || !slices.Equal(states[0].Refused, []string{"captcha.example"}) {
			t.Fatalf("got %+v, want the state first", states)
		}
		var acks []*int
		for n := range 200 { // 10 s
			acks = append(acks, s.frame(fmt.Sprint("frame", n)))
			time.Sleep(50 * time.Millisecond)
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		jpegs, at, _ := v.seen()
		if n := len(jpegs); n < 90 || n > 121 || jpegs[n-1] != "frame199" {
			t.Errorf("got %d frames and the last %q, want about 100 and the newest", n, jpegs[n-1])
		}
		for i := 1; i < len(at); i++ {
			if d := at[i].Sub(at[i-1]); d < between {
				t.Errorf("frame %d: got it %v after the one before, want %v at least", i, d, between)
			}
		}
		for n, a := range acks {
			if *a != 1 {
				t.Errorf("frame %d: got %d acks, want one", n, *a)
			}
		}
		s.change(func(s *State) { s.Told = ToldDialog })
		time.Sleep(time.Second)
		synctest.Wait()
		if _, _, states := v.seen(); states[len(states)-1].Told != ToldDialog {
			t.Errorf("got %+v, want the change told", states[len(states)-1])
		}
		slot := &h.seat.slot
		one, two := slot.next[:cap(slot.next)], slot.taken[:cap(slot.taken)]
		h.End(OutcomeDone)
		<-v.gone
		if last := v.states[len(v.states)-1]; last.Ended != OutcomeDone || v.err != nil {
			t.Errorf("got %+v, %v, want the end told", last, v.err)
		}
		if all := append(slices.Clone(one), two...); len(bytes.Trim(all, "\x00")) > 0 {
			t.Errorf("got %q left of the frames, want nothing", all)
		}
		if got := s.frame("late"); *got != 0 || len(slot.next) != 0 {
			t.Error("got a frame taken in after the end, want none")
		}
	})
}

// A picture is not acknowledged while the viewer is still taking it.
func TestSlowViewer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s, h := begin()
		token := attach(t, r, "q_1", "ana")
		taking, broken := make(chan struct{}), errors.New("hung up")
		ended := make(chan error)
		go func() {
			ended <- r.View(t.Context(), "q_1", "ana", token, func(kind byte, _ []byte) error {
				if kind == FrameJPEG {
					<-taking
					return broken
				}
				return nil
			})
		}()
		synctest.Wait()
		acks := s.frame("one")
		time.Sleep(time.Minute)
		if *acks != 0 {
			t.Errorf("got %d acks of a picture that is being taken, want none", *acks)
		}
		close(taking)
		if err := <-ended; !errors.Is(err, broken) || *acks != 0 {
			t.Errorf("got %v and %d acks, want what the viewer said and none", err, *acks)
		}
		h.End(OutcomeCancelled)
	})
}

// Pictures are poorer while they are too much for a line, and a page that changes its state all
// the time does not hold them up.
func TestQuality(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s, h := begin()
		v := look(t, r, "q_1", "ana", attach(t, r, "q_1", "ana"))
		large := strings.Repeat("x", 30<<10)
		for range 50 {
			s.frame(large)
			s.change(func(s *State) { s.Pages = []PageShown{{1, "a.example", s.Pages[0].Title + "x"}} })
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		if jpegs, _, states := v.seen(); len(jpegs) < 40 || len(states) > 61 {
			t.Errorf("got %d pictures and %d states in 5 s, want 40 of the ones and few of the others", len(jpegs), len(states))
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if !slices.Equal(s.casts, []int{good, poor, good}) {
			t.Errorf("got the qualities %v, want %v", s.casts, []int{good, poor, good})
		}
		h.End(OutcomeDone)
		<-v.gone
	})
}

// Input that comes too fast, lies outside the page or was not asked for is refused.
func TestInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s, h := begin()
		token := attach(t, r, "q_1", "ana")
		v := look(t, r, "q_1", "ana", token)
		send := func(batch ...Event) error { return r.Input(t.Context(), "q_1", "ana", token, batch) }
		batch := slices.Repeat([]Event{{Do: Move, X: 1, Y: 1}}, MostEvents)
		if err := send(batch...); err != nil {
			t.Errorf("got %v, want a whole batch taken", err)
		}
		want(t, "at once again", send(batch...), CodeTooFast)
		time.Sleep(time.Second)
		if err := send(batch[:MostRate]...); err != nil || len(s.done) != MostEvents+MostRate {
			t.Errorf("got %v and %d events, want 60 a second", err, len(s.done))
		}
		time.Sleep(time.Minute)
		want(t, "nothing", send(), CodeInputInvalid)
		want(t, "outside", send(Event{Do: Move, X: 1, Y: 720}), CodeInputInvalid)
		want(t, "a host that was not refused", send(Event{Do: Allow, Host: "evil.example"}), CodeInputInvalid)
		if err := send(Event{Do: Allow, Host: "captcha.example"}); err != nil {
			t.Errorf("got %v, want the host allowed", err)
		}
		s.hangs = true
		slow := make(chan error)
		go func() { slow <- send(Event{Do: Back}) }()
		synctest.Wait()
		h.End(OutcomeTimedOut)
		want(t, "input at the end", <-slow, CodeEnded)
		want(t, "input behind it", send(Event{Do: Back}), CodeEnded)
		_, err := r.Attach("q_1", "ana")
		want(t, "a view behind it", err, CodeEnded)
		<-v.gone
	})
}

// 10,000 events at once do no more than 60 a second (T14).
func TestFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s, h := begin()
		token := attach(t, r, "q_1", "ana")
		v := look(t, r, "q_1", "ana", token)
		for range 10_000 {
			_ = r.Input(t.Context(), "q_1", "ana", token, []Event{{Do: Move}})
			time.Sleep(time.Millisecond)
		}
		if n := len(s.done); n < 600 || n > 10*MostRate+MostEvents {
			t.Errorf("got %d events in 10 s, want about 600", n)
		}
		h.End(OutcomeDone)
		<-v.gone
	})
}

// A hand-off ends by its owner's word, by what it is for, with its browser, or when its owner
// goes away and does not come back.
func TestEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(t *testing.T, r *Registry, s *surface, token string, v *viewer)
		want string
	}{
		"done": {func(t *testing.T, r *Registry, _ *surface, token string, _ *viewer) {
			if err := r.Input(t.Context(), "q_1", "ana", token, []Event{{Do: Done}}); err != nil {
				t.Errorf("got %v, want it ended", err)
			}
		}, OutcomeDone},
		"cannot": {func(t *testing.T, r *Registry, _ *surface, token string, _ *viewer) {
			err := r.Input(t.Context(), "q_1", "ana", token, []Event{{Do: Cannot}, {Do: Back}})
			want(t, "behind the end", err, CodeEnded)
		}, OutcomeCancelled},
		"lost": {func(_ *testing.T, _ *Registry, s *surface, _ string, _ *viewer) {
			s.outcome = OutcomeLost
			close(s.ended)
		}, OutcomeLost},
		"alone": {func(t *testing.T, r *Registry, _ *surface, _ string, v *viewer) {
			v.cancel()
			<-v.gone
			time.Sleep(aloneLimit - time.Second)
			if s, err := r.Show("q_1"); err != nil || s.Outcome != "" || s.Watched || !s.Deadline.Equal(time.Now().Add(time.Second)) {
				t.Errorf("got %+v, %v, want it open for ten minutes", s, err)
			}
			time.Sleep(2 * time.Second)
		}, OutcomeTimedOut},
		"attached, and never there": {func(t *testing.T, r *Registry, _ *surface, _ string, v *viewer) {
			attach(t, r, "q_1", "ana")
			<-v.gone
			time.Sleep(aloneLimit + time.Second)
		}, OutcomeTimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r, s, h := begin()
				if got, err := r.Show("q_1"); err != nil || !got.Deadline.Equal(began.Add(aloneLimit)) {
					t.Errorf("got %+v, %v, want ten minutes to come", got, err)
				}
				token := attach(t, r, "q_1", "ana")
				v := look(t, r, "q_1", "ana", token)
				time.Sleep(2 * aloneLimit) // somebody looks on
				if got := r.List(); len(got) != 1 || !got[0].Deadline.Equal(began.Add(time.Hour)) {
					t.Errorf("got %+v open, want one, until %s", got, began.Add(time.Hour))
				}
				c.do(t, r, s, token, v)
				synctest.Wait()
				select {
				case <-h.Ended():
				default:
					t.Error("got it open, want it ended")
				}
				h.End(OutcomeCancelled)
				<-v.gone
				if got, err := r.Show("q_1"); err != nil || got.Outcome != c.want || h.Outcome() != c.want || len(r.List()) != 0 {
					t.Errorf("got %+v, %v, want %s", got, err, c.want)
				}
			})
		})
	}
}

// BR-15: a hand-off that nobody comes to ends after ten minutes, and one that has ended is known for
// a while.
func TestPast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, h := begin()
		time.Sleep(aloneLimit - time.Second)
		if h.Outcome() != "" {
			t.Errorf("got %s, want it open for ten minutes", h.Outcome())
		}
		time.Sleep(2 * time.Second)
		if h.Outcome() != OutcomeTimedOut {
			t.Errorf("got %q, want %s, for nobody has come", h.Outcome(), OutcomeTimedOut)
		}
		h.End(OutcomeCancelled)
		for n := range mostKept {
			s := newSurface()
			r.Open(Opening{ID: fmt.Sprint("q_", n+2)}, s).End(OutcomeDone)
		}
		if _, err := r.Show("q_1"); abi.CodeOf(err) != CodeUnknown {
			t.Errorf("got %v, want the oldest forgotten", err)
		}
		if got, err := r.Show("q_2"); err != nil || got.Outcome != OutcomeDone {
			t.Errorf("got %+v, %v, want it known", got, err)
		}
	})
}

// Of a hand-off that has ended nothing holds the browser of its run, and no title is kept.
func TestNothingOfARunIsKept(t *testing.T) {
	t.Parallel()
	r, s, h := begin()
	h.End(OutcomeDone)
	held := weak.Make(s)
	s, h = nil, nil //nolint:ineffassign,wastedassign // so that nothing here holds them
	runtime.GC()
	runtime.GC()
	if held.Value() != nil {
		t.Error("got the surface held after the end, want it collected")
	}
	if got, err := r.Show("q_1"); err != nil || got.Outcome != OutcomeDone || len(got.Pages) != 1 || got.Pages[0].Title != "" {
		t.Errorf("got %+v, %v, want its end without titles", got, err)
	}
	_, err := r.Attach("q_1", "ana")
	want(t, "a view behind it", err, CodeEnded)
	want(t, "input behind it", r.Input(t.Context(), "q_1", "ana", "", []Event{{Do: Done}}), CodeEnded)
	want(t, "a token behind it", r.View(t.Context(), "q_1", "ana", "", nil), CodeEnded)
}

// End returns once nothing is being carried out, and a token that was taken over carries out no
// more of its batch, and gets no pictures.
func TestNothingGoesOn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *Registry, *Handoff){
		"ended":      func(_ *testing.T, _ *Registry, h *Handoff) { h.End(OutcomeDone) },
		"taken over": func(t *testing.T, r *Registry, _ *Handoff) { attach(t, r, "q_1", "ana") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, s, h := begin()
				token := attach(t, r, "q_1", "ana")
				v := look(t, r, "q_1", "ana", token)
				seat := h.seat
				s.slow = time.Second
				sent := make(chan error, 1)
				go func() { sent <- r.Input(t.Context(), "q_1", "ana", token, []Event{{Do: Back}, {Do: Back}, {Do: Done}}) }()
				synctest.Wait()
				began := time.Now()
				end(t, r, h)
				if took := time.Since(began); h.Outcome() != "" && took != time.Second {
					t.Errorf("got the end after %s, want it behind the event in hand, 1s", took)
				}
				if _, err := h.cast(t.Context(), seat, poor); err == nil || len(s.casts) != 1 {
					t.Errorf("got %v and %d casts, want no other for a view that is over", err, len(s.casts))
				}
				if err := <-sent; err == nil || len(s.done) != 1 || h.Outcome() != "" && name == "taken over" {
					t.Errorf("got %v, %d events and %q, want the first one alone", err, len(s.done), h.Outcome())
				}
				h.End(OutcomeCancelled)
				<-v.gone
			})
		})
	}
}
