package storage

import (
	"encoding/json"
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

func FuzzSameJSON(f *testing.F) {
	f.Add(`{"a":1,"b":2}`, `{"b":2,"a":1}`)
	f.Add(`[1,2]`, `[2,1]`)
	f.Add(`{"a":{"a":1}}`, `{"a":{"a":1}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if sameJSON([]byte(a), []byte(b)) != sameJSON([]byte(b), []byte(a)) {
			t.Error("the order of the two decides, want it not to")
		}
		if valid := json.Valid([]byte(a)); valid && !sameJSON([]byte(a), []byte(a)) {
			t.Error("a text differs from itself")
		}
	})
}
