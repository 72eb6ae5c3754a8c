package storage

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// sweeps ends a run with lists that nobody has spoken for, all with its end or each with the
// cursor of a slice, and shows what went of each: of how many, and why not.
func (x *exercise) sweeps(w *RunWriter, slices bool, lists ...Enumeration) string {
	x.Helper()
	var at []Sweep
	for _, e := range lists {
		at = append(at, Sweep{Enumeration: e})
	}
	if slices {
		for _, s := range at {
			x.ok(w.CommitSlice(x.Context(), "a", []byte(`{}`), "s", s))
		}
		at = nil
	}
	weighed, err := w.WeighSweeps(x.Context(), at)
	x.ok(err)
	before := len(w.Swept())
	x.ok(w.Finish(x.Context(), Outcome{Status: "succeeded", Sweeps: at}))
	done := w.Swept()
	x.same(fmt.Sprint(done[before:]), fmt.Sprint(weighed)) // what the result tells is what became of it
	var out []string
	for _, s := range done {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d of %d %s", s.Gone, s.Held, s.Refused)))
	}
	return strings.Join(out, ", ")
}

// count counts the records of stream a that are there.
func (x *exercise) count() int { return len(strings.Fields(x.live())) }

// AC-09, Invariant 12
//
// A list of five or more that falls by more than half needs the owner's word, and neither keys
// that the connector has made up nor new records make up for those that are gone.
func exerciseGoesUnasked(t *testing.T, x *exercise) {
	for _, c := range []struct {
		had, met, fresh, invented int
		want                      string
	}{
		{4, 0, 0, 0, "4 of 4"},
		{5, 0, 0, 0, "5 of 5 too_many_gone"},
		{5, 2, 0, 0, "3 of 5 too_many_gone"},
		{5, 3, 0, 0, "2 of 5"},
		{6, 3, 0, 0, "3 of 6"},
		{12, 0, 0, 0, "12 of 12 too_many_gone"},
		{20, 9, 0, 0, "11 of 20 too_many_gone"},
		{6, 2, 0, 40, "4 of 6 too_many_gone"},
		{6, 2, 40, 0, "4 of 6 too_many_gone"},
		{6, 3, 40, 40, "3 of 6"},
	} {
		for _, e := range []Enumeration{whole(), part("p")} {
			w := x.begin("c")
			x.enumerate(w, e, numbered(0, c.had)...)
			x.closes(w, e)
			w = x.begin("c")
			x.ok(w.Enumerate(t.Context(), Opening{Enumeration: e}))
			x.put(w, 0, numbered(0, c.met)...)
			x.put(w, 0, numbered(100, 100+c.fresh)...)
			var invented []string
			for i := range c.invented {
				invented = append(invented, fmt.Sprint("invented ", i))
			}
			x.ok(w.Met(t.Context(), e, invented))
			x.ok(w.LeaveEnumeration(t.Context(), e))
			x.same(fmt.Sprint(c, e, x.sweeps(w, false, e)), fmt.Sprint(c, e, c.want))
			left := c.had + c.fresh
			if !strings.Contains(c.want, "many") {
				left = c.met + c.fresh
			}
			x.same(x.count(), left)
			x.ok(x.s.RemoveConnection(t.Context(), "c", nil))
		}
	}
}

