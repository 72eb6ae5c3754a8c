package storage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// whole and part are enumerations of stream a.
func whole() Enumeration           { return Enumeration{Stream: "a"} }
func part(name string) Enumeration { return Enumeration{Stream: "a", Part: name} }

// live shows which records of stream a are there.
func (x *exercise) live() string {
	x.Helper()
	var keys []string
	x.ok(x.s.EachRecord(x.Context(), "c", "a", func(r Record) error {
		if !r.Deleted {
			keys = append(keys, r.Key)
		}
		return nil
	}))
	return strings.Join(keys, " ")
}

// enumerate writes records in an enumeration that begins here.
func (x *exercise) enumerate(w *RunWriter, e Enumeration, records ...string) {
	x.Helper()
	x.ok(w.Enumerate(x.Context(), Opening{Enumeration: e}))
	x.put(w, 0, records...)
	x.ok(w.LeaveEnumeration(x.Context(), e))
}

// closes ends a run whose last cursor closes enumerations with the owner's word, and shows what
// they swept.
func (x *exercise) closes(w *RunWriter, enumerations ...Enumeration) string {
	x.Helper()
	var sweeps []Sweep
	for _, e := range enumerations {
		sweeps = append(sweeps, Sweep{Enumeration: e, Accepted: true})
	}
	x.ok(w.CommitSlice(x.Context(), "a", []byte(`{}`), "end", sweeps...))
	x.ok(w.Flush(x.Context()))
	var out []string
	for _, s := range w.Swept() {
		out = append(out, fmt.Sprintf("%s-%d%s", s.Part, s.Gone, s.Refused))
	}
	x.finish(w)
	return strings.Join(out, " ")
}

func numbered(from, to int) (records []string) {
	for i := from; i < to; i++ {
		records = append(records, fmt.Sprintf("%03d=1", i))
	}
	return records
}

