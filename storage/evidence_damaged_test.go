package storage

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// damage changes the store behind its own back.
func (x *exercise) damage(statement string, args ...any) {
	x.Helper()
	x.ok(x.s.db.Alone(x.Context(), "damage", func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, statement, args...)
		return err
	}))
}

// agree holds the counts of the fleet to those of the page, now, and returns them.
func (x *exercise) agree(when string) view.Fleet {
	x.Helper()
	now := x.clock.Now()
	alive := func(h string) bool { return h == "holder1" }
	page, err := x.s.EvidencePage(x.Context(), "", 0)
	x.ok(err)
	var want view.Fleet
	for i := range page {
		v := verdict.OfStored(page[i].Facts, page[i].Moment(now, alive), true)
		want.Add(view.StandingOf(&v), 1, true)
	}
	got, err := x.s.Fleet(x.Context(), now, alive, true)
	x.ok(err)
	if got != want {
		x.Errorf("%s: the fleet is counted as %+v, and its page is %+v", when, got, want)
	}
	return got
}

// HL-06.1, HL-21: the page, the counts and the check say the same at any hour that the
// clock may show, and whatever can be read.
func TestCountsAgreeWhenTheClockIsPutBack(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	x.ok(x.s.AdoptSchedule(t.Context(), c.ID))
	x.succeed(x.begin("c", allStreams), nil)
	x.agree("before")
	x.clock.forward(30 * 24 * time.Hour)
	x.succeed(x.begin("c", allStreams), nil)
	x.agree("ahead")
	x.sound()
	for range 32 { // the month passes once more
		x.clock.forward(-24 * time.Hour)
		x.agree("put back")
		x.sound()
	}
	x.clock.forward(90 * 24 * time.Hour)
	x.agree("much later")
	x.sound()
}

// Invariant 8: an evidence row that cannot be read is unknown wherever it counts, one
// that was emptied is none that says that nothing ever ran, and both are found and
// made again.
func TestUnreadableEvidenceIsCountedAsUnknown(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"cut off":        "UPDATE evidence SET facts = substr(facts, 1, 40)",
		"null":           "UPDATE evidence SET facts = 'null'",
		"an object":      "UPDATE evidence SET facts = '{}'",
		"a list":         "UPDATE evidence SET facts = '[]'",
		"emptied":        `UPDATE evidence SET facts = '{"gaps":{}}'`,
		"another format": "UPDATE evidence SET format = 99",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, c := kept(t, keptManifest)
			x.succeed(x.begin("c", allStreams), nil)
			x.damage(statement)
			if f := x.agree(name); f.Checking != 1 || f.AllClear {
				t.Errorf("got %+v, want 1 checking, and no all clear", f)
			}
			x.tone(name, verdict.Grey)
			if differ, err := x.s.CheckEvidence(t.Context()); err != nil || len(differ) != 1 {
				t.Error(differ, err)
			}
			x.ok(x.s.RepairEvidence(t.Context(), c.Name))
			x.tone("made again", verdict.Green)
			x.agree("made again")
			x.sound()
		})
	}
}

// An emptied table of standings does not say that there are no connections.
func TestCountsWithoutStandings(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	x.succeed(x.begin("c", allStreams), nil)
	x.begin("goes-on")
	x.connection("new")
	x.damage("DELETE FROM standings")
	if f := x.agree("emptied"); f.Registered != 3 || f.Healthy != 1 {
		t.Errorf("got %+v, want 3 registered, 1 healthy", f)
	}
	if differ, err := x.s.CheckEvidence(t.Context()); err != nil || strings.Join(differ, " ") != "c new" {
		t.Error(differ, err)
	}
}

// A row written by the store's own functions has a standing afterwards, whatever changes.
func TestAChangedConnectionHasAStanding(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	x.succeed(x.begin("c", allStreams), nil)
	c.Options = map[string]string{"a": "b"}
	x.ok(x.s.UpdateConnection(t.Context(), *c))
	x.sound()
	_, err := x.s.KeepConnection(t.Context(), c.ID, func(c *Connection) error { c.ReadRoots["notes"] = "/n"; return nil })
	x.ok(err)
	x.sound()
}