// AC-09, Invariant 12
//
// All parts of a stream in one run are weighed together, too, whether one cursor closes them or
// each has its own.
func exerciseGoesTogether(t *testing.T, x *exercise) {
	// fill has so many parts with so many records in each, and begins another run.
	fill := func(parts, each int) (all []Enumeration) {
		w := x.begin("c")
		for p := range parts {
			all = append(all, part(fmt.Sprint(p)))
			var records []string
			for i := range each {
				records = append(records, fmt.Sprintf("%d-%02d=1", p, i))
			}
			x.enumerate(w, all[p], records...)
		}
		x.closes(w, all...)
		return all
	}
	empty := func(all []Enumeration) *RunWriter {
		w := x.begin("c")
		for _, e := range all {
			x.enumerate(w, e)
		}
		return w
	}
	for _, slices := range []bool{false, true} {
		all := fill(10, 20)
		x.sweeps(empty(all), slices, all...)
		x.same(x.count(), 200)
		x.ok(x.s.RemoveConnection(t.Context(), "c", nil))

		all = fill(4, 4) // each by itself goes unasked
		want, left := strings.TrimSuffix(strings.Repeat("4 of 4 too_many_gone, ", 4), ", "), 16
		if slices {
			want, left = "4 of 4, 4 of 4, 4 of 4 too_many_gone, 4 of 4 too_many_gone", 8
		}
		x.same(x.sweeps(empty(all), slices, all...), want)
		x.same(x.count(), left)
		x.ok(x.s.RemoveConnection(t.Context(), "c", nil))

		all = fill(4, 4)
		x.same(x.sweeps(empty(all[:2]), slices, all[:2]...), "4 of 4, 4 of 4") // half of all
		x.same(x.count(), 8)
		x.ok(x.s.RemoveConnection(t.Context(), "c", nil))
	}
	// A record that two parts hold goes with the second, and is weighed there.
	w := x.begin("c")
	x.enumerate(w, part("p"), numbered(0, 6)...)
	x.enumerate(w, part("q"), numbered(0, 6)...)
	x.closes(w, part("p"), part("q"))
	x.same(x.sweeps(empty([]Enumeration{part("p"), part("q")}), false, part("p"), part("q")), "0 of 6, 6 of 6 too_many_gone")
	x.same(x.count(), 6)
	x.ok(x.s.RemoveConnection(t.Context(), "c", nil))

	// A part that keeps its records, since too many would go, counts against no other part.
	w = x.begin("c")
	x.enumerate(w, part("p"), numbered(0, 10)...)
	x.enumerate(w, part("q"), numbered(20, 28)...)
	x.closes(w, part("p"), part("q"))
	w = x.begin("c")
	x.enumerate(w, part("p"))
	x.enumerate(w, part("q"), numbered(20, 26)...)
	x.same(x.sweeps(w, false, part("p"), part("q")), "10 of 10 too_many_gone, 2 of 8")
	x.same(x.count(), 16)
	x.ok(x.s.RemoveConnection(t.Context(), "c", nil))

	// Where all of a run is refused, a part goes on holding what it would have left.
	w = x.begin("c")
	x.enumerate(w, part("p"), "p1=1", "p2=1", "p3=1", "both=1")
	x.enumerate(w, part("q"), "q1=1", "q2=1", "q3=1", "both=1")
	x.enumerate(w, part("r"), numbered(0, 6)...)
	x.closes(w, part("p"), part("q"), part("r"))
	x.same(x.sweeps(empty([]Enumeration{part("p"), part("q")}), false, part("p"), part("q")), "3 of 4 too_many_gone, 3 of 4 too_many_gone")
	x.same(x.count(), 13)
	x.ok(x.s.RemoveConnection(t.Context(), "c", nil))

	all := fill(3, 4)
	w = empty(all)
	x.ok(w.CommitSlice(t.Context(), "a", []byte(`{}`), "s", Sweep{Enumeration: all[0], Accepted: true}))
	x.same(x.sweeps(w, false, all[1]), "4 of 4, 4 of 4") // the half of what the owner has not spoken for
	x.same(x.count(), 4)
	x.ok(x.s.RemoveConnection(t.Context(), "c", nil))

	all = fill(3, 4)
	w = empty(all)
	x.ok(w.CommitSlice(t.Context(), "a", []byte(`{}`), "s", Sweep{Enumeration: all[0], Accepted: true}))
	x.same(x.sweeps(w, false, all[1:]...), "4 of 4, 4 of 4 too_many_gone, 4 of 4 too_many_gone")
	x.same(x.count(), 8)
}

