package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

func fullRefresh(n *NewRun) { n.Mode = abi.ModeFullRefresh }

// earlier is what a new run, which ends well, hears of the runs before it.
func (x *exercise) earlier(change ...func(*NewRun)) map[string]int64 {
	x.Helper()
	w := x.begin("c", change...)
	found, err := w.RejectedEarlier(x.Context(), Outcome{Status: tables.StatusSucceeded})
	x.ok(err)
	x.succeed(w, nil)
	return found
}

// A rejected record stays missing however many runs go by, and its delivery, its
// deletion or a full refresh ends it at once.
func TestRejectedRecordsStayMissing(t *testing.T) {
	t.Parallel()
	run := func(change func(*Outcome), records ...string) func(*exercise) {
		return func(x *exercise) {
			w := x.begin("c", allStreams)
			x.put(w, 0, records...)
			x.succeed(w, change)
		}
	}
	refresh := func(change func(*Outcome), streams ...string) func(*exercise) {
		return func(x *exercise) {
			x.succeed(x.begin("c", fullRefresh, func(n *NewRun) { n.Streams = streams }), change)
		}
	}
	narrowed := func(o *Outcome) { o.Narrowed = true }
	for name, c := range map[string]struct {
		do   func(x *exercise)
		left int64
	}{
		"sixty quiet runs": {func(x *exercise) {
			for range 60 {
				x.same(x.earlier(allStreams), map[string]int64{"a": 1})
				x.tone("a quiet run", verdict.Amber)
			}
		}, 1},
		"a failed run": {func(x *exercise) {
			x.ok(x.begin("c", allStreams).Finish(x.Context(), Outcome{Status: tables.StatusFailed, Reason: "x"}))
		}, 1},
		"it is rejected again":              {run(nil, "!k"), 1},
		"another one is delivered":          {run(nil, "l=1"), 1},
		"it is delivered":                   {run(nil, "k=2"), 0},
		"it is delivered as it was":         {run(nil, "k=1"), 0},
		"a narrowed run delivers it":        {run(narrowed, "k=2"), 0},
		"it is deleted":                     {run(nil, "-k"), 0},
		"it is rejected and then delivered": {run(nil, "!k", "k=2"), 0},
		"it is delivered and then rejected": {run(nil, "k=2", "!k"), 1},
		"a full refresh":                    {refresh(nil, "a", "b", "extra"), 0},
		"a full refresh of its stream":      {refresh(nil, "a"), 0},
		"a full refresh of another stream":  {refresh(nil, "b", "extra"), 1},
		"a narrowed full refresh":           {refresh(narrowed, "a"), 1},
		"a full refresh that holds its cursor back": {refresh(func(o *Outcome) {
			o.Withheld = []Withheld{{Stream: "a", Reason: "detail_coverage_incomplete"}}
		}, "a"), 1},
		"a full refresh that fails": {refresh(func(o *Outcome) { o.Status = tables.StatusFailed }, "a"), 1},
		"a full refresh that rejects it again": {func(x *exercise) {
			w := x.begin("c", fullRefresh, allStreams)
			x.put(w, 0, "!k")
			x.succeed(w, nil)
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, conn := kept(t, keptManifest)
			run(nil, "k=1")(x)
			x.tone("before", verdict.Green)
			run(nil, "!k")(x)
			x.tone("a record is rejected", verdict.Amber)
			x.sound()
			c.do(x)
			x.sound()
			e, err := x.s.EvidenceOf(t.Context(), conn.ID)
			x.ok(err)
			var left int64
			for _, r := range e.Facts.RejectedRecords {
				left += r.Listed + r.Unlisted
			}
			if left != c.left {
				t.Errorf("%d records are missing, want %d", left, c.left)
			}
			if green := x.verdict("c").Pill.Tone == verdict.Green; green && c.left > 0 {
				t.Error("the verdict is green, and a record is missing")
			}
			if want := map[bool]string{true: "map[]", false: "map[a:1]"}[c.left == 0]; fmt.Sprint(x.earlier(allStreams)) != want {
				t.Errorf("a later run does not hear %s", want)
			}
			if c.left == 0 {
				x.tone("nothing is missing any more", verdict.Green)
			}
		})
	}
}

// Of a stream's rejected records so many are kept by their keys. The others are
// counted, and only a full refresh ends them.
func TestRejectedRecordsAreBounded(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	const more = 7
	w, b := x.begin("c", allStreams), &Batch{}
	for i := range record.MaxListedRejections + more {
		b.Reject(0, HashKey(fmt.Append(nil, i)))
	}
	x.ok(w.Write(t.Context(), b))
	x.succeed(w, nil)
	missing := func(want ...stored.RejectedRecords) {
		t.Helper()
		e, err := x.s.EvidenceOf(t.Context(), c.ID)
		x.ok(err)
		x.same(e.Facts.RejectedRecords, want)
		x.sound()
	}
	missing(stored.RejectedRecords{Stream: "a", Listed: record.MaxListedRejections, Unlisted: more})
	x.same(x.earlier(allStreams), map[string]int64{"a": record.MaxListedRejections + more})

	w = x.begin("c", allStreams)
	x.put(w, 0, "!other", "!another", "!third")
	found, err := w.RejectedEarlier(t.Context(), Outcome{Status: tables.StatusSucceeded})
	x.ok(err)
	x.same(found, map[string]int64{"a": record.MaxListedRejections + more - 3}) // its own are told by itself
	x.succeed(w, nil)
	missing(stored.RejectedRecords{Stream: "a", Listed: record.MaxListedRejections, Unlisted: more})

	w, b = x.begin("c", allStreams), &Batch{}
	for i := range record.MaxListedRejections + more {
		b.Add(0, fmt.Append(nil, i), []byte("{}"), []byte("t"), false)
	}
	x.ok(w.Write(t.Context(), b))
	x.succeed(w, nil)
	missing(stored.RejectedRecords{Stream: "a", Unlisted: more})
	x.tone("some are known by no key", verdict.Amber)
	x.same(x.earlier(allStreams), map[string]int64{"a": more})

	x.earlier(allStreams, fullRefresh)
	missing()
	x.tone("a full refresh", verdict.Green)
}

