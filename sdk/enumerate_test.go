package sdk_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// emit sends notes by their ids.
func emitNotes(t *testing.T, h *sdk.Host, ids ...string) {
	t.Helper()
	for _, id := range ids {
		r := h.Record("notes")
		r.String("id", id)
		if err := r.Emit(); err != nil {
			t.Fatal(err)
		}
	}
}

// A run goes on with a list that the run before began, two parts share a record, and Missing
// hands out page by page what was not met.
func TestEnumeration(t *testing.T) {
	t.Parallel()
	store := sdktest.Store{}
	enumerate := func(h *sdk.Host, part, begunBy string) *sdk.Enumeration {
		e, err := h.Enumerate("notes", part, begunBy)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	ok := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(before *sdktest.Result, collect notesConnector) *sdktest.Result {
		var res *sdktest.Result
		if before == nil {
			res = sdktest.Collect(t, collect, sdktest.Options{})
		} else {
			o := before
			res = o.SecondRun(t, func(o *sdktest.Options) { o.Stored = store })
		}
		store.Apply(res)
		return res
	}
	step := 0
	collect := func(h *sdk.Host) error {
		switch step++; step {
		case 1:
			p := enumerate(h, "p", "")
			emitNotes(t, h, "both", "p1", "p2")
			q := enumerate(h, "q", "")
			emitNotes(t, h, "both", "q1")
			ok(p.Resume())
			emitNotes(t, h, "p3", "p4", "p5")
			ok(p.Whole())
			ok(q.Whole())
		case 2: // begins p, and ends before it is whole
			p := enumerate(h, "p", "")
			emitNotes(t, h, "p1")
			return h.State("notes", []byte(`{"begun_by":"`+p.BegunBy()+`"}`))
		case 3:
			p := enumerate(h, "p", h.Cursor("notes").Get("begun_by").Str())
			ok(p.Met([]string{"p2"}))
			var missing []string
			ok(p.Missing(func(key string) error {
				missing = append(missing, key)
				return nil
			}))
			if got := strings.Join(missing, " "); got != "p3 p4 p5" { // both is in q as well
				t.Errorf("got %q missing, want p3 p4 p5", got)
			}
			emitNotes(t, h, "p4")
			ok(p.Whole())
		case 4: // of a record without its key the host knows nothing: the list is not whole
			p := enumerate(h, "p", "")
			ok(h.Record("notes").Emit())
			ok(p.Whole())
		}
		return h.State("notes", []byte(`{}`))
	}
	first := run(nil, collect)
	store.Holds(t, "notes", "both", "p1", "p2", "p3", "p4", "p5", "q1")
	second := run(first, collect)
	store.Holds(t, "notes", "both", "p1", "p2", "p3", "p4", "p5", "q1")
	third := run(second, collect)
	store.Holds(t, "notes", "both", "p1", "p2", "p4", "q1")
	fourth := third.SecondRun(t, func(o *sdktest.Options) { o.Tolerate = true })
	store.Apply(fourth)
	store.Holds(t, "notes", "both", "p1", "p2", "p4", "q1")
	for _, m := range fourth.Enumerations {
		if m.Status == abi.EnumerationWhole {
			t.Error("got a list called whole that lacks a record, want it left open")
		}
	}
}
