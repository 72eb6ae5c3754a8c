package storage

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// AC-05: which fields carry data is kept beside the books of files, and neither takes the other
// away.
func exerciseFields(t *testing.T, x *exercise) {
	ctx := t.Context()
	end := func(o Outcome) {
		t.Helper()
		o.Status = "succeeded"
		x.ok(x.begin("c").Finish(ctx, o))
	}
	end(Outcome{})
	c := x.connection("c")
	has := func(want map[string]Fields, begun int64) {
		t.Helper()
		fields, err := x.s.Fields(ctx, c.ID)
		x.ok(err)
		x.same(fields, want)
		b, _, err := x.s.Books(ctx, c.ID)
		x.ok(err)
		x.same(b.BegunMS, begun)
	}
	has(map[string]Fields{}, 0)
	notes := map[string]Fields{"notes": {Carried: []string{"id", "title"}, Gone: []string{"title"}}, "tags": {Carried: []string{"id"}}}
	end(Outcome{Fields: notes})
	has(notes, 0)
	end(Outcome{Books: &tables.Books{BegunMS: 7}})
	has(notes, 7)
	fewer := map[string]Fields{"notes": {Carried: []string{"id"}}}
	end(Outcome{Fields: fewer})
	has(fewer, 7)
	x.ok(x.s.RemoveConnection(ctx, "c", nil))
	has(map[string]Fields{}, 0)
}
