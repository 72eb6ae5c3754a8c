package schedule

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to fill a store

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// indexed is a scheduler over a real store. It counts the connections that a pass
// examines, by the questions for their policies.
type indexed struct {
	t testing.TB
	*Scheduler
	store *storage.Store

	mu           sync.Mutex
	at           time.Time
	examined     []string
	surroundings string
	ran          []string
}

func newIndexed(t testing.TB, names ...string) *indexed {
	t.Helper()
	x := &indexed{t: t, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s, err := storage.Open(t.Context(), storage.Options{Path: fresh.Store(t, filepath.Join(t.TempDir(), "pdpp.sqlite")), Now: x.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	x.store = s
	for _, n := range names {
		x.connection(n)
	}
	hourly := policy("automatic", every(time.Hour))
	x.Scheduler = New(Deps{
		Store: s, Now: x.now, Random: func() float64 { return 0 },
		Policy: func(_ context.Context, c storage.Connection) (*abi.RefreshPolicy, error) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.examined = append(x.examined, c.Name)
			return hourly, nil
		},
		Surroundings: func(context.Context) string { return x.surroundings },
		Run:          x.run,
	})
	return x
}

func (x *indexed) now() time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.at
}

func (x *indexed) later(d time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.at = x.at.Add(d)
}

func (x *indexed) connection(name string) *storage.Connection {
	x.t.Helper()
	c, err := x.store.EnsureConnection(x.t.Context(), name, "demo")
	if err != nil {
		x.t.Fatal(err)
	}
	return c
}

// run makes a run in the store that succeeds at once.
func (x *indexed) run(ctx context.Context, j Job) error {
	x.mu.Lock()
	x.ran = append(x.ran, j.Connection.Name)
	n := len(x.ran)
	x.mu.Unlock()
	w, err := x.store.BeginRun(ctx, storage.NewRun{
		RunID: fmt.Sprintf("run%d", n), ConnectionID: j.Connection.ID, Bookmark: storage.BookmarkIncremental, Holder: "h", LeaseTTL: time.Minute,
	})
	if err != nil {
		return err
	}
	return w.Finish(ctx, storage.Outcome{Status: StatusSucceeded})
}

// passes makes a pass, waits for its runs, and compares what it examined before them.
func (x *indexed) passes(what string, want ...string) {
	x.t.Helper()
	x.mu.Lock()
	x.examined = nil
	x.mu.Unlock()
	_, err := x.pass(x.t.Context())
	x.mu.Lock()
	got := slices.Compact(slices.Sorted(slices.Values(x.examined)))
	x.mu.Unlock()
	x.jobs.Wait()
	if err != nil || !slices.Equal(got, want) {
		x.t.Errorf("%s: examined %q, %v; want %q", what, got, err, want)
	}
}

// A pass examines what the store says is due for it, and nothing else: what has
// changed, what was put off until now, and everything when the surroundings or the clock
// have changed.
func TestPassExaminesWhatIsDue(t *testing.T) {
	t.Parallel()
	x := newIndexed(t, "a", "b", "c")
	x.passes("the first pass", "a", "b", "c")
	for range 4 { // the runs start one after the other, and each is examined once after its end
		x.later(stagger * 4)
		_, err := x.pass(t.Context())
		x.jobs.Wait()
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := slices.Sorted(slices.Values(x.ran)); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Fatalf("ran %q, want each once", got)
	}
	x.passes("nothing changed")
	x.later(10 * time.Minute)
	x.passes("nothing is due yet")

	b := x.connection("b")
	if err := x.store.PutSchedule(t.Context(), storage.Schedule{ConnectionID: b.ID, Mode: string(ByHand)}); err != nil {
		t.Fatal(err)
	}
	x.passes("b was changed", "b")
	x.passes("the pass recorded why b does not run", "b")
	x.passes("nothing changed since")
	x.connection("d")
	x.passes("d is new", "d")
	x.later(stagger * 4)
	x.passes("d has run", "d")
	x.passes("nothing changed since")

	x.surroundings = "another module"
	x.passes("the surroundings changed", "a", "b", "c", "d")
	x.passes("nothing changed since")
	x.later(-48 * time.Hour)
	x.passes("the clock was set back", "a", "b", "c", "d")

	x = newIndexed(t, "a")
	x.passes("a store's first pass", "a")
	x.later(stagger)
	x.passes("a has run", "a")
	x.ran = nil
	x.later(time.Hour)
	x.passes("a is due", "a")
	if !slices.Equal(x.ran, []string{"a"}) {
		t.Errorf("ran %q, want a", x.ran)
	}
}

// A connection that changed while it was examined stays due.
func TestChangeDuringExaminationIsSeen(t *testing.T) {
	t.Parallel()
	x := newIndexed(t, "a")
	x.passes("the first pass", "a")
	x.later(stagger)
	x.passes("a has run", "a")
	page, err := x.store.Examinations(t.Context(), x.now().Add(time.Hour), nil, 10)
	if err != nil || len(page) != 1 {
		t.Fatalf("got %d examinations, %v; want 1", len(page), err)
	}
	if err := x.store.PutSchedule(t.Context(), storage.Schedule{ConnectionID: page[0].Connection.ID, Mode: string(ByHand)}); err != nil {
		t.Fatal(err)
	}
	page[0].At = x.now().Add(time.Hour)
	if err := x.store.PutOffExaminations(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	x.passes("the change", "a")
}

// More connections than a pass examines are examined in turn, and what waits behind many
// that may start is not forgotten.
func TestManyAreExaminedInTurn(t *testing.T) {
	t.Parallel()
	const page, atMost = 5, 20
	const n = atMost + 3*page
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("c%05d", i)
	}
	x := newIndexed(t, names...)
	x.deps.Workers, x.window = 1, window{page: page, atMost: atMost}
	seen := map[string]bool{}
	for pass := 0; len(seen) < n; pass++ {
		if pass > n/page+2 {
			t.Fatalf("after %d passes %d of %d are examined, want pass <= n/page + 2", pass, len(seen), n)
		}
		x.examined = nil
		if _, err := x.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.jobs.Wait()
		if got := len(x.examined); got > atMost+page {
			t.Errorf("a pass examined %d connections, want at most %d", got, atMost+page)
		}
		for _, name := range x.examined {
			seen[name] = true
		}
	}
}

// After a sleep of the machine, connections that are due together start one after the
// other, although each has started before.
func TestStartsAreSpreadAfterASleep(t *testing.T) {
	t.Parallel()
	x := newIndexed(t, "a", "b", "c")
	x.deps.Workers = 5
	for range 30 {
		for range 2 { // the second is the pass that the end of a run wakes
			if _, err := x.pass(t.Context()); err != nil {
				t.Fatal(err)
			}
			x.jobs.Wait()
		}
		x.later(10 * time.Second)
	}
	if len(x.ran) != 3 {
		t.Fatalf("ran %q, want each once", x.ran)
	}
	x.ran = nil
	x.later(8 * time.Hour)
	if _, err := x.pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.jobs.Wait()
	if len(x.ran) != 1 {
		t.Errorf("after the sleep %q started at once, want one", x.ran)
	} else if x.ran[0] != "a" {
		t.Errorf("got %s first, want a: those due alike start by name", x.ran[0])
	}
}

// A clock that is set back by less than the longest time between examinations stops
// nothing.
func TestClockSetBackALittle(t *testing.T) {
	t.Parallel()
	x := newIndexed(t, "a", "b", "c")
	x.deps.Workers = 1
	x.passes("the first pass", "a", "b", "c")
	x.later(-55 * time.Minute)
	x.passes("the clock was set back", "a", "b", "c")
}

// clone adds n connections like the one of that name, whose examination is put off for as
// long as one is.
func (x *indexed) clone(b *testing.B, name string, n int) {
	b.Helper()
	db, err := sql.Open("sqlite", x.store.Path())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	clones := map[string]string{
		"connections.id": "printf('id%d', n)", "evidence.connection_id": "printf('id%d', n)", "connections.name": "printf('x%d', n)", "evidence.name": "printf('x%d', n)",
		"evidence.examine_us": strconv.FormatInt(x.now().Add(longestUnexamined).UnixMicro(), 10),
	}
	for _, table := range []string{"connections", "evidence"} {
		var columns string
		if err := db.QueryRow("SELECT group_concat(name) FROM pragma_table_info(?)", table).Scan(&columns); err != nil {
			b.Fatal(err)
		}
		values := strings.Split(columns, ",")
		for i, c := range values {
			values[i] = cmp.Or(clones[table+"."+c], c)
		}
		_, err := db.Exec("WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ?) INSERT INTO "+table+" ("+columns+") SELECT "+
			strings.Join(values, ", ")+" FROM "+table+", s WHERE name = ?", n, name)
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPass makes a pass over 100,000 connections of which 100 are due. A pass is due
// in 50 ms.
func BenchmarkPass(b *testing.B) {
	const all, due = 100_000, 100
	names := make([]string, due)
	for i := range names {
		names[i] = fmt.Sprintf("c%03d", i)
	}
	x := newIndexed(b, names...)
	for len(x.ran) < due {
		x.later(mostStagger)
		if _, err := x.pass(b.Context()); err != nil {
			b.Fatal(err)
		}
		x.jobs.Wait()
	}
	x.later(2 * time.Hour)
	x.clone(b, names[0], all-due)
	x.deps.Run = func(context.Context, Job) error { return abi.NewError(abi.CodeConnectionBusy, "busy", "") }
	var took []time.Duration
	for b.Loop() {
		x.examined = nil
		began := time.Now()
		if _, err := x.pass(b.Context()); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		x.jobs.Wait()
		if got := len(x.examined); got != due {
			b.Fatalf("examined %d connections, want %d", got, due)
		}
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "p99-ms")
}
