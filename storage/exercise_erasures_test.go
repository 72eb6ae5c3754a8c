package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// A record that its owner deletes is a tombstone like any other, and no run brings it back
// until its owner says so: neither a batch, nor an enumeration, nor one that begins a part.
func exerciseErasures(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	x.put(w, 0, "a=1", "b=1", "c=1")
	x.put(w, 1, "a=1")
	x.finish(w)
	c := x.connection("c")
	x.code(x.s.EraseRecord(ctx, "c", "a", "none"), abi.CodeRecordUnknown)
	x.code(x.s.EraseRecord(ctx, "c", "none", "a"), abi.CodeStreamUnknown)
	x.code(x.s.RestoreRecord(ctx, "c", "a", "a"), abi.CodeRecordUnknown)
	x.ok(x.s.EraseRecord(ctx, "c", "a", "a"))
	x.code(x.s.EraseRecord(ctx, "c", "a", "a"), abi.CodeRecordUnknown)
	x.same(x.list("c", "a"), "5:-a 2:b=1 3:c=1")
	x.same(x.list("c", "b"), "4:a=1")
	r, err := x.s.Record(ctx, "c", "a", "a")
	x.ok(err)
	x.same([]any{r.RunID, r.EmittedAt, r.Data == nil}, []any{"", "2026-01-02T03:04:05Z", true})
	changes, err := x.s.Changes(ctx, "c", 4, 0)
	x.ok(err)
	x.same(fmt.Sprint(len(changes), " ", show(changes[0])), "1 5:-a")
	x.sound()

	// The next run, whose deletion of it changes nothing, and whose other records are taken.
	w = x.begin("c")
	x.put(w, 0, "a=1", "b=2", "-a", "a=2", "d=1")
	x.put(w, 1, "a=1")
	x.ok(w.Flush(ctx))
	x.same(w.Counts(), []StreamCounts{{New: 1, Changed: 1, Unchanged: 1, Suppressed: 2}, {Unchanged: 1}})
	x.finish(w)
	x.same(x.list("c", "a"), "5:-a 6:b=2 3:c=1 7:d=1")
	run, err := x.s.Run(ctx, "run2")
	x.ok(err)
	x.same(run.Counts["a"], StreamCounts{New: 1, Changed: 1, Unchanged: 1, Suppressed: 2})
	some, err := x.s.RunsBefore(ctx, "c", "", 1)
	x.ok(err)
	x.same(some[0].Counts["a"].Suppressed, 2)

	// One that a run has under way when its owner deletes the record.
	w = x.begin("c")
	x.put(w, 0, "c=2")
	x.ok(w.Flush(ctx))
	x.ok(x.s.EraseRecord(ctx, "c", "a", "c"))
	x.put(w, 0, "c=3")
	x.finish(w)
	x.same(x.list("c", "a"), "5:-a 6:b=2 9:-c 7:d=1")

	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		got, err := x.s.IsErased(ctx, c.ID, "a", key)
		x.ok(err)
		x.same(got, want)
	}
	x.ok(x.s.RestoreRecord(ctx, "c", "a", "a"))
	x.code(x.s.RestoreRecord(ctx, "c", "a", "a"), abi.CodeRecordUnknown)
	w = x.begin("c")
	x.put(w, 0, "a=1", "c=1")
	x.ok(w.Flush(ctx))
	x.same(w.Counts()[0], StreamCounts{Changed: 1, Suppressed: 1})
	x.finish(w)

	// A later connection of that name knows nothing of it.
	x.ok(x.s.RemoveConnection(ctx, "c", nil))
	w = x.begin("c")
	x.put(w, 0, "c=1")
	x.ok(w.Flush(ctx))
	x.same(w.Counts()[0], StreamCounts{New: 1})
	x.finish(w)
	x.ok(x.s.EraseRecord(ctx, "c", "a", "c")) // for the copy
}

