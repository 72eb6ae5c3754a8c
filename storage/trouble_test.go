package storage

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// over makes an exercise over one file with options.
func over(t *testing.T, o Options) *exercise {
	t.Helper()
	x := &exercise{T: t, clock: newClock()}
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "pdpp.sqlite")
	}
	o.Now = x.clock.Now
	x.s = mustOpen(t, o)
	return x
}

// lockOut takes the write lock as another process would; the returned function
// gives it back.
func lockOut(t *testing.T, path string) func() {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		_, err := conn.ExecContext(context.Background(), "ROLLBACK")
		if err := errors.Join(err, conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := over(t, Options{maxPages: 200}) // 1.6 MB
	w := x.begin("c")
	x.put(w, 0, "first=1")
	x.ok(w.CommitSlice(ctx, "a", []byte("1"), ""))
	x.ok(w.Flush(ctx))
	var err error
	filler := strings.Repeat("x", 10_000)
	for i := 0; err == nil; i++ {
		if i > 1000 {
			t.Fatal("the disk never fills")
		}
		err = put(ctx, w, 0, fmt.Sprintf("k%d=%s", i, filler))
		if err == nil {
			err = w.CommitSlice(ctx, "a", fmt.Appendf(nil, "%d", i+2), "")
		}
	}
	x.code(w.Flush(ctx), abi.CodeStoreFull)
	x.code(w.Finish(ctx, Outcome{Status: "succeeded"}), abi.CodeStoreFull)
	x.sound()
	// Whatever is committed is whole: the cursor counts the records before it.
	list, err := x.s.Checkpoints(ctx, "c")
	x.ok(err)
	st, err := x.s.Streams(ctx, "c")
	x.ok(err)
	x.same(fmt.Sprint(st[0].Live), string(list[0].Cursor))
	x.same(w.Counts()[0].New, st[0].Live)
	x.same(list[0].Seq, st[0].LastSeq)
}

func TestLockedByAnotherProcess(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := over(t, Options{busyTimeout: 30 * time.Millisecond})
	w := x.begin("c")
	x.put(w, 0, "k=1")
	x.ok(w.Flush(ctx))
	unlock := lockOut(t, x.s.Path())
	x.put(w, 0, "k=2")
	x.code(w.Flush(ctx), abi.CodeStoreLocked)
	_, err := x.s.EnsureConnection(ctx, "d", "demo")
	x.code(err, abi.CodeStoreLocked)
	if e, _ := errors.AsType[*abi.Error](err); e.Hint == "" || !strings.Contains(e.Detail, x.s.Path()) {
		t.Errorf("got the hint %q and the detail %q, want a hint and %s", e.Hint, e.Detail, x.s.Path())
	}
	x.same(x.list("c", "a"), "1:k=1") // reading goes on
	unlock()
	x.code(w.Flush(ctx), abi.CodeStoreLocked) // the run is over
	x.ok(w.Finish(ctx, Outcome{Status: "failed", Reason: "runtime_error"}))
	w = x.begin("c")
	x.put(w, 0, "k=2")
	x.finish(w)
	x.same(x.list("c", "a"), "2:k=2")
	x.sound()
}

// TestLockIsAwaited: a lock that is given back in time is no error.
func TestLockIsAwaited(t *testing.T) {
	t.Parallel()
	x := over(t, Options{})
	w := x.begin("c")
	unlock := lockOut(t, x.s.Path())
	x.put(w, 0, "k=1")
	done := make(chan error)
	go func() { done <- w.Flush(t.Context()) }()
	select {
	case err := <-done:
		t.Fatal("written in spite of the lock", err)
	default:
	}
	unlock()
	x.ok(<-done)
	x.finish(w)
}

// TestCloseDoesNotWaitForALock: another process's lock does not keep Close.
func TestCloseDoesNotWaitForALock(t *testing.T) {
	t.Parallel()
	x := over(t, Options{busyTimeout: time.Hour})
	w := x.begin("c")
	unlock := lockOut(t, x.s.Path())
	x.put(w, 0, "k=1")
	done := make(chan error)
	go func() { done <- w.Flush(context.Background()) }()
	go func() { _ = x.s.Close() }()
	x.code(<-done, abi.CodeStoreUnavailable)
	unlock()
}

func TestOpenLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	rawSQL(t, path, "PRAGMA user_version = 1") // an empty database that has to be migrated
	defer lockOut(t, path)()
	_, err := Open(t.Context(), Options{Path: path, Now: time.Now, busyTimeout: 30 * time.Millisecond})
	if abi.CodeOf(err) != abi.CodeStoreLocked {
		t.Fatal(err)
	}
}

