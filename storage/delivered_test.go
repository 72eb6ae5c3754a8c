package storage

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// delivered lists which of the keys of stream a the store calls delivered.
func (x *exercise) delivered(w *RunWriter, keys ...string) string {
	x.Helper()
	found, err := w.Delivered(x.Context(), "a", keys)
	x.ok(err)
	maps.DeleteFunc(found, func(_ string, held bool) bool { return !held })
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

// A collector's outbox hands records on, and knows the keys of those whose details are
// accounted for, for as long as their connection is there.
func TestDeliveredKeysOfALane(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	byKey := func(n *NewRun) { n.ByKey = []string{"a"} }
	w := x.begin("c", allStreams, byKey)
	x.put(w, 0, `k={}`, `m:1={}`, "-gone", "!bad", `worse={}`, "!worse", `was>now={}`)
	x.put(w, 1, `k={}`)
	x.same(x.delivered(w, "k", "m", "gone", "bad", "worse", "other", "was", "now"), "gone k m now")
	x.succeed(w, nil)
	x.deliver()
	_, err := x.s.PruneDelivered(t.Context(), 1)
	x.ok(err)

	w = x.begin("c", allStreams, byKey)
	x.put(w, 0, `k={}`)
	x.same(x.delivered(w, "k", "m", "gone", "bad", "worse", "other"), "gone k m")
	x.succeed(w, nil)
	rows := func() (n int64) {
		x.ok(x.s.db.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM delivered_keys").Scan(&n))
		return n
	}
	x.same(rows(), 5) // of stream a alone
	x.sound()
	x.ok(x.s.RemoveConnection(t.Context(), "c", nil))
	x.same(rows(), 0)
}
