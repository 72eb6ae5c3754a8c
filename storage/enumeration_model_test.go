package storage

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// lister is a source of objects, a connector that enumerates its parts page by page, and
// the store behind it. An object may be in several parts; a key never comes back.
type lister struct {
	*rapid.T

	t     *testing.T
	path  string
	parts []string
	s     *Store
	w     *RunWriter
	runs  int
	keys  int

	source map[string]map[string]bool // by part: the keys that are there
	seen   map[string]bool            // keys that an enumeration was given
	cursor map[string]place           // by part; the run's own, as its slices have it
	begun  map[string]bool            // parts that this run has begun
	active string                     // the part that is open; "-": none
	last   bool                       // nothing is left to chance
}

// place is how far a part is enumerated.
type place struct {
	BegunBy string `json:"begun_by"`
	After   string `json:"after"`
}

func (l *lister) ok(err error) {
	if err != nil {
		l.Fatal(err)
	}
}

// run begins a run: from the committed cursor, or as a full refresh from none.
func (l *lister) run(refresh bool) {
	ctx := l.t.Context()
	c, err := l.s.EnsureConnection(ctx, "c", "c")
	l.ok(err)
	l.runs++
	l.w, err = l.s.BeginRun(ctx, NewRun{
		RunID: fmt.Sprint(l.runs), ConnectionID: c.ID, Bookmark: BookmarkIncremental, Streams: []string{"a"}, LeaseTTL: time.Hour,
		HolderAlive: func(string) bool { return false },
	})
	l.ok(err)
	l.cursor, l.begun, l.active = map[string]place{}, map[string]bool{}, "-"
	if raw := l.w.State()["a"]; raw != nil && !refresh {
		l.ok(json.Unmarshal(raw, &l.cursor))
	}
}

func (l *lister) open(part string) {
	at := l.cursor[part]
	if at.BegunBy == "" && l.begun[part] {
		l.active = "-" // a run begins a part once
		return
	}
	l.ok(l.w.Enumerate(l.t.Context(), Opening{Enumeration: Enumeration{Stream: "a", Part: part}, BegunBy: at.BegunBy}))
	if l.active = part; at.BegunBy == "" {
		l.begun[part] = true
		l.cursor[part] = place{BegunBy: l.w.RunID()}
	}
}

// page emits up to n objects behind the place, and commits the place behind them. At the end of
// the list it closes the part.
func (l *lister) page(n int, rejects bool) {
	if l.active == "-" {
		return
	}
	ctx, e := l.t.Context(), Enumeration{Stream: "a", Part: l.active}
	at := l.cursor[l.active]
	left := slices.DeleteFunc(slices.Sorted(maps.Keys(l.source[l.active])), func(key string) bool { return key <= at.After })
	b := l.w.NewBatch()
	for _, key := range left[:min(n, len(left))] {
		if at.After = key; rejects && rapid.IntRange(0, 4).Draw(l.T, "rejected") == 0 {
			b.Reject(0, HashKey([]byte(key)))
			continue
		}
		l.seen[key] = true
		b.Add(0, []byte(key), []byte(rapid.SampledFrom([]string{"1", "2"}).Draw(l.T, "data")), []byte("t"), false)
	}
	l.ok(l.w.Write(ctx, b))
	var sweeps []Sweep
	if l.cursor[l.active] = at; n >= len(left) {
		l.ok(l.w.LeaveEnumeration(ctx, e))
		sweeps = []Sweep{{Enumeration: e, Accepted: l.last || rapid.Bool().Draw(l.T, "accepted")}}
		l.cursor[l.active], l.active = place{}, "-"
	}
	if rapid.IntRange(0, 3).Draw(l.T, "commits") > 0 || len(sweeps) > 0 {
		cursor, err := json.Marshal(l.cursor)
		l.ok(err)
		l.ok(l.w.CommitSlice(ctx, "a", cursor, "s", sweeps...))
	}
}