// A record that its owner has deleted stays deleted when its connector gives it another key. One that came under that key before, in the
// same batch too, is another's word, and a key that no record had leaves nothing.
func exerciseErasedMoved(t *testing.T, x *exercise) {
	ctx := t.Context()
	erased := func(keys string) {
		t.Helper()
		var got []string
		for key := range strings.FieldsSeq("a b c d e one two three x1 x2 x3") {
			is, err := x.s.IsErased(ctx, x.connection("c").ID, "a", key)
			if x.ok(err); is {
				got = append(got, key)
			}
		}
		x.same(strings.Join(got, " "), keys)
		x.sound()
	}
	w := x.begin("c")
	x.put(w, 0, "a=1", "b=1", "c=1", "d=1", "three=1")
	x.finish(w)
	for _, key := range []string{"a", "c", "d"} {
		x.ok(x.s.EraseRecord(ctx, "c", "a", key))
	}
	erased("a c d")
	w = x.begin("c")
	x.put(w, 0, "a>one=1", "b>two=1", "c>three=2", "none>e=1", "x3=1", "d>x3=2")
	x.put(w, 1, "a>one=1")
	x.ok(w.Flush(ctx))
	x.same(w.Counts(), []StreamCounts{{New: 3, Changed: 2, Deleted: 1, Suppressed: 1}, {New: 1}})
	x.finish(w)
	x.same(x.list("c", "a"), "6:-a 9:-b 7:-c 8:-d 12:e=1 11:three=2 10:two=1 14:x3=2")
	erased("a c d one")

	// One that has had several keys, in one batch and in several, comes again at one word of its owner's, whichever key that names. A
	// run that says the same once more takes nothing away then.
	w = x.begin("c")
	x.put(w, 0, "-x1", "one>x1=1", "x1>x2=1")
	x.finish(w)
	erased("a c d one x1 x2")
	x.ok(x.s.RestoreRecord(ctx, "c", "a", "x1"))
	erased("c d")
	w = x.begin("c")
	x.put(w, 0, "a>one=1", "one>x1=1", "x1>x2=1")
	x.ok(w.Flush(ctx))
	x.same(w.Counts()[0], StreamCounts{New: 2, Changed: 1, Deleted: 2})
	x.finish(w)
	erased("c d")
	x.ok(x.s.EraseRecord(ctx, "c", "a", "x2"))
	x.ok(x.s.RestoreRecord(ctx, "c", "a", "c"))
	erased("d x2")

	// Whatever a connector says, one deletion holds for so many records and no more.
	var all []string
	for n := range 40 {
		all = append(all, fmt.Sprintf("x2>many%d=1", n))
	}
	w = x.begin("c")
	x.put(w, 0, append(all, "many0>deep=1")...)
	x.ok(w.Flush(ctx))
	x.same(w.Counts()[0], StreamCounts{New: 25, Suppressed: 16})
	x.finish(w)
	x.ok(x.s.RestoreRecord(ctx, "c", "a", "x2"))
	erased("d")
}

// An enumeration neither misses nor buries what its owner has deleted, and one that meets it does
// not bring it back; after a restore the record is one of its part again.
func exerciseErasedEnumerated(t *testing.T, x *exercise) {
	ctx := t.Context()
	for _, e := range []Enumeration{whole(), part("p")} {
		name := "c"
		if e.Part != "" {
			name = "d"
		}
		w := x.begin(name)
		x.enumerate(w, e, "a=1", "b=1", "gone=1")
		x.ok(w.CommitSlice(ctx, "a", []byte(`{}`), "end", Sweep{Enumeration: e}))
		x.finish(w)
		x.ok(x.s.EraseRecord(ctx, name, "a", "a"))
		x.ok(x.s.EraseRecord(ctx, name, "a", "gone"))
		w = x.begin(name)
		x.enumerate(w, e, "a=2", "b=1")
		missing, err := w.Missing(ctx, e, "", 9)
		x.ok(err)
		x.same(len(missing), 0)
		x.ok(w.CommitSlice(ctx, "a", []byte(`{}`), "end", Sweep{Enumeration: e}))
		x.ok(w.Flush(ctx))
		x.same(w.Swept()[0].Gone, 0)
		x.same(w.Counts()[0], StreamCounts{Unchanged: 1, Suppressed: 1})
		x.finish(w)
		x.ok(x.s.RestoreRecord(ctx, name, "a", "a"))
		w = x.begin(name)
		x.enumerate(w, e, "a=3", "b=1")
		x.ok(w.CommitSlice(ctx, "a", []byte(`{}`), "end", Sweep{Enumeration: e}))
		x.ok(w.Flush(ctx))
		x.same([]any{w.Counts()[0], w.Swept()[0].Gone}, []any{StreamCounts{Changed: 1, Unchanged: 1}, 0})
		x.finish(w)
	}
}