// A connection whose own row cannot be read is unknown and never the last good one, is
// refused by name without quoting what is in the row, and keeps no other from being
// listed.
func TestUnreadableConnection(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"options", "roots", "read_roots"} {
		for _, text := range []string{"{", "null", "", `["hunter2"]`, `{"a":1}`} {
			x, _ := kept(t, keptManifest)
			ctx := t.Context()
			x.succeed(x.begin("c", allStreams), nil)
			x.ok(x.s.PinPlugin(ctx, x.connection("two").ID, "abc", []byte(keptManifest)))
			x.succeed(x.begin("two", allStreams), nil)
			x.toneOf("two", "before", verdict.Green)
			x.damage("UPDATE connections SET "+column+" = ? WHERE name = 'two'", text)

			all, err := x.s.Connections(ctx)
			x.ok(err)
			x.same([]any{len(all), all[0].Unreadable == nil, all[1].Name}, []any{2, true, "two"})
			x.code(all[1].Unreadable, abi.CodeStoreCorrupt)
			two, err := x.s.Connection(ctx, "two")
			x.code(err, abi.CodeStoreCorrupt)
			if two == nil || two.ID != all[1].ID || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "two") {
				t.Errorf("got %+v, %v, want the second connection, and its name alone in the error", two, err)
			}
			_, err = x.s.EnsureConnection(ctx, "two", "demo")
			x.code(err, abi.CodeStoreCorrupt)
			x.toneOf("two", column+" "+text, verdict.Grey)
			x.tone("the other", verdict.Green)
			if f := x.agree(column + " " + text); f.Checking != 1 || f.Healthy != 1 {
				t.Errorf("got %+v, want 1 checking, 1 healthy", f)
			}
			x.sound()

			// A change in the meantime does not make it well.
			x.ok(x.s.AdoptSchedule(ctx, two.ID))
			x.toneOf("two", "adopted", verdict.Grey)
			x.agree("adopted")
			x.ok(x.s.RepairEvidence(ctx, "two"))
			x.sound()

			_, err = x.s.KeepConnection(ctx, two.ID, func(*Connection) error { t.Error("it was given what cannot be read"); return nil })
			x.code(err, abi.CodeStoreCorrupt)
			x.damage("UPDATE connections SET " + column + " = '{}' WHERE name = 'two'")
			x.ok(x.s.UpdateConnection(ctx, Connection{ID: two.ID}))
			x.toneOf("two", "put right", verdict.Green)
			x.agree("put right")
			x.sound()
			x.damage("UPDATE connections SET "+column+" = ? WHERE name = 'two'", text)
			x.ok(x.s.RemoveConnection(ctx, "two", nil))
		}
	}
}

// HL-28: a device's run from a clock that was far ahead goes on for no longer than any
// device's does, and so nothing is busy with it.
func TestDeviceLeaseOfAClockAhead(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.clock.forward(30 * 24 * time.Hour)
	x.deliver(src, "r1", "notes", `{"id":"1"}`)
	x.clock.forward(-30 * 24 * time.Hour)
	for _, later := range []time.Duration{0, 24 * time.Hour, 20 * 24 * time.Hour, 29*24*time.Hour + 12*time.Hour} {
		e, err := x.s.EvidenceOf(t.Context(), "laptop")
		x.ok(err)
		now := x.clock.Now().Add(later)
		state := x.scheduleState(e.ConnectionID)
		if e.Moment(now, nil).RunAlive || state.Lease.Holds(now, nil) {
			t.Errorf("%v later: got a run that goes on, want none", later)
		}
	}
	x.ok(x.s.RemoveConnection(t.Context(), "laptop", nil))
}

// FuzzConnectionRow reads a connection's row of any contents: it is whole or it is
// unreadable, and what is shown of it never quotes the row.
func FuzzConnectionRow(f *testing.F) {
	f.Add(`{}`, `{"a":"b"}`, `null`)
	f.Add(`{`, ``, `[]`)
	f.Fuzz(func(t *testing.T, options, roots, read string) {
		row := &tables.ConnectionRow{Name: "n", Options: options, Roots: roots, ReadRoots: read}
		c := row.Public()
		if c.Unreadable == nil && (c.Options == nil || c.Roots == nil || c.ReadRoots == nil) ||
			c.Unreadable != nil && len(c.Options)+len(c.Roots)+len(c.ReadRoots) > 0 {
			t.Errorf("got %+v, want nothing of what cannot be read", c)
		}
		if _, err := row.Whole(); (err == nil) != (c.Unreadable == nil) {
			t.Error(err)
		}
	})
}
