package storage

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/connection"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// marks counts which of n marked texts a store's files still hold.
func (x *exercise) marks(prefix string, n int) (found int) {
	x.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal", "-journal"} {
		b, err := os.ReadFile(x.s.db.Path + suffix)
		if err == nil {
			all = append(all, b...)
		}
	}
	for i := range n {
		if bytes.Contains(all, fmt.Appendf(nil, "%s-%04d-", prefix, i)) {
			found++
		}
	}
	return found
}

// marked writes n records whose text is marked at both ends, some of them longer than a
// page: the end of such a text lies in pages of its own, which go to the free list whole.
func (x *exercise) marked(w *RunWriter, prefix string, n int, del bool) {
	x.Helper()
	b := w.NewBatch()
	for i := range n {
		mark := fmt.Sprintf("%s-%04d-", prefix, i)
		text := fmt.Sprintf(`{"t":"%s%s%s"}`, mark, strings.Repeat("x", i*97%(3*8192)), mark)
		b.Add(0, fmt.Appendf(nil, "key%04d", i), []byte(text), []byte("2026-01-02T03:04:05Z"), del)
	}
	x.ok(w.Write(x.Context(), b))
	x.ok(w.Flush(x.Context()))
}

// After a removal, no page, free page or log of the store has the text of the connection,
// while other processes have the store open; the same holds for a record after its tombstone.
func TestErasedTextIsGone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	_ = x.open(t, x.clock.Now) // keeps the log when the first is closed
	const n = 200
	w := x.begin("c")
	x.marked(w, "record", n, false)
	for i := range n {
		mark := func(what string) []byte { return fmt.Appendf(nil, `{"t":"%s-%04d-"}`, what, i) }
		x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: fmt.Sprintf("gap-%04d-", i), DetailLocator: mark("locator")}))
		x.ok(w.Event(ctx, Event{Type: "e", Data: mark("event")}))
		x.ok(w.Stage(ctx, "b", mark("cursor"), ""))
	}
	x.ok(w.Finish(ctx, Outcome{Status: tables.StatusSucceeded, Checkpoints: []StateCommit{{Stream: "a", Cursor: []byte(`"cursor-0000-"`)}}}))
	kept := x.begin("other")
	x.marked(kept, "kept", n, false)
	x.finish(kept)
	if got := x.marks("record", n); got != n {
		t.Fatalf("before anything is removed: got %d records, want %d", got, n)
	}

	w = x.begin("c")
	x.marked(w, "record", n/2, true)
	x.finish(w)
	x.ok(x.s.db.FoldLog(ctx)) // the writer does it by itself when it is idle
	if got, want := x.marks("record", n), n-n/2; got != want {
		t.Errorf("after %d tombstones the files hold %d texts, want %d", n/2, got, want)
	}

	x.ok(x.s.RemoveConnection(ctx, "c", nil))
	for _, what := range []string{"record", "gap", "locator", "event", "cursor"} {
		if got := x.marks(what, n); got != 0 {
			t.Errorf("after the removal the files hold %d of %d %ss, want 0", got, n, what)
		}
	}
	if got := x.marks("kept", n); got != n {
		t.Errorf("the other connection: got %d records, want %d", got, n)
	}
	_, err := x.s.Connection(ctx, "c")
	x.code(err, abi.CodeConnectionUnknown)
}

// When SQLite moves rows to other pages, it leaves copies of them behind, which go as well.
func TestErasedRowsLeaveNoCopies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("searches the whole file after each of 120 removals")
	}
	ctx := t.Context()
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	const connections, n, gone = 120, 120, 20
	chance := rand.New(rand.NewPCG(1, 2))
	var there []string
	for i := range connections {
		name := fmt.Sprintf("c%03d", i)
		w := x.begin(name)
		put := func(from, to int, deleted bool) {
			b := w.NewBatch()
			for at := from; at < to; at++ {
				text := fmt.Sprintf(`{"t":"%s-%04d-%s"}`, name, at, strings.Repeat("x", 200+chance.IntN(100)))
				b.Add(0, fmt.Append(nil, at), []byte(text), []byte("2026-01-02T03:04:05Z"), deleted)
			}
			x.ok(w.Write(ctx, b))
			x.ok(w.Flush(ctx))
		}
		put(0, n, false)
		put(0, n/4, false) // they change
		put(n/4, n/4+gone, true)
		x.finish(w)
		if there = append(there, name); len(there) < 4 {
			continue
		}
		at := chance.IntN(len(there))
		name = there[at]
		there = slices.Delete(there, at, at+1)
		x.ok(x.s.RemoveConnection(ctx, name, nil))
		if got := x.marks(name, n); got != 0 {
			t.Errorf("after the removal of connection %s the files hold %d of its records, want 0", name, got)
		}
	}
	for _, name := range there {
		if got := x.marks(name, n); got != n-gone {
			t.Errorf("of connection %s, which stays: got %d records, want %d", name, got, n-gone)
		}
	}
	var sound string
	x.ok(x.s.db.Read.NewRaw("PRAGMA integrity_check").Scan(ctx, &sound))
	if sound != "ok" {
		t.Errorf("the file is %s, want ok", sound)
	}
}

