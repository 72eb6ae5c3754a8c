package storage

import "testing"

// The last word on a key counts, wherever it stands in its batch: one that the store had before the
// batch is a change of what stands in front of it.
func TestTheLastWordOnAKeyCounts(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	w := x.begin("c", allStreams)
	x.put(w, 0, `k={"n":1}`, `l={"n":1}`)
	x.succeed(w, nil)
	w = x.begin("c", allStreams)
	x.put(w, 0, `k={"n":2}`, `k={"n":1}`, `l={"n":2}`, `l={"n":1}`)
	x.succeed(w, nil)
	x.ok(x.s.EachRecord(t.Context(), "c", "a", func(r Record) error {
		if string(r.Data) != `{"n":1}` {
			t.Errorf("%s: got %s, want the last word on it", r.Key, r.Data)
		}
		return nil
	}))
}