// A whole enumeration buries what it has not met, in the transaction of the cursor, and the
// records that it met keep their place in the changes.
func exerciseEnumerations(t *testing.T, x *exercise) {
	w := x.begin("c")
	x.put(w, 0, "before=1", `quo"te\=1`, "ü=1", "old=1")
	x.same(x.closes(w), "")
	w = x.begin("c")
	x.enumerate(w, whole(), "before=1", `quo"te\=1`, "ü=1", "new=1", "\x01\x7f=1")
	x.ok(w.Flush(t.Context()))
	held := -1
	x.ok(x.s.db.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM marks").Scan(&held))
	x.same(held, 0) // a part alone holds keys
	x.same(x.closes(w, whole()), "-1")
	x.same(x.list("c", "a"), "6:\x01\x7f=1 1:before=1 5:new=1 7:-old 2:quo\"te\\=1 3:ü=1")
	x.same(w.Counts()[0], StreamCounts{New: 2, Unchanged: 3, Deleted: 1})

	// A record that comes between the end of the list and its cursor is there.
	w = x.begin("c")
	x.ok(w.Enumerate(t.Context(), Opening{Enumeration: whole()}))
	x.put(w, 0, "before=1", "ü=2")
	x.put(w, 0, "-ü")
	x.ok(w.Met(t.Context(), whole(), []string{`quo"te\`, "never seen"}))
	missing, err := w.Missing(t.Context(), whole(), "", 2)
	x.ok(err)
	x.same(fmt.Sprintf("%q", missing), `["\x01\x7f" "new"]`)
	missing, err = w.Missing(t.Context(), whole(), missing[0], 2)
	x.ok(err)
	x.same(missing, []string{"new"})
	x.ok(w.LeaveEnumeration(t.Context(), whole()))
	x.put(w, 0, "new=1")
	found, err := w.WeighSweeps(t.Context(), []Sweep{{Enumeration: whole()}})
	x.ok(err)
	x.same(found, []Swept{{Enumeration: whole(), Gone: 1, Held: 5}})
	x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded", Sweeps: []Sweep{{Enumeration: whole()}}}))
	x.same(x.live(), `before new quo"te\`)
	x.ok(x.s.RemoveConnection(t.Context(), "c", nil))
}

// A sweep of one part leaves what another part holds, in either order.
func exerciseEnumeratedParts(t *testing.T, x *exercise) {
	w := x.begin("c")
	x.put(w, 0, "none=1")
	x.enumerate(w, part("p"), "p1=1", "p2=1", "both=1", "moved=1")
	x.enumerate(w, part("q"), "q1=1", "both=1")
	x.same(x.closes(w, part("p"), part("q")), "p-0 q-0")
	w = x.begin("c")
	x.enumerate(w, part("q"), "q1=1", "moved=1")
	x.enumerate(w, part("p"), "p1=1", "both=1")
	x.same(x.closes(w, part("p"), part("q")), "p-1 q-0")
	x.same(x.live(), "both moved none p1 q1")
	// Of a detail that is still to fetch, each record is there.
	w = x.begin("c")
	x.enumerate(w, part("p"), "d=1", "d:1=1", "d;=1", "p1=1", "both=1")
	x.same(x.closes(w, part("p")), "p-0")
	w = x.begin("c")
	x.ok(w.Enumerate(t.Context(), Opening{Enumeration: part("p")}))
	x.ok(w.MetDetail(t.Context(), "a", "d"))
	x.same(x.closes(w, part("p")), "p-3")
	x.same(x.live(), "d d:1 moved none q1")
	// The whole stream forgets its parts, and a part what was met as a whole.
	w = x.begin("c")
	x.enumerate(w, whole(), "d=1", "q1=1")
	x.same(x.closes(w, whole()), "-3")
	w = x.begin("c")
	x.enumerate(w, part("q"))
	x.same(x.closes(w, part("q"))+x.live(), "q-0d q1")
}

// A run goes on with an enumeration that an earlier one began, and with no other: another
// one would not have what the earlier run met.
func exerciseEnumerationGoesOn(t *testing.T, x *exercise) {
	w := x.begin("c")
	x.enumerate(w, whole(), "1=1", "2=1", "3=1", "4=1")
	x.same(x.closes(w, whole()), "-0")
	first := x.begin("c")
	x.enumerate(first, whole(), "1=1", "2=1")
	x.finish(first)
	second := x.begin("c")
	x.ok(second.Enumerate(t.Context(), Opening{Enumeration: whole(), BegunBy: first.RunID()}))
	x.put(second, 0, "3=1")
	x.same(x.closes(second, whole()), "-1")
	x.same(x.live(), "1 2 3")

	begun := x.begin("c") // its cursor is kept
	x.enumerate(begun, whole(), "1=1", "2=1")
	x.finish(begun)
	refresh := x.begin("c") // begins anew, and dies before it has a cursor
	x.enumerate(refresh, whole(), "1=1")
	x.ok(refresh.Flush(t.Context()))
	refresh.Abandon()
	x.clock.forward(2 * 60 * 1e9)
	resumed := x.begin("c")
	x.ok(resumed.Enumerate(t.Context(), Opening{Enumeration: whole(), BegunBy: begun.RunID()}))
	x.put(resumed, 0, "3=1", "5=1")
	x.same(x.closes(resumed, whole()), "-0lost")
	x.same(x.live(), "1 2 3 5")
	for _, slices := range []bool{false, true} { // one that the run has not opened at all
		x.same(x.sweeps(x.begin("c"), slices, whole())+x.live(), "0 of 0 lost1 2 3 5")
	}

	// A narrowed run sweeps nothing, and what it meets exists. A record that it rejects exists, too.
	open := x.begin("c")
	narrowed := func(some ...string) {
		x.enumerate(open, whole(), "1=1", "2=1")
		x.finish(open)
		w := x.begin("c")
		x.ok(w.Enumerate(t.Context(), Opening{Enumeration: whole(), Narrowed: true}))
		x.put(w, 0, some...)
		x.same(x.closes(w, whole()), "-0narrowed")
	}
	narrowed("!3", "2=1")
	last := x.begin("c")
	x.ok(last.Enumerate(t.Context(), Opening{Enumeration: whole(), BegunBy: open.RunID()}))
	x.same(x.closes(last, whole())+x.live(), "-0rejected1 2 3 5")
	open = x.begin("c")
	narrowed("2=1", "4=1", "5=1")
	last = x.begin("c")
	x.ok(last.Enumerate(t.Context(), Opening{Enumeration: whole(), BegunBy: open.RunID()}))
	x.same(x.closes(last, whole())+x.live(), "-11 2 4 5")

	// A record that was written since the enumeration began exists, whoever wrote it.
	open = x.begin("c")
	x.enumerate(open, whole(), "1=1", "2=1", "5=1")
	x.finish(open)
	outside := x.begin("c")
	x.put(outside, 0, "0=1")
	x.finish(outside)
	last = x.begin("c")
	x.ok(last.Enumerate(t.Context(), Opening{Enumeration: whole(), BegunBy: open.RunID()}))
	x.same(x.closes(last, whole())+x.live(), "-10 1 2 5")

	// Another source: what was met belongs to the one before.
	open = x.begin("c")
	x.enumerate(open, whole(), "1=1")
	x.ok(open.ForgetEnumerations(t.Context()))
	x.finish(open)
	last = x.begin("c")
	x.ok(last.Enumerate(t.Context(), Opening{Enumeration: whole(), BegunBy: open.RunID()}))
	x.same(x.closes(last, whole())+x.live(), "-0lost0 1 2 5")

	// So it does in a run that has begun a list of it, in which a record is rejected later.
	open = x.begin("c")
	x.ok(open.Enumerate(t.Context(), Opening{Enumeration: whole()}))
	x.ok(open.ForgetEnumerations(t.Context()))
	x.put(open, 0, "!0", "1=1", "2=1")
	x.same(x.closes(open, whole())+x.live(), "-0lost0 1 2 5")
}

// Nothing is swept when a record was rejected or left out, or when more would go than goes
// without the owner's word.
func exerciseEnumerationRefused(t *testing.T, x *exercise) {
	w := x.begin("c")
	x.enumerate(w, whole(), numbered(0, 100)...)
	x.same(x.closes(w, whole()), "-0")

	w = x.begin("c")
	x.enumerate(w, whole(), append(numbered(1, 100), "!000")...)
	x.finish(w)
	next := x.begin("c") // and the run that goes on with it neither
	x.ok(next.Enumerate(t.Context(), Opening{Enumeration: whole(), BegunBy: w.RunID()}))
	x.same(x.closes(next, whole()), "-0rejected")

	w = x.begin("c")
	x.ok(w.Enumerate(t.Context(), Opening{Enumeration: whole()}))
	x.ok(w.SpoilEnumeration(t.Context(), "a"))
	x.same(x.closes(w, whole()), "-0unnamed")

	for _, tc := range []struct {
		until    int
		accepted bool
		want     string
	}{
		{49, false, "51 of 100 too_many_gone"}, {0, false, "100 of 100 too_many_gone"}, {50, false, "50 of 100 "},
		{24, false, "26 of 50 too_many_gone"}, {25, false, "25 of 50 "}, {13, false, "12 of 25 "}, {7, false, "6 of 13 "},
		{3, false, "4 of 7 too_many_gone"}, {0, true, "7 of 7 "},
	} {
		w = x.begin("c")
		x.enumerate(w, whole(), numbered(0, tc.until)...)
		x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded", Sweeps: []Sweep{{Enumeration: whole(), Accepted: tc.accepted}}}))
		s := w.Swept()[0]
		x.same(fmt.Sprintf("%d of %d %s", s.Gone, s.Held, s.Refused), tc.want)
	}
	x.same(x.live(), "")
	// Records that the run adds before its list begins make up for nothing, and what it rejected before is there.
	w = x.begin("c")
	x.enumerate(w, whole(), numbered(0, 10)...)
	x.same(x.closes(w, whole()), "-0")
	for _, flush := range []bool{false, true} {
		w = x.begin("c")
		x.put(w, 0, "!003")
		x.put(w, 0, numbered(100, 130)...)
		if flush {
			x.ok(w.Flush(t.Context()))
		}
		x.enumerate(w, whole(), numbered(100, 130)...)
		x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded", Sweeps: []Sweep{{Enumeration: whole()}}}))
		x.same(w.Swept(), []Swept{{Enumeration: whole(), Gone: 9, Held: 10, Refused: SweepTooMany, Answers: 1}})
		w = x.begin("c")
		x.enumerate(w, whole(), numbered(0, 10)...)
		x.same(x.closes(w, whole()), "-30")
	}
	w = x.begin("c")
	x.enumerate(w, whole())
	x.same(x.closes(w, whole()), "-10")
	// A run that has failed buries nothing.
	w = x.begin("c")
	x.enumerate(w, whole(), "001=1", "002=1")
	x.same(x.closes(w, whole()), "-0")
	w = x.begin("c")
	x.enumerate(w, whole(), "001=1")
	x.code(put(t.Context(), w, 7, "unknown=1"), abi.CodeInternal)
	x.code(w.CommitSlice(t.Context(), "a", []byte(`{}`), "", Sweep{Enumeration: whole()}), abi.CodeInternal)
	x.same(x.live(), "001 002")
	w.Abandon()
}

// A sweep looks up anew what it buries when the stream or what was met has moved since it was
// weighed: neither a record that has become a tombstone by itself is buried, nor one that
// was met or written meanwhile. Where nothing has moved, the sweep does what was weighed.
func exerciseSweepAfterItsWeighing(t *testing.T, x *exercise) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		meanwhile func(w *RunWriter)
		gone      int64
		live      string
	}{
		"nothing":     {func(*RunWriter) {}, 3, "a"},
		"a deletion":  {func(w *RunWriter) { x.put(w, 0, "-b") }, 2, "a"},
		"a change":    {func(w *RunWriter) { x.put(w, 0, "b=2") }, 2, "a b"},
		"a new one":   {func(w *RunWriter) { x.put(w, 0, "e=1") }, 3, "a e"},
		"a meeting":   {func(w *RunWriter) { x.ok(w.Met(ctx, whole(), []string{"c", "d"})) }, 1, "a c d"},
		"both at all": {func(w *RunWriter) { x.ok(w.Met(ctx, whole(), []string{"c"})); x.put(w, 0, "-b") }, 1, "a c"},
	} {
		w := x.begin("c")
		x.put(w, 0, "a=1", "b=1", "c=1", "d=1")
		x.finish(w)
		w = x.begin("c")
		x.ok(w.Enumerate(ctx, Opening{Enumeration: whole()}))
		x.ok(w.Met(ctx, whole(), []string{"a"}))
		x.ok(w.LeaveEnumeration(ctx, whole()))
		found, err := w.WeighSweeps(ctx, []Sweep{{Enumeration: whole()}})
		x.ok(err)
		x.same(found, []Swept{{Enumeration: whole(), Gone: 3, Held: 4}})
		c.meanwhile(w)
		x.ok(w.CommitSlice(ctx, "a", []byte(`{}`), "end", Sweep{Enumeration: whole()}))
		x.ok(w.Flush(ctx))
		x.same(fmt.Sprint(name, w.Swept()), fmt.Sprint(name, []Swept{{Enumeration: whole(), Gone: c.gone, Held: 4}}))
		x.same(name+": "+x.live(), name+": "+c.live)
		x.finish(w)
		x.sound()
		x.ok(x.s.RemoveConnection(ctx, "c", nil))
	}
}