// AC-09, Invariant 12
//
// The same answer in three runs, each a day or more behind the one before, stands for the
// owner's word. Another answer, another source and a clock that went back begin anew.
func exerciseSameAnswer(t *testing.T, x *exercise) {
	const day = 24 * time.Hour
	met := func(keep int, more ...string) string {
		w := x.begin("c")
		x.enumerate(w, whole(), append(numbered(0, keep), more...)...)
		out := x.sweeps(w, true, whole())
		return fmt.Sprint(out, " ", w.Swept()[0].Answers)
	}
	fill := func() {
		w := x.begin("c")
		x.enumerate(w, whole(), numbered(0, 12)...)
		x.closes(w, whole())
	}
	type step struct {
		wait time.Duration
		do   func() string
		want string
	}
	asked := func(n int) string { return fmt.Sprintf("10 of 12 too_many_gone %d", n) }
	two := func() string { return met(2) }
	grown := func() string {
		var more []string
		for i := range 18 {
			more = append(more, fmt.Sprintf("new %d=1", i))
		}
		return met(2, more...)
	}
	for name, steps := range map[string][]step{
		"three days":  {{0, two, asked(1)}, {day, two, asked(2)}, {day, two, "10 of 12 0"}},
		"within days": {{0, two, asked(1)}, {day - 1e3, two, asked(1)}, {1e3, two, asked(2)}, {time.Hour, two, asked(2)}, {day - time.Hour - 1e3, two, asked(2)}, {1e3, two, "10 of 12 0"}},
		"another answer": {
			{0, two, asked(1)}, {day, two, asked(2)}, {day, func() string { return met(3) }, "9 of 12 too_many_gone 1"}, {day, two, asked(1)}, {day, two, asked(2)},
		},
		"another record, as many": {{0, two, asked(1)}, {day, two, asked(2)}, {day, func() string { return met(1, "003=1") }, asked(1)}},
		"a whole list between": {
			{0, two, asked(1)}, {day, two, asked(2)}, {day, func() string { return met(12) }, "0 of 12 0"}, {day, two, asked(1)},
		},
		"a list that nobody believes": {{0, two, asked(1)}, {day, func() string { return met(2, "!009") }, "0 of 0 rejected 0"}, {0, two, asked(2)}},
		"a list that grew since": {
			{0, two, asked(1)}, {0, grown, asked(1)}, {day - 1e3, grown, "10 of 30 too_many_gone 1"}, {1e3, grown, "10 of 30 too_many_gone 2"}, {day, grown, "10 of 30 0"},
		},
		"another source": {{0, two, asked(1)}, {day, two, asked(2)}, {day, func() string {
			w := x.begin("c")
			x.ok(w.ForgetEnumerations(t.Context()))
			x.finish(w)
			return met(2)
		}, asked(1)}},
		"a clock that went back": {{0, two, asked(1)}, {10 * day, two, asked(2)}, {-5 * day, two, asked(1)}, {day, two, asked(2)}, {day, two, "10 of 12 0"}},
	} {
		fill()
		for i, s := range steps {
			x.clock.forward(s.wait)
			x.same(fmt.Sprint(name, i, ": ", s.do()), fmt.Sprint(name, i, ": ", s.want))
		}
		x.ok(x.s.RemoveConnection(t.Context(), "c", nil))
		x.clock.forward(10 * day)
	}
	// Each part is found gone by itself, and they go in the same run.
	fillParts := x.begin("c")
	for _, p := range []string{"p", "q"} {
		x.enumerate(fillParts, part(p), p+"1=1", p+"2=1", p+"3=1", p+"4=1")
	}
	x.closes(fillParts, part("p"), part("q"))
	for _, want := range []string{"4 of 4 too_many_gone, 4 of 4 too_many_gone", "4 of 4 too_many_gone, 4 of 4 too_many_gone", "4 of 4, 4 of 4"} {
		w := x.begin("c")
		x.enumerate(w, part("p"))
		x.enumerate(w, part("q"))
		x.same(x.sweeps(w, false, part("p"), part("q")), want)
		x.clock.forward(day)
	}
	x.same(x.live(), "")
}