// TestTwoStores writes from two stores over one file, as two processes would:
// every change gets a number of its own, and nothing is lost.
func TestTwoStores(t *testing.T) {
	t.Parallel()
	const batches, rows = 30, 100
	x := over(t, Options{})
	y := over(t, Options{Path: x.s.Path()})
	y.runs = 1000
	errs := make(chan error)
	for _, one := range []struct {
		x    *exercise
		name string
	}{{x, "c0"}, {x, "c1"}, {y, "d0"}, {y, "d1"}} {
		w := one.x.begin(one.name)
		go func() {
			ctx := context.Background()
			for i := range batches {
				b := w.NewBatch()
				for j := range rows {
					b.Add(0, fmt.Appendf(nil, "k%d", i*rows+j), []byte("{}"), []byte("t"), false)
				}
				err := w.Write(ctx, b)
				if err == nil {
					err = w.CommitSlice(ctx, "a", fmt.Appendf(nil, "%d", (i+1)*rows), "")
				}
				if err == nil && i%7 == 0 {
					err = w.Flush(ctx)
				}
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- w.Finish(ctx, Outcome{Status: "succeeded"})
		}()
	}
	for range 4 {
		x.ok(<-errs)
	}
	x.sound()
	st, err := y.s.Stats(t.Context())
	x.ok(err)
	x.same([]int64{st.Records, st.LastSeq}, []int64{4 * batches * rows, 4 * batches * rows})
	for _, name := range []string{"c0", "c1", "d0", "d1"} {
		x.same(x.cursors(name), fmt.Sprintf("a/incremental=%d", batches*rows))
	}
}

// TestLeaseAcrossStores: one of two processes gets the connection.
func TestLeaseAcrossStores(t *testing.T) {
	t.Parallel()
	x := over(t, Options{})
	y := over(t, Options{Path: x.s.Path()})
	n := []NewRun{x.newRun("c"), x.newRun("c")}
	errs := make(chan error)
	for i, s := range []*Store{x.s, y.s} {
		go func() { _, err := s.BeginRun(context.Background(), n[i]); errs <- err }()
	}
	first, second := <-errs, <-errs
	if (first == nil) == (second == nil) {
		t.Fatalf("got %v and %v, want one error", first, second)
	}
	if first == nil {
		first = second
	}
	x.code(first, abi.CodeConnectionBusy)
	x.sound()
}

// TestDamagedFile: damage is reported by the check and refused by the reads.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	x := over(t, Options{})
	w := x.begin("c")
	b := w.NewBatch()
	for i := range 5000 {
		b.Add(0, fmt.Appendf(nil, "k%d", i), []byte(`{"a":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}`), []byte("t"), false)
	}
	x.ok(w.Write(t.Context(), b))
	x.finish(w)
	path := x.s.Path()
	x.ok(x.s.Close())
	raw, err := os.ReadFile(path)
	x.ok(err)
	const page = 8192
	for at := 0; at+page <= len(raw); at += page {
		if bytes.Count(raw[at:at+page], []byte(`{"a":"bbbb`)) > 50 { // a page of records, and of nothing else
			copy(raw[at:], bytes.Repeat([]byte{0xff}, page))
		}
	}
	x.ok(os.WriteFile(path, raw, 0o600))
	x.s = mustOpen(t, Options{Path: path})
	r, err := x.s.Check(t.Context())
	x.ok(err)
	if len(r.Problems) == 0 {
		t.Fatal("the damage was not seen")
	}
	err = x.s.EachRecord(t.Context(), "c", "a", func(Record) error { return nil })
	x.code(err, abi.CodeStoreCorrupt)
}

// TestNewIsNotMistakenForChanged: the database's last inserted row id, by which
// a new record is told from a changed one, also moves when other tables grow; a
// changed record whose new sequence happened to equal it was counted as new.
func TestNewIsNotMistakenForChanged(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := over(t, Options{unsynced: true})
	w := x.begin("c")
	x.put(w, 0, "k=0")
	for i := range 40 {
		for range i % 4 { // the rows of events meet the sequence from several sides
			x.ok(w.Event(ctx, Event{Type: "x"}))
		}
		x.put(w, 0, fmt.Sprintf("k=%d", i+1))
	}
	x.ok(w.Flush(ctx))
	x.same(w.Counts()[0], StreamCounts{New: 1, Changed: 40})
}

// TestCheckFinds breaks each promise behind the store's back.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]string{
		"counters differ":              "UPDATE streams SET live = live + 1",
		"above the store's counter":    "UPDATE counters SET value = 1",
		"ahead of the store's records": "UPDATE states SET seq = 99",
		"tombstone has data":           "UPDATE records SET data = NULL WHERE key = 'k1'",
		"records of no stream":         "UPDATE records SET stream_id = 77 WHERE key = 'k1'",
		"a record is of no run":        "UPDATE records SET run_pk = 77",
		"another bookmark":             "UPDATE states SET bookmark = 'backfill'",
		"lease is of no running run":   "UPDATE runs SET status = 'failed'",
		"running without a lease":      "UPDATE leases SET run_id = ''",
		"staged by a run that has":     "UPDATE runs SET status = 'failed'",
		"leased to a run that has":     "UPDATE runs SET status = 'failed'",
		"refers to nothing":            "DELETE FROM connections",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			x := over(t, Options{})
			w := x.begin("c")
			x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "k"}))
			x.finish(w)
			w = x.begin("c")
			x.lease(w, 1)
			x.put(w, 0, "k1=1", "k2=2")
			x.ok(w.CommitSlice(ctx, "a", []byte("1"), ""))
			x.ok(w.Stage(ctx, "b", []byte("1"), ""))
			x.ok(w.Flush(ctx))
			x.sound()
			rawSQL(t, x.s.Path(), change)
			r, err := x.s.Check(ctx)
			x.ok(err)
			if !strings.Contains(strings.Join(r.Problems, "\n"), want) {
				t.Errorf("got %q, want %q", r.Problems, want)
			}
		})
	}
}
