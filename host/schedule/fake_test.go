package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// world is a store, a clock and connectors that tests move. Its clock is the
// bubble's, put forward or back by skew.
type world struct {
	t *testing.T

	mu      sync.Mutex
	skew    time.Duration
	broken  error // what the store answers
	names   []string
	states  map[string]*storage.ScheduleState
	claims  map[string]bool
	reads   int // of the list of connections: one a pass
	putOff  map[string]time.Time
	writes  int
	adopted []string // connections, in the order of their adoption
	dues    int
	policy  map[string]*abi.RefreshPolicy
	press   map[string]Pressure
	probed  map[string]bool   // whether the obstacle of a connection is gone
	stored  time.Time         // when the newest credential was
	rests   map[string]string // what a refusal of a connection rests on
	stands  map[string]bool   // whether what was said against its credentials does
	probes  int               // passes that had a probe
	asked   int               // calls that ask whether the rejection is still valid
	lost    bool              // the store takes no outcome of a run

	play    func(w *world, ctx context.Context, j Job) (storage.RunEnd, error)
	starts  []started
	live    map[string]bool
	most    int
	events  []Event
	holders map[string]bool // that live
}

type started struct {
	name    string
	at      time.Time
	trigger Trigger
	attempt int
}

func newWorld(t *testing.T, names ...string) *world {
	w := &world{
		t: t, names: names, states: map[string]*storage.ScheduleState{}, claims: map[string]bool{}, policy: map[string]*abi.RefreshPolicy{},
		press: map[string]Pressure{}, probed: map[string]bool{}, rests: map[string]string{}, stands: map[string]bool{}, live: map[string]bool{}, holders: map[string]bool{},
	}
	for _, n := range names {
		w.states[n] = &storage.ScheduleState{}
		w.policy[n] = policy("automatic", every(time.Hour))
	}
	w.play = lasting(time.Minute, "succeeded", "")
	return w
}

func every(d time.Duration) func(*abi.RefreshPolicy) {
	return func(p *abi.RefreshPolicy) { p.RecommendedIntervalSeconds = new(int64(d / time.Second)) }
}

// lasting plays a run of that length that ends in that way.
func lasting(d time.Duration, status, code string) func(*world, context.Context, Job) (storage.RunEnd, error) {
	return func(w *world, ctx context.Context, _ Job) (storage.RunEnd, error) {
		end := storage.RunEnd{Status: status, Code: code, Retryable: true, StartedAt: w.now()}
		if status == StatusFailed {
			end.Reason = string(abi.ReasonConnectorReportedFailed)
		}
		if !pause(ctx, d) {
			end.Status, end.Reason, end.Code = StatusCancelled, string(abi.ReasonOwnerCancelled), string(abi.CodeInterrupted)
		}
		end.FinishedAt = w.now()
		return end, nil
	}
}

func refusing(code abi.Code) func(*world, context.Context, Job) (storage.RunEnd, error) {
	return func(*world, context.Context, Job) (storage.RunEnd, error) {
		return storage.RunEnd{}, abi.NewError(code, "refused", "")
	}
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.skew)
}

func (w *world) jump(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skew += d
}

// change changes the world while the scheduler runs.
func (w *world) change(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *world) scheduler(change ...func(*Deps)) *Scheduler {
	d := Deps{
		Store: w,
		Policy: func(_ context.Context, c storage.Connection) (*abi.RefreshPolicy, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			p, ok := w.policy[c.Name]
			if !ok {
				return nil, abi.NewError(abi.CodePluginUnknown, "no module", "")
			}
			return p, nil
		},
		Pressure: func(_ context.Context, c storage.Connection) (Pressure, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.press[c.Name], nil
		},
		Probes: func() Probe {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.probes++
			return func(_ context.Context, c storage.Connection, o Obstacle) (verdict.SatisfactionEvidence, string, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				yes := w.probed[c.Name] && (o.Kind != BadCredentials || strings.HasPrefix(o.Code, "vault.") || w.stored.After(o.Since))
				return gone(o, yes), w.stored.String(), nil
			}
		},
		Rests: func(_ context.Context, c storage.Connection) string {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.rests[c.Name]
		},
		Run: w.run, Now: w.now, Random: func() float64 { return 0.5 },
		HolderAlive: func(h string) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.holders[h]
		},
		Report: func(e Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	for _, c := range change {
		c(&d)
	}
	return New(d)
}

func (w *world) run(ctx context.Context, j Job) error {
	w.mu.Lock()
	name := j.Connection.Name
	if w.live[name] {
		w.t.Errorf("%s runs twice at once, want !w.live[name]", name)
	}
	w.live[name] = true
	w.most = max(w.most, len(w.live))
	w.starts = append(w.starts, started{name, time.Now().Add(w.skew), j.Trigger, j.Attempt})
	play := w.play
	w.mu.Unlock()
	end, err := play(w, ctx, j)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.live, name)
	if err == nil && !w.lost {
		st := w.states[name]
		end.RunID, end.Number = fmt.Sprintf("run%d", len(w.starts)), newestOf(st)+1
		st.Runs = append([]storage.RunEnd{end}, st.Runs...)
	}
	return err
}

