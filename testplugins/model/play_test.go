package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly"
)

// table is a store and a host over it, through which sequences go one after another, each on a
// connection of its own.
type table struct {
	deps  run.Deps
	file  *plugin.File
	clock atomic.Int64 // in nanoseconds
	ids   int
}

// The holders of leases.
const (
	holder = "model"
	dead   = "a host that was killed"
)

func newTable(t testing.TB, path string) *table {
	t.Helper()
	x := &table{file: assembly.Connector(manifest, nil).File("model")}
	x.clock.Store(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())
	now := func() time.Time { return time.Unix(0, x.clock.Load()).UTC() }
	limits := plugin.DefaultLimits()
	limits.Describe = time.Minute // of a machine that is busy with other tests
	engine, err := plugin.NewEngine(plugin.Options{Isolation: plugin.IsolationInline, CacheDir: t.TempDir(), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	store, err := storage.Open(t.Context(), storage.Options{Path: path, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	x.deps = run.Deps{
		Store: store, Engine: engine, Now: now, HolderAlive: func(h string) bool { return h != dead },
		NewID: func() string { x.ids++; return fmt.Sprintf("run_%09d", x.ids) },
	}
	return x
}

// play is a sequence on its way through the host.
type play struct {
	*table

	books      *books
	connection string
	runs       map[string]string // by label: the host's ids
	killed     *killed           // the run before, whose host is gone
	served     map[gap]servedGap
}

// killed is a run whose host is gone: it stands still until another run has its lease.
type killed struct {
	stands  chan struct{} // closed when it stands still
	release chan struct{}
	ended   chan ended
}

// ended is how Run returned.
type ended struct {
	res *run.Result
	err error
}

// through plays a sequence, and returns where the store differs from the rules.
func (x *table) through(ctx context.Context, s *sequence) (err error) {
	x.ids++
	p := &play{table: x, books: newBooks(), connection: fmt.Sprintf("c%d", x.ids), runs: map[string]string{"9": "run_unknown"}}
	defer p.bury()
	for i := range s.runs {
		plan := &s.runs[i]
		x.clock.Add(int64(plan.days) * int64(24*time.Hour))
		if err := p.run(ctx, plan); err != nil {
			return fmt.Errorf("run %s: %w", plan.label, err)
		}
	}
	return nil
}

// bury ends the run of a host that was killed.
func (p *play) bury() {
	if k := p.killed; k != nil {
		p.killed = nil
		close(k.release)
		<-k.ended
	}
}

// run plays one run, and compares the store.
func (p *play) run(ctx context.Context, plan *plan) error {
	running, stop := context.WithCancelCause(ctx)
	g := &guest{play: p, plan: plan, stop: stop}
	deps, of := p.deps, &killed{stands: make(chan struct{}), release: make(chan struct{}), ended: make(chan ended, 1)}
	deps.Holder, deps.Collect, g.killed = holder, g.collect, of
	if plan.end == endKilled {
		deps.Holder = dead
	}
	go func() {
		res, err := run.New(deps).Run(running, p.request(plan))
		stop(nil)
		of.ended <- ended{res, err}
	}()
	select {
	case <-of.stands:
		p.killed = of
	case end := <-of.ended:
		if err := errors.Join(g.differs, end.err); err != nil {
			return err
		}
		if want := p.books.end(); end.res.Status != want {
			return fmt.Errorf("got %s (%s, %+v), want %s", end.res.Status, end.res.Reason, end.res.Error, want)
		}
		if err := p.told(end.res); err != nil {
			return err
		}
	}
	return errors.Join(g.differs, p.compare(ctx))
}

func (p *play) request(plan *plan) run.Request {
	req := run.Request{
		Connection: p.connection, Module: p.file, Accept: true, Force: plan.force, AcceptDeletions: plan.accepts, Streams: plan.streams, Boundary: plan.boundary,
	}
	if plan.full {
		req.Mode = abi.ModeFullRefresh
	}
	if plan.since {
		req.Since = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if plan.resource != "" {
		req.Resources = map[string][]string{notes: {plan.resource}}
	}
	return req
}

// told compares of which streams the run says that nothing was deleted.
func (p *play) told(res *run.Result) error {
	got := map[string]bool{}
	for _, g := range res.KnownGaps {
		if g.Reason == string(abi.ReasonDeletionsWithheld) {
			got[g.Stream] = true
		}
	}
	want := p.books.run.withheld
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		return fmt.Errorf("deletions_withheld: got %v, want %v", got, want)
	}
	return nil
}

// compare compares the store with the books.
func (p *play) compare(ctx context.Context) error {
	for _, name := range []string{notes, riders} {
		got, want := map[string]string{}, map[string]string{}
		err := p.deps.Store.EachRecord(ctx, p.connection, name, func(r storage.Record) error {
			text := "a tombstone"
			if !r.Deleted {
				var data cursor
				if err := json.Unmarshal(r.Data, &data); err != nil {
					return err
				}
				text = fmt.Sprint(data.N)
			}
			got[r.Key] = text
			return nil
		})
		for key, r := range p.books.streams[name].records {
			if want[key] = fmt.Sprint(r.n); r.deleted {
				want[key] = "a tombstone"
			}
		}
		if abi.CodeOf(err) == abi.CodeStreamUnknown {
			err = nil
		}
		if err != nil {
			return err
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("the records of %s: got %v, want %v", name, got, want)
		}
	}
	cursors := map[string]int{}
	checkpoints, err := p.deps.Store.Checkpoints(ctx, p.connection)
	if err != nil {
		return err
	}
	for _, c := range checkpoints {
		var at cursor
		if err := json.Unmarshal(c.Cursor, &at); err != nil {
			return err
		}
		if !c.Staged {
			cursors[c.Stream] = at.N
		}
	}
	if !maps.Equal(cursors, p.books.cursors) {
		return fmt.Errorf("the cursors: got %v, want %v", cursors, p.books.cursors)
	}
	gaps := map[gap]bool{}
	all, err := p.deps.Store.Gaps(ctx, p.connection, storage.GapQuery{})
	if err != nil {
		return err
	}
	for i := range all {
		if g := &all[i]; g.Status != storage.GapRecovered {
			gaps[gap{g.Stream, g.RecordKey}] = true
		}
	}
	if !maps.Equal(gaps, p.books.gaps) {
		return fmt.Errorf("the open gaps: got %v, want %v", gaps, p.books.gaps)
	}
	return nil
}

// guest is the connector of one run, in the place of a WebAssembly module.
type guest struct {
	*play

	plan    *plan
	stop    context.CancelCauseFunc
	killed  *killed // where its host is to be killed
	differs error
}

var errKilled = errors.New("killed")

func (g *guest) collect(_ context.Context, _ *plugin.Guest, _ plugin.Grant, h plugin.Host) plugin.Exit {
	g.bury()
	if g.differs = g.start(h); g.differs != nil {
		return plugin.Exit{Err: g.differs}
	}
	for i := range g.plan.calls {
		c := &g.plan.calls[i]
		accepted, want := g.books.do(c)
		missing, err := g.call(h, c)
		if (err == nil) != accepted {
			g.differs = fmt.Errorf("call %d, %s: got %w, want accepted: %t", i, c, err, accepted)
		}
		if accepted && !slices.Equal(missing, want) {
			g.differs = fmt.Errorf("call %d, %s: got %q, want %q", i, c, missing, want)
		}
		if err != nil || g.differs != nil {
			return plugin.Exit{Err: err}
		}
	}
	switch g.plan.end {
	case endTrap:
		return plugin.Exit{Err: abi.NewError(abi.CodeGuestTrap, "trap", "")}
	case endKilled:
		_, err := g.submit(h, abi.OpGaps, "") // behind everything before
		g.differs = err
		close(g.killed.stands)
		<-g.killed.release
		return plugin.Exit{Err: errKilled}
	}
	if err := h.Message("done", []byte(last(g.plan.end, g.books.run.emitted))); err != nil {
		g.differs = err
	}
	return plugin.Exit{Returned: true}
}

func (g *guest) submit(h plugin.Host, op abi.Operation, request string) (answer []byte, err error) {
	err = h.Submit(op, []byte(request), func(a []byte) { answer = a })
	return answer, err
}

// start reads START, and compares it with the books.
func (g *guest) start(h plugin.Host) error {
	answer, err := g.submit(h, abi.OpStart, "")
	if err != nil {
		return err
	}
	var start startMessage
	if err := json.Unmarshal(answer, &start); err != nil {
		return err
	}
	g.runs[g.plan.label] = start.RunID
	g.books.begin(g.plan)
	state, other := start.State, start.PreviousState
	if g.plan.full {
		state, other = other, state
	}
	cursors := map[string]int{}
	for name, at := range state {
		cursors[name] = at.N
	}
	if len(other) > 0 || !maps.Equal(cursors, g.books.cursors) {
		return fmt.Errorf("START: got the cursors %v and %v, want %v", state, other, g.books.cursors)
	}
	g.served = map[gap]servedGap{}
	for _, s := range start.DetailGaps {
		g.served[gap{s.Stream, s.RecordKey}] = s
		g.books.run.served[gap{s.Stream, s.RecordKey}] = never
	}
	return g.rightGaps()
}

// rightGaps compares the gaps that were served: a forced run is served all that are open, another
// one some of them, and a narrowed one nothing.
func (g *guest) rightGaps() error {
	want := map[gap]bool{}
	for of := range g.books.gaps {
		if g.plan.inScope(of.stream) && g.plan.resource == "" && (!g.plan.since || g.plan.boundary) {
			want[of] = true
		}
	}
	got := map[gap]bool{}
	for of := range g.served {
		got[of] = true
		if !want[of] {
			return fmt.Errorf("START: got the gap %v, want one of %v", of, want)
		}
	}
	if g.plan.force && !reflect.DeepEqual(got, want) {
		return fmt.Errorf("START: got the gaps %v, want %v", got, want)
	}
	return nil
}

// call makes one call. The operation missing has an answer.
func (g *guest) call(h plugin.Host, c *call) (missing []string, err error) {
	switch c.do {
	case doStop:
		g.stop(run.ErrInterrupted)
		return nil, nil
	case doAttempted, doRecovered:
		return nil, h.Message("gap", []byte(outcome(c, g.served[gap{c.stream, c.key()}])))
	case doMissing:
		answer, err := g.submit(h, abi.OpMissing, fmt.Sprintf(`{"stream":%q,"part":%q}`, c.stream, c.part))
		if err != nil {
			return nil, err
		}
		var page struct {
			Keys []string `json:"keys"`
		}
		err = json.Unmarshal(answer, &page)
		return page.Keys, err
	}
	to, payload := message(c, g.runs)
	if to == "emit" {
		return nil, h.Emit([]byte(payload))
	}
	return nil, h.Message(to, []byte(payload))
}