// change has objects come and go.
func (l *lister) change() {
	part := rapid.SampledFrom(l.parts).Draw(l.T, "part")
	for range rapid.IntRange(0, 4).Draw(l.T, "new") {
		l.keys++
		key := fmt.Sprintf("%d-%03d", rapid.IntRange(0, 9).Draw(l.T, "where"), l.keys)
		l.source[part][key] = true
		if other := rapid.SampledFrom(l.parts).Draw(l.T, "other"); rapid.IntRange(0, 3).Draw(l.T, "shared") == 0 {
			l.source[other][key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.source[part])) {
		if rapid.IntRange(0, 3).Draw(l.T, "gone") == 0 && l.mayLeave(part, key) {
			delete(l.source[part], key)
		}
	}
}

// mayLeave reports whether the store knows of every other part that has an object: before it
// was told, it can only take an object that leaves the one part for gone.
func (l *lister) mayLeave(part, key string) bool {
	for _, other := range l.parts {
		if other == part || !l.source[other][key] {
			continue
		}
		l.ok(l.w.Flush(l.t.Context()))
		var known bool
		l.ok(l.s.db.Read.QueryRowContext(l.t.Context(),
			"SELECT EXISTS (SELECT 1 FROM marks m JOIN enumerations e ON e.id = m.enumeration_id WHERE e.part = ? AND m.key = ?)", other, key).Scan(&known))
		if !known {
			return false
		}
	}
	return true
}

func (l *lister) there(key string) bool {
	return slices.ContainsFunc(l.parts, func(part string) bool { return l.source[part][key] })
}

// buried fails when a record is a tombstone and its object is there. With all, it also fails
// when a record is there that an enumeration was given, and its object is gone.
func (l *lister) buried(all bool) {
	l.ok(l.w.Flush(l.t.Context()))
	l.ok(l.s.EachRecord(l.t.Context(), "c", "a", func(r Record) error {
		switch {
		case r.Deleted && l.there(r.Key):
			l.Fatalf("got %s buried, and it exists", r.Key)
		case all && !r.Deleted && !l.there(r.Key) && l.seen[r.Key]:
			l.Fatalf("got %s there behind a whole enumeration, and it is gone", r.Key)
		}
		return nil
	}))
}

func (l *lister) step() {
	ctx := l.t.Context()
	switch rapid.IntRange(0, 11).Draw(l.T, "step") {
	case 0, 1:
		l.change()
	case 2: // killed; what is queued may be lost
		l.w.Abandon()
		l.ok(l.s.Close())
		l.reopen()
		l.run(rapid.Bool().Draw(l.T, "refresh"))
	case 3:
		cursor, err := json.Marshal(l.cursor)
		l.ok(err)
		l.ok(l.w.Finish(ctx, Outcome{Status: "succeeded", Checkpoints: []StateCommit{{Stream: "a", Cursor: cursor}}}))
		l.run(rapid.Bool().Draw(l.T, "refresh"))
	case 4: // a narrowed run meets some, and commits nothing
		part := rapid.SampledFrom(l.parts).Draw(l.T, "part")
		l.ok(l.w.Finish(ctx, Outcome{Status: "failed"}))
		l.run(false)
		e := Enumeration{Stream: "a", Part: part}
		l.ok(l.w.Enumerate(ctx, Opening{Enumeration: e, Narrowed: true}))
		for _, key := range slices.Sorted(maps.Keys(l.source[part])) {
			if rapid.Bool().Draw(l.T, "met") {
				l.seen[key] = true
				l.ok(put(ctx, l.w, 0, key+"=3"))
			}
		}
		l.ok(l.w.LeaveEnumeration(ctx, e))
		l.ok(l.w.Finish(ctx, Outcome{Status: "succeeded", Sweeps: []Sweep{{Enumeration: e, Accepted: true}}}))
		l.run(false)
	case 5:
		l.ok(l.w.ForgetEnumerations(ctx)) // as for another source: the connector does not know
	case 6, 7:
		l.open(rapid.SampledFrom(l.parts).Draw(l.T, "part"))
	default:
		l.page(rapid.IntRange(0, 3).Draw(l.T, "page"), rapid.IntRange(0, 3).Draw(l.T, "rejects") == 0)
	}
}

func (l *lister) reopen() {
	s, err := Open(l.t.Context(), Options{Path: l.path, Now: time.Now, unsynced: true})
	l.ok(err)
	l.s = s
}

// TestEnumerationModel follows a connector through random pages, crashes, full refreshes,
// narrowed runs and rejected records: no object that exists is ever buried, and after an
// undisturbed enumeration of every part each one that is gone is.
//
// Invariant 12.
func TestEnumerationModel(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		l := &lister{
			T: rt, t: t, path: anew(t, filepath.Join(dir, fmt.Sprint(n))), source: map[string]map[string]bool{}, seen: map[string]bool{},
			parts: rapid.SampledFrom([][]string{{""}, {"p", "q"}}).Draw(rt, "parts"),
		}
		for _, part := range l.parts {
			l.source[part] = map[string]bool{}
		}
		l.reopen()
		defer func() { _ = l.s.Close() }()
		l.run(false)
		for range rapid.IntRange(5, 60).Draw(rt, "steps") {
			l.step()
			l.buried(false)
		}
		l.ok(l.w.Finish(t.Context(), Outcome{Status: "failed"}))
		l.run(true)
		l.last = true
		for _, part := range l.parts {
			e := Enumeration{Stream: "a", Part: part}
			l.open(part)
			l.page(1000, false)
			l.ok(l.w.LeaveEnumeration(t.Context(), e))
		}
		l.buried(true)
		if r, err := l.s.Check(t.Context()); err != nil || len(r.Problems) > 0 {
			rt.Fatal(r, err)
		}
	})
}