// A removed connection takes its rejections along, and a new one of that name owes nothing.
func TestRejectedRecordsGoWithTheirConnection(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	w := x.begin("c", allStreams)
	x.put(w, 0, "!k", "l=1")
	x.succeed(w, nil)
	x.ok(x.s.RemoveConnection(t.Context(), "c", nil))
	x.sound()
	var rows int64
	x.ok(x.s.db.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM rejected_records").Scan(&rows))
	if rows != 0 {
		t.Errorf("%d rows are left of it, want none", rows)
	}
	x.connection("c")
	x.same(x.earlier(allStreams), map[string]int64{})
}

// A device's delivery ends what a run of the host rejected.
func TestADeviceDeliversWhatWasRejected(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	w := x.begin("laptop", allStreams)
	x.put(w, 0, "!k", "!l")
	x.succeed(w, nil)
	x.clock.forward(time.Minute)
	x.deliver(src, "r1", "a", `k={"id":"k"}`)
	e, err := x.s.EvidenceOf(t.Context(), "laptop")
	x.ok(err)
	x.same(e.Facts.RejectedRecords, []stored.RejectedRecords{{Stream: "a", Listed: 1}})
	x.sound()
}

// A collector's own file follows what its connector rejects as a host's store does.
func TestRejectedRecordsOfALane(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c", allStreams)
	x.put(w, 0, "!k", `l={}`)
	x.put(w, 1, "!m")
	x.succeed(w, nil)
	x.same(x.earlier(allStreams), map[string]int64{"a": 1, "b": 1})
	w = x.begin("c", allStreams)
	x.put(w, 0, `k={}`)
	x.succeed(w, nil)
	x.same(x.earlier(allStreams), map[string]int64{"b": 1})
	x.earlier(allStreams, fullRefresh)
	x.same(x.earlier(allStreams), map[string]int64{})
	x.sound()
}

// A store from before rejected records were kept knows from its runs that there
// were some.
func TestRejectionsOfAnOlderStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	x := &exercise{T: t, clock: newClock(), open: func(t *testing.T, now func() time.Time) *Store {
		t.Helper()
		return mustOpen(t, Options{Path: path, Now: now})
	}}
	x.s = x.open(t, x.clock.Now)
	c := x.connection("c")
	x.ok(x.s.PinPlugin(t.Context(), c.ID, "abc", []byte(keptManifest)))
	rejected := func(a, b int) func(*Outcome) {
		return func(o *Outcome) {
			o.Result = fmt.Appendf(nil, `{"records":{"a":{"rejected":%d},"b":{"rejected":%d}}}`, a, b)
		}
	}
	x.succeed(x.begin("c", allStreams), rejected(0, 5))
	x.succeed(x.begin("c", allStreams, fullRefresh), rejected(0, 0))
	x.succeed(x.begin("c", allStreams), rejected(2, 7))
	// None of these delivered all of a.
	x.succeed(x.begin("c", fullRefresh, func(n *NewRun) { n.Streams = []string{"b"} }), nil)
	x.succeed(x.begin("c", allStreams, fullRefresh), func(o *Outcome) { o.Narrowed = true })
	x.succeed(x.begin("c", allStreams, fullRefresh), func(o *Outcome) { o.Withheld = []Withheld{{Stream: "a"}} })
	x.succeed(x.begin("c", allStreams, fullRefresh), func(o *Outcome) { o.KnownGaps = []byte(`[{"kind":"skip_result","stream":"a"}]`) })
	x.succeed(x.begin("c", allStreams), rejected(1, 0))
	x.succeed(x.begin("c", allStreams), func(o *Outcome) { o.Result = []byte("not JSON") })
	x.succeed(x.begin("c", allStreams), nil)
	x.tone("before", verdict.Green)
	x.ok(x.s.Close())
	// The step runs over a copy without what it makes, and what it made of it goes into the store.
	step, err := os.ReadFile(filepath.Join("internal", "db", "migrations", "0011_rejected_records.sql"))
	x.ok(err)
	older := path + "-older"
	rawSQL(t, path, "VACUUM INTO '"+older+"'")
	rawSQL(t, older, "DROP TABLE rejected_records", "ALTER TABLE streams DROP COLUMN rejected", "ALTER TABLE streams DROP COLUMN rejected_unlisted", string(step))
	rawSQL(t, path, "ATTACH '"+older+`' AS older;
UPDATE streams SET (rejected, rejected_unlisted) = (SELECT rejected, rejected_unlisted FROM older.streams AS o WHERE o.id = streams.id); UPDATE evidence SET format = 7`)
	x.s = x.open(t, x.clock.Now)
	x.same(x.earlier(allStreams), map[string]int64{"a": 2})
	x.tone("after", verdict.Red)
	x.sound()
}