// A delivery of a device does not bring it back either. The artifacts of a record go with it that
// no other record of the connection refers to, wherever in it.
func exerciseErasedArtifacts(t *testing.T, x *exercise) {
	ctx := t.Context()
	src, other := x.enrolled("laptop"), x.enrolled("other")
	id := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	for _, text := range []string{"alone", "shared", "deep", strings.Repeat("parts ", BlobPartBytes/4)} {
		for _, s := range []*SourceInstance{src, other} {
			x.ok(x.s.PutBlob(ctx, s, id(text), "text/plain", []byte(text)))
		}
	}
	long := id(strings.Repeat("parts ", BlobPartBytes/4))
	x.deliver(src, "r1", "a", fmt.Sprintf(`k={"x":{"blob_id":%q},"y":%q,"z":[%q],"long":%q}`, id("alone"), id("shared"), id("deep"), long), fmt.Sprintf(`l={"x":%q}`, id("shared")))
	x.deliver(src, "r1", "b", fmt.Sprintf(`m={"list":[{"of":%q}]}`, id("deep")))
	x.clock.forward(time.Second)
	x.commit(src, x.commitOf("r1"))
	x.ok(x.s.EraseRecord(ctx, "laptop", "a", "k"))
	has := func(s *SourceInstance, sum string) bool {
		_, err := x.s.BlobPart(ctx, s.ConnectionID, sum, 0)
		if err != nil {
			x.code(err, device.CodeNotFound)
		}
		return err == nil
	}
	x.same([]bool{has(src, id("alone")), has(src, long), has(src, id("shared")), has(src, id("deep"))}, []bool{false, false, true, true})
	x.same([]bool{has(other, id("alone")), has(other, long)}, []bool{true, true})
	var parts int
	x.ok(x.s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM device_blob_parts WHERE connection_id = ?", src.ConnectionID).Scan(&parts))
	x.same(parts, 2)

	// The device sends it again, with an artifact, which goes when all of its run has come.
	x.ok(x.blob(src, "alone"))
	x.deliver(src, "r2", "a", `k={"again":1}`, `n={}`)
	r, err := x.s.Run(ctx, "r2")
	x.ok(err)
	x.same(r.Counts["a"], StreamCounts{New: 1, Suppressed: 1})
	x.same(has(src, id("alone")), true)
	x.clock.forward(time.Second)
	x.commit(src, x.commitOf("r2"))
	x.same(has(src, id("alone")), false)
	x.ok(x.s.EraseRecord(ctx, "laptop", "a", "l"))
	x.ok(x.s.EraseRecord(ctx, "laptop", "b", "m"))
	x.same([]bool{has(src, id("shared")), has(src, id("deep"))}, []bool{false, false})
}

// An artifact that came before a record that refers to it stays until that record has come, although
// the only other one of it is deleted in between. A run that fails tells nothing of that.
func exerciseErasedArtifactToCome(_ *testing.T, x *exercise) {
	ctx, src := x.Context(), x.enrolled("laptop")
	ref := func(key, text string) string { return fmt.Sprintf(`%s={"x":%q}`, key, hashOf(text)) }
	has := func(texts ...string) (all []bool) {
		for _, text := range texts {
			_, err := x.s.BlobPart(ctx, src.ConnectionID, hashOf(text), 0)
			all = append(all, err == nil)
		}
		return all
	}
	put := func(texts ...string) {
		for _, text := range texts {
			x.ok(x.blob(src, text))
		}
	}
	end := func(run, status string) {
		x.clock.forward(time.Second)
		x.commit(src, x.commitOf(run, func(c *device.RunCommit) {
			if c.Outcome.Status = status; status == tables.StatusFailed {
				c.StateDelta, c.Outcome.Reason = nil, "x"
			}
		}))
		x.clock.forward(time.Second)
	}
	put("late", "old")
	x.deliver(src, "r1", "a", ref("k", "old"), ref("l", "late"))
	end("r1", tables.StatusSucceeded)
	put("late", "old", "loose") // the first two are there already
	x.deliver(src, "r2", "a", ref("o", "loose"))
	for _, key := range []string{"k", "l", "o"} {
		x.ok(x.s.EraseRecord(ctx, "laptop", "a", key))
	}
	end("r2", tables.StatusFailed)
	put("late")
	x.same(has("late", "old", "loose"), []bool{true, true, true})
	x.deliver(src, "r3", "a", ref("p", "late"))
	end("r3", tables.StatusSucceeded)
	x.same(has("late", "old", "loose"), []bool{true, false, false})
	x.ok(x.s.EraseRecord(ctx, "laptop", "a", "p"))
	x.same(has("late"), []bool{false})
}

// A record that changes while its owner deletes it is looked at again, but not for ever; what is
// wrong before is told at once.
func exerciseErasedMeanwhile(t *testing.T, x *exercise) {
	w := x.begin("c")
	x.put(w, 0, "a=1")
	x.finish(w)
	tries := 0
	first := func(fn func(*db.Tx) error) context.Context {
		tries = 0
		return db.First(t.Context(), func(t *db.Tx) error {
			tries++
			return fn(t)
		})
	}
	change := func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, "UPDATE records SET seq = 7")
		return err
	}
	x.code(x.s.EraseRecord(first(func(*db.Tx) error { return abi.NewError(abi.CodeStoreLocked, "x", "") }), "c", "a", "a"), abi.CodeStoreLocked)
	x.same(tries, 1)
	x.code(x.s.EraseRecord(first(change), "c", "a", "a"), abi.CodeStoreLocked)
	x.same(x.list("c", "a"), "1:a=1")
	x.ok(x.s.EraseRecord(first(func(t *db.Tx) error {
		if tries > 1 {
			return nil
		}
		return change(t)
	}), "c", "a", "a"))
	x.same(tries, 2)
	x.same(x.list("c", "a"), "2:-a")
}