// A writer that has nothing else to do folds away what was deleted, and tries
// again after a reader that held it up.
func TestIdleWriterEmptiesTheLog(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	const n = 20
	w := x.begin("c")
	x.marked(w, "record", n, false)
	x.finish(w)
	x.ok(x.s.Snapshot(ctx, func(g evidence.Gatherer) error {
		_, err := g.NewestRun("c") // from here on the reader holds the log
		x.ok(err)
		w := x.begin("c")
		x.marked(w, "record", n, true)
		x.finish(w)
		return nil
	}))
	got := n
	for tries := 0; got > 0 && tries < 1000; tries++ {
		x.finish(x.begin("c")) // and the writer is idle again
		got = x.marks("record", n)
	}
	if got != 0 {
		t.Errorf("the files hold %d of %d deleted texts, want 0", got, n)
	}
}

// A store that is opened folds away what another process deleted and could not fold, as one that
// was killed between the two.
func TestOpenEmptiesTheLog(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	const n = 20
	w := x.begin("c")
	x.marked(w, "record", n, false)
	x.finish(w)
	x.ok(x.s.db.FoldLog(ctx)) // from here on the file itself has them
	x.ok(x.s.Snapshot(ctx, func(g evidence.Gatherer) error {
		_, err := g.NewestRun("c") // the reader holds the log
		x.ok(err)
		w := x.begin("c")
		x.marked(w, "record", n, true)
		x.finish(w)
		x.idle()
		return nil
	}))
	_ = x.open(t, x.clock.Now)
	if got := x.marks("record", n); got != 0 {
		t.Errorf("the files hold %d of %d deleted texts, want 0", got, n)
	}
}

// idle gives the writer something to do, so that it has had nothing to do since what
// was written before.
func (x *exercise) idle() {
	x.Helper()
	for range 2 {
		x.ok(x.s.db.Alone(x.Context(), "nothing", func(*db.Tx) error { return nil }))
	}
}

// Sealed credentials that were replaced or removed, a removed connection that had no
// records, and delivered uploads are in no file either, once the writer was idle.
func TestErasedSecretsAndUploadsAreGone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	gone := func(x *exercise, prefix string, of, want int, when string) {
		x.Helper()
		got := x.marks(prefix, of)
		for tries := 0; got > want && tries < 20; tries++ { // a store that is opened looks at the log, which holds up a writer once
			x.idle()
			got = x.marks(prefix, of)
		}
		if got != want {
			x.Errorf("%s the files hold %d of %d, want %d", when, got, of, want)
		}
	}
	t.Run("credentials", func(t *testing.T) {
		t.Parallel()
		x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
		x.s = x.open(t, x.clock.Now)
		_ = x.open(t, x.clock.Now)
		c := x.connection("c")
		put := func(text string) {
			t.Helper()
			x.ok(x.s.PutCredentials(ctx, c.ID, map[string][]byte{"token": []byte(text + strings.Repeat("x", 300))}))
		}
		put("sealed-0000-")
		put("sealed-0001-")
		x.idle()
		gone(x, "sealed", 2, 1, "after one was replaced")
		_, err := x.s.DeleteCredential(ctx, c.ID, "token")
		x.ok(err)
		x.idle()
		gone(x, "sealed", 2, 0, "after one was removed")
		put("sealed-0000-")
		// Where a reader keeps RemoveConnection from folding the log, the writer has to.
		x.ok(x.s.db.Alone(ctx, "remove", func(t *db.Tx) error { return connection.RemoveConnection(t, "c", nil) }))
		x.idle()
		gone(x, "sealed", 2, 0, "after the connection was removed")
	})
	t.Run("artifacts", func(t *testing.T) {
		t.Parallel()
		x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
		x.s = x.open(t, x.clock.Now)
		_ = x.open(t, x.clock.Now)
		src, text := x.enrolled("laptop"), "artifact-0000-"+strings.Repeat("x", 300)
		x.ok(x.blob(src, text))
		x.deliver(src, "r1", "a", fmt.Sprintf(`k={"x":%q}`, hashOf(text)))
		x.ok(x.s.EraseRecord(ctx, "laptop", "a", "k"))
		x.idle()
		gone(x, "artifact", 1, 1, "before its run has ended")
		x.clock.forward(time.Second)
		x.commit(src, x.commitOf("r1"))
		x.idle()
		gone(x, "artifact", 1, 0, "after its run has ended")
	})
	t.Run("answers", func(t *testing.T) {
		t.Parallel()
		x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
		x.s = x.open(t, x.clock.Now)
		_ = x.open(t, x.clock.Now)
		n := x.newRun("c")
		w, err := x.s.BeginRun(ctx, n)
		x.ok(err)
		x.question(n, "q1")
		x.ok(x.s.AnswerQuestion(ctx, "q1", "session", []byte("answer-0000-"+strings.Repeat("x", 300)), nil))
		x.idle()
		gone(x, "answer", 1, 1, "before its run takes it")
		_, _, err = x.s.TakeAnswer(ctx, "q1", QuestionTimedOut)
		x.ok(err)
		x.idle()
		gone(x, "answer", 1, 0, "after its run took it")
		x.question(n, "q2")
		x.ok(x.s.AnswerQuestion(ctx, "q2", "session", []byte("untaken-0000-"+strings.Repeat("x", 300)), nil))
		x.idle()
		gone(x, "untaken", 1, 1, "before its run has ended")
		x.finish(w)
		x.idle()
		gone(x, "untaken", 1, 0, "after its run has ended")
	})
	t.Run("uploads", func(t *testing.T) {
		t.Parallel()
		x := newLane(t)
		w := x.begin("c")
		x.marked(w, "upload", 20, false)
		x.finish(w)
		if got := x.marks("upload", 20); got != 20 {
			t.Fatalf("before they are delivered: got %d uploads, want 20", got)
		}
		x.deliver()
		x.idle()
		gone(x.exercise, "upload", 20, 0, "after all was delivered")
	})
}
