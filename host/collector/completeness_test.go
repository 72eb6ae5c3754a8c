package collector

import (
	"fmt"
	"testing"

	"github.com/pdpp-host/pdpp-host/storage"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// The diagnostics of a run tell this: an unknown word is unaccounted, what was taken back is
// not counted, and what is unknown is not hidden by what is known.
func TestCompleteness(t *testing.T) {
	t.Parallel()
	d := &diagnostics{seen: map[string]diagnostic{}}
	if d.completeness() != nil {
		t.Error("a run that said nothing is complete")
	}
	say := func(key, store, status string) {
		d.accept(device.CoverageStream, []byte(key), fmt.Appendf(nil, `{"store":%q,"status":%q}`, store, status), false)
	}
	say("1", "sessions", "collected")
	say("2", "auth", "excluded")
	say("3", "gone", "missing")
	d.accept(device.CoverageStream, []byte("3"), nil, true)
	d.accept("notes", []byte("4"), []byte(`{"store":"notes","status":"missing"}`), false)
	d.accept(device.CoverageStream, []byte("5"), []byte(`[`), false)
	c := d.completeness()
	if !c.FullyAccounted || c.StoreCount != 2 || fmt.Sprint(c.ByStore, c.CountsByStatus, c.UnaccountedStores) != "map[auth:excluded sessions:collected] map[collected:1 excluded:1] []" {
		t.Errorf("%+v", c)
	}
	say("6", "new", "half_collected")
	say("7", "new", "collected")
	if c = d.completeness(); c.FullyAccounted || fmt.Sprint(c.UnaccountedStores, c.StoreCount) != "[new] 3" {
		t.Errorf("%+v", c)
	}
	for i := range 2 * maxStores {
		say(fmt.Sprint("many", i), "s", "collected")
	}
	if len(d.seen) > maxStores {
		t.Errorf("%d are kept", len(d.seen))
	}
}

// LC-05.2: what a connector says of stores that it does not read is information. A
// run has gaps when it, or a record of it, says so.
func TestStoresAreNoGaps(t *testing.T) {
	t.Parallel()
	r := &RunResult{Completeness: &Completeness{UnaccountedStores: []string{"x"}}}
	if got := outcomeOf(&ending{counts: &storage.OutboxCounts{}}, r); got != OutcomeComplete {
		t.Errorf("stores that are not accounted for: %s", got)
	}
	if got := outcomeOf(&ending{counts: &storage.OutboxCounts{GapsOpen: 1}}, r); got != OutcomeGaps {
		t.Errorf("an open gap: %s", got)
	}
}