// A record that is written while its owner deletes another one keeps the artifact of both, and
// the artifact's name may stand in a longer text.
func exerciseErasedArtifactMeanwhile(t *testing.T, x *exercise) {
	src := x.enrolled("laptop")
	x.ok(x.blob(src, "both"))
	x.ok(x.blob(src, "within"))
	both, within := hashOf("both"), hashOf("within")
	x.deliver(src, "r1", "a", fmt.Sprintf(`k={"x":%q,"y":%q}`, both, within), fmt.Sprintf(`l={"x":"ab%sc"}`, within), `m={}`)
	meanwhile := db.First(t.Context(), func(t *db.Tx) error {
		for _, q := range []string{"UPDATE records SET seq = seq + 1, data = ? WHERE key = 'm'", "UPDATE counters SET value = value + 1 WHERE name = 'change' AND ? <> ''"} {
			if _, err := t.DB.ExecContext(t.Ctx, q, fmt.Sprintf(`{"x":%q}`, both)); err != nil {
				return err
			}
		}
		return nil
	})
	x.ok(x.s.EraseRecord(meanwhile, "laptop", "a", "k"))
	for _, sum := range []string{both, within} {
		_, err := x.s.BlobPart(t.Context(), src.ConnectionID, sum, 0)
		x.ok(err)
	}
}

// A rejection ends with the deletion of its record, and what an owner has deleted is not rejected:
// an enumeration that meets it sweeps.
func exerciseErasedRejected(t *testing.T, x *exercise) {
	ctx := t.Context()
	rejected := func() (n, rows int64) {
		x.ok(x.s.db.Read.QueryRowContext(ctx, "SELECT sum(rejected + rejected_unlisted), (SELECT count(*) FROM rejected_records) FROM streams").Scan(&n, &rows))
		return n, rows
	}
	w := x.begin("c")
	x.put(w, 0, "k=1", "l=1", "gone=1", "!k", "!l")
	x.finish(w)
	x.ok(x.s.EraseRecord(ctx, "c", "a", "k"))
	n, rows := rejected()
	x.same([]int64{n, rows}, []int64{1, 1})
	x.sound()

	w = x.begin("c")
	x.enumerate(w, whole(), "!k", "l=2")
	x.ok(w.CommitSlice(ctx, "a", []byte(`{}`), "end", Sweep{Enumeration: whole()}))
	x.ok(w.Flush(ctx))
	x.same(w.Swept()[0].Gone, 1)
	x.finish(w)
	n, rows = rejected()
	x.same([]int64{n, rows}, []int64{0, 0})
}
