package storage

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// queued shows the records that the lane delivers now, in their order: keys of stream a,
// tombstones behind a minus sign.
func (x *laneFixture) queued() string {
	x.Helper()
	var keys []string
	for {
		items := x.claim("h", 1)
		if len(items) == 0 {
			return strings.Join(keys, " ")
		}
		i := &items[0]
		if i.Kind == KindRecordBatch {
			var batch struct {
				Records []device.Record `json:"records"`
			}
			x.ok(json.Unmarshal(i.Payload, &batch))
			for _, r := range batch.Records {
				if r.Op == device.OpDelete {
					r.Key = "-" + r.Key
				}
				keys = append(keys, r.Key)
			}
		}
		x.ok(x.s.Acknowledge(x.Context(), i))
	}
}

// A collector keeps the keys of what it has enumerated, and delivers tombstones of what is
// gone, before the cursor that says so and once.
func TestLaneEnumerates(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c")
	x.enumerate(w, whole(), "a=1", "b=1", `quo"te\=1`)
	x.same(x.closes(w, whole()), "-0")
	x.same(x.queued(), `a b quo"te\`)

	w = x.begin("c")
	x.ok(w.Enumerate(t.Context(), Opening{Enumeration: whole()}))
	x.put(w, 0, "a=2", "new=1")
	missing, err := w.Missing(t.Context(), whole(), "", 9)
	x.ok(err)
	x.same(missing, []string{"b", `quo"te\`})
	x.ok(w.LeaveEnumeration(t.Context(), whole()))
	x.same(x.closes(w, whole()), "-2")
	x.same(x.queued(), `a new -b -quo"te\`)
	x.same(w.Counts()[0], StreamCounts{New: 2, Deleted: 2})

	// A record that is gone is neither missing nor delivered again. One that is known to be
	// unchanged is met by its key, also one of before the first enumeration.
	x.reopen()
	w = x.begin("c")
	x.ok(w.Enumerate(t.Context(), Opening{Enumeration: whole()}))
	x.ok(w.Met(t.Context(), whole(), []string{"a", "earlier"}))
	x.put(w, 0, "-new")
	x.ok(w.LeaveEnumeration(t.Context(), whole()))
	x.same(x.closes(w, whole()), "-0")
	x.same(x.queued(), "-new")
	w = x.begin("c")
	x.enumerate(w, whole(), "a=1")
	x.same(x.closes(w, whole()), "-1")
	x.same(x.queued(), "a -earlier")
}

// A record leaves the lane when the last part that held it does not list it any more.
func TestLaneEnumeratesParts(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c")
	x.enumerate(w, part("p"), "a=1", "b=1")
	x.enumerate(w, part("q"), "b=1", "c=1")
	x.same(x.closes(w, part("p"), part("q")), "p-0 q-0")
	x.same(strings.Fields(x.queued()), []string{"a", "b", "b", "c"})
	w = x.begin("c")
	x.enumerate(w, part("p"))
	x.same(x.closes(w, part("p")), "p-1")
	x.same(x.queued(), "-a")
	w = x.begin("c")
	x.enumerate(w, part("q"), "c=1")
	x.same(x.closes(w, part("q")), "q-1")
	x.same(x.queued(), "c -b")
}

// An enumeration that spans runs buries nothing that was delivered in between, also of a
// stream whose records the run asks for; the next enumeration does, once it is gone.
func TestLaneKeepsWhatIsWrittenBeside(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*NewRun){
		"enumerated":     func(*NewRun) {},
		"asked for, too": func(n *NewRun) { n.ByKey = []string{"a"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newLane(t)
			w := x.begin("c", change)
			x.enumerate(w, whole(), "a=1", "b=1", "c=1")
			x.same(x.closes(w, whole()), "-0")
			open := x.begin("c", change)
			x.ok(open.Enumerate(t.Context(), Opening{Enumeration: whole()}))
			x.put(open, 0, "a=1")
			x.finish(open)
			beside := x.begin("c", change)
			x.put(beside, 0, "b=2", "beside=1")
			x.finish(beside)
			last := x.begin("c", change)
			x.ok(last.Enumerate(t.Context(), Opening{Enumeration: whole(), BegunBy: open.RunID()}))
			x.ok(last.LeaveEnumeration(t.Context(), whole()))
			x.queued()
			x.same(x.closes(last, whole()), "-1")
			x.same(x.queued(), "-c")
			next := x.begin("c", change)
			x.enumerate(next, whole(), "a=1", "b=2")
			x.same(x.closes(next, whole()), "-1")
			x.same(x.queued(), "a b -beside")
		})
	}
}

// A narrowed run, a rejected record and one that was left out have the lane bury nothing.
func TestLaneRefusesASweep(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c")
	x.enumerate(w, whole(), numbered(0, 50)...)
	x.same(x.closes(w, whole()), "-0")
	x.queued()
	w = x.begin("c")
	x.enumerate(w, whole(), numbered(0, 10)...)
	x.same(x.sweeps(w, true, whole()), "40 of 50 too_many_gone")
	w = x.begin("c")
	x.ok(w.Enumerate(t.Context(), Opening{Enumeration: whole(), Narrowed: true}))
	x.same(x.closes(w, whole()), "-0narrowed")
	w = x.begin("c")
	x.ok(w.Enumerate(t.Context(), Opening{Enumeration: whole()}))
	x.ok(w.SpoilEnumeration(t.Context(), "a"))
	x.same(x.closes(w, whole()), "-0unnamed")
	if got := x.queued(); strings.Contains(got, "-") || !slices.Contains(strings.Fields(got), "009") {
		t.Errorf("delivered %s, want the records that were met and no tombstone", got)
	}
}

// AC-09
//
// A lane asks as the host does: for what it has delivered, as a whole or in parts.
func TestLaneAsksFirst(t *testing.T) {
	t.Parallel()
	for _, e := range []Enumeration{whole(), part("p")} {
		x := newLane(t)
		w := x.begin("c")
		x.enumerate(w, e, numbered(0, 6)...)
		x.closes(w, e)
		for _, c := range []struct {
			met  int
			want string
		}{{2, "4 of 6 too_many_gone"}, {3, "3 of 6"}, {0, "3 of 3"}} {
			w = x.begin("c")
			x.enumerate(w, e, numbered(0, c.met)...)
			x.same(x.sweeps(w, false, e), c.want)
		}
	}
}
