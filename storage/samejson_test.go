package storage

import (
	"testing"
)

// A provider that writes its objects' members in another order has changed nothing;
// anything else that differs is a change.
func TestMembersInAnotherOrder(t *testing.T) {
	t.Parallel()
	x := over(t, Options{})
	w := x.begin("c")
	x.put(w, 0, `k={"id":"k","n":9007199254740993,"o":{"a":1,"b":[1,2]}}`)
	x.finish(w)
	for _, c := range []struct {
		data    string
		changed int64
	}{
		{`{"o":{"b":[1,2],"a":1},"n":9007199254740993,"id":"k"}`, 0},
		{`{"o":{"b":[2,1],"a":1},"n":9007199254740993,"id":"k"}`, 1},
		{`{"o":{"b":[2,1],"a":1},"n":9007199254740939,"id":"k"}`, 1},
		{`{"o":{"b":[2,1],"a":1},"n":9007199254740939,"id":null}`, 1},
	} {
		w := x.begin("c")
		x.put(w, 0, "k="+c.data)
		x.finish(w)
		got := w.Counts()[0]
		if got.Changed != c.changed || got.Unchanged != 1-c.changed {
			t.Errorf("%s: %d changed and %d unchanged, want %d and %d", c.data, got.Changed, got.Unchanged, c.changed, 1-c.changed)
		}
	}
	x.sound()
}
