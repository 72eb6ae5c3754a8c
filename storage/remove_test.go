package storage

import (
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Only a run that may still go on keeps its connection: not one whose process is
// gone, nor one whose lease a clock that was far ahead has set. Whether a device's
// goes on no process here can tell.
func TestRemoveBesideARun(t *testing.T) {
	t.Parallel()
	gone := func(string) bool { return false }
	for name, c := range map[string]struct {
		holder string
		back   time.Duration
		alive  func(string) bool
		busy   bool
	}{
		"it goes on":              {holder: "host:1", alive: func(string) bool { return true }, busy: true},
		"nobody looks":            {holder: "host:1", busy: true},
		"its process is gone":     {holder: "host:1", alive: gone},
		"of a clock far ahead":    {holder: "host:1", back: 2 * tables.LongestLease},
		"a device":                {holder: tables.DeviceHolderPrefix + "d", alive: gone, busy: true},
		"of a device's far ahead": {holder: tables.DeviceHolderPrefix + "d", back: 2 * tables.LongestLease, alive: gone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &exercise{T: t, clock: newClock()}
			x.s = sqliteFile(t)(t, x.clock.Now)
			w := x.begin("c", func(n *NewRun) { n.Holder = c.holder })
			x.clock.forward(-c.back)
			err := x.s.RemoveConnection(t.Context(), "c", c.alive)
			if c.busy {
				x.code(err, abi.CodeConnectionBusy)
				w.Abandon()
				return
			}
			x.ok(err)
			x.code(w.Flush(t.Context()), abi.CodeFenced)
			_, err = x.s.Connection(t.Context(), "c")
			x.code(err, abi.CodeConnectionUnknown)
		})
	}
}

// A connection's own fields are replaced in one step, and its pin stays.
func TestKeepConnection(t *testing.T) {
	t.Parallel()
	x := &exercise{T: t, clock: newClock()}
	x.s = sqliteFile(t)(t, x.clock.Now)
	c := x.connection("c")
	x.ok(x.s.PinPlugin(t.Context(), c.ID, "5ha", []byte(`{}`)))
	own := Connection{ID: c.ID, Roots: map[string]string{"a": "/a"}, ReadRoots: map[string]string{"a": "/a"}}
	replace := func(c *Connection) error {
		c.Options, c.Roots, c.ReadRoots = own.Options, own.Roots, own.ReadRoots
		return nil
	}
	_, err := x.s.KeepConnection(t.Context(), c.ID, replace)
	x.ok(err)
	got, err := x.s.Connection(t.Context(), "c")
	x.ok(err)
	x.same(got.Roots, own.Roots)
	x.same(got.ReadRoots, own.ReadRoots)
	x.same(got.Options, map[string]string{})
	x.same(got.PinnedSHA256, "5ha")
	_, err = x.s.KeepConnection(t.Context(), "none", replace)
	x.code(err, abi.CodeConnectionUnknown)

	// An error of the change leaves it as it was.
	_, err = x.s.KeepConnection(t.Context(), c.ID, func(c *Connection) error {
		c.ReadRoots["a"] = "/b"
		return abi.NewError(abi.CodeRootChanged, "no", "")
	})
	x.code(err, abi.CodeRootChanged)
	got, err = x.s.Connection(t.Context(), "c")
	x.ok(err)
	x.same(got.ReadRoots, own.ReadRoots)
}

// Everybody who changes what is a connection's own at the same time is given what the
// others have kept: nothing of it is lost.
func TestKeepConnectionAtTheSameTime(t *testing.T) {
	t.Parallel()
	x := &exercise{T: t, clock: newClock()}
	x.s = sqliteFile(t)(t, x.clock.Now)
	c := x.connection("c")
	want := map[string]string{}
	var all sync.WaitGroup
	for i := range 20 {
		name := string(rune('a' + i))
		want[name] = "/" + name
		all.Go(func() {
			if _, err := x.s.KeepConnection(t.Context(), c.ID, func(c *Connection) error { c.ReadRoots[name] = "/" + name; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := x.s.Connection(t.Context(), "c")
	x.ok(err)
	x.same(got.ReadRoots, want)
}