// during runs the scheduler while f does, then stops it.
func (w *world) during(s *Scheduler, f func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	f()
	cancel()
	if err := <-done; err != nil {
		w.t.Error(err)
	}
}

// ran returns when a connection was started; "" is any.
func (w *world) ran(name string) (at []time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.starts {
		if name == "" || s.name == name {
			at = append(at, s.at)
		}
	}
	return at
}

func (w *world) count(kind EventKind, reason Reason) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Kind == kind && e.Reason == reason {
			n++
		}
	}
	return n
}

var errBroken = errors.New("the disk is gone")

// The store.

func (w *world) Connections(context.Context) ([]storage.Connection, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	var all []storage.Connection
	for _, n := range w.names {
		all = append(all, storage.Connection{ID: n, Name: n, Connector: "demo"})
	}
	return all, w.broken
}

// Examinations says that every connection has changed: which of them a store leaves out
// is for index_test.go.
func (w *world) Examinations(ctx context.Context, _ time.Time, _ *storage.Examination, _ int) ([]storage.Examination, error) {
	all, err := w.Connections(ctx)
	out := make([]storage.Examination, len(all))
	for i := range all {
		out[i].Connection = all[i]
	}
	return out, err
}

func (w *world) NextExamination(_ context.Context, after time.Time) (next time.Time, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.putOff {
		if at.After(after) {
			next = soonest(next, at)
		}
	}
	return next, w.broken
}

func (w *world) PutOffExaminations(_ context.Context, list []storage.Examination) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.putOff = map[string]time.Time{}
	for i := range list {
		w.putOff[list[i].Connection.ID] = list[i].At
	}
	return w.broken
}

func (w *world) ExamineAgain(context.Context, time.Time, time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

func (w *world) ScheduleState(_ context.Context, id string, _ int) (storage.ScheduleState, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	st := *w.states[id]
	st.Runs = append([]storage.RunEnd{}, st.Runs...)
	st.Dispatches = append([]storage.Dispatch{}, st.Dispatches...)
	st.Held = w.held(id)
	return st, w.broken
}

func (w *world) EvidenceOf(_ context.Context, id string) (*storage.Evidence, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	e := storage.Evidence{ConnectionID: id, Facts: &stored.Facts{}}
	if w.stands[id] {
		e.Facts.Rejected = &stored.Rejection{Reason: "demo_x", AtUS: 1}
	}
	return &e, w.broken
}

func (w *world) PutDue(_ context.Context, id string, due storage.Due) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	w.dues++
	w.states[id].Due = due
	return w.broken
}

func (w *world) RecordDispatch(_ context.Context, d storage.Dispatch) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return false, w.broken
	}
	w.writes++
	now := time.Now().Add(w.skew)
	st := w.states[d.ConnectionID]
	d.FirstAt, d.LastAt, d.Count = now, now, 1
	if d.AfterRun != newestOf(st) {
		return false, nil
	}
	for i := range st.Dispatches {
		if d.PutRight && st.Dispatches[i].Holds == stored.HeldForOwner {
			st.Dispatches[i].Holds = ""
		}
	}
	if len(st.Dispatches) > 0 {
		if n := &st.Dispatches[0]; n.Status == d.Status && n.Reason == d.Reason && n.Identity == d.Identity {
			d.FirstAt, d.Count = n.FirstAt, n.Count+1
			*n = d
			return false, nil
		}
	}
	st.Dispatches = append([]storage.Dispatch{d}, st.Dispatches...)
	return true, nil
}

func newestOf(st *storage.ScheduleState) int64 {
	if len(st.Runs) == 0 {
		return 0
	}
	return st.Runs[0].Number
}

// held is what holds a connection, as the store has it.
func (w *world) held(id string) (by *storage.Dispatch) {
	st := w.states[id]
	for i := range st.Dispatches {
		d := st.Dispatches[i]
		if d.Holds == "" || d.AfterRun != newestOf(st) {
			continue
		}
		if d.Holds == stored.HeldForOwner {
			return &d
		}
		if by == nil {
			by = &d
		}
	}
	return by
}

func (w *world) AdoptSchedule(_ context.Context, id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.adopted = append(w.adopted, id)
	w.states[id].Adopted = true
	return w.broken
}

func (w *world) ClaimConfirmation(_ context.Context, id, action, version string) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := id + "\x00" + action + "\x00" + version
	if w.claims[key] {
		return false, w.broken
	}
	w.claims[key] = true
	if at := time.Now().Add(w.skew); action == storage.SignedInByHand {
		w.states[id].SignedInByHand = at
	} else {
		w.states[id].ConfirmOwed = at
	}
	return true, w.broken
}

// gone is the evidence of a probe.
func gone(o Obstacle, yes bool) verdict.SatisfactionEvidence {
	if o.Kind == BadCredentials {
		return verdict.SatisfactionEvidence{Credential: &verdict.CredentialEvidence{Present: true, Rejected: !yes}}
	}
	return Attention(yes)
}
