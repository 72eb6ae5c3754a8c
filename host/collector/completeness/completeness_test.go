package completeness

import (
	"fmt"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// The diagnostics of a run tell this: an unknown word is unaccounted, what was taken back is
// not counted, and what is unknown is not hidden by what is known.
func TestCompleteness(t *testing.T) {
	t.Parallel()
	d := &Diagnostics{}
	if d.Report() != nil {
		t.Error("a run that said nothing is complete")
	}
	say := func(key, store, status string) {
		d.Accept(device.CoverageStream, []byte(key), fmt.Appendf(nil, `{"store":%q,"status":%q}`, store, status), false)
	}
	say("1", "sessions", "collected")
	say("2", "auth", "excluded")
	say("3", "gone", "missing")
	d.Accept(device.CoverageStream, []byte("3"), nil, true)
	d.Accept("notes", []byte("4"), []byte(`{"store":"notes","status":"missing"}`), false)
	d.Accept(device.CoverageStream, []byte("5"), []byte(`[`), false)
	c := d.Report()
	if !c.FullyAccounted || c.StoreCount != 2 || fmt.Sprint(c.ByStore, c.CountsByStatus, c.UnaccountedStores) != "map[auth:excluded sessions:collected] map[collected:1 excluded:1] []" {
		t.Errorf("%+v", c)
	}
	say("6", "new", "half_collected")
	say("7", "new", "collected")
	if c = d.Report(); c.FullyAccounted || fmt.Sprint(c.UnaccountedStores, c.StoreCount) != "[new] 3" {
		t.Errorf("%+v", c)
	}
	for i := range 2 * maxStores {
		say(fmt.Sprint("many", i), "s", "collected")
	}
	if len(d.seen) > maxStores {
		t.Errorf("%d are kept", len(d.seen))
	}
}
