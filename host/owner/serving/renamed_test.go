package serving_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

// RD-55: the scheduler runs the connection that it has chosen, whatever that and others are
// called by then.
func TestAScheduledRunOfARenamedConnection(t *testing.T) {
	t.Parallel()
	h := served.New(t, "testplugins/guests/scripted")
	h.Connect(t, "mine", "scripted", nil)
	h.Connect(t, "other", "scripted", nil)
	ctx := t.Context()
	var was [2]*storage.Connection
	for i, name := range []string{"mine", "other"} {
		var err error
		if was[i], err = h.Store.Connection(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"renamed", "mine"} {
		if _, err := h.Store.KeepConnection(ctx, was[i].ID, func(own *storage.Connection) error { own.Name = name; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Server.RunScheduled(ctx, *was[0]); err != nil {
		t.Errorf("got %v, want a run", err)
	}
	for i, want := range []int{1, 0} {
		if runs, err := h.Store.Runs(ctx, was[i].ID, 2); err != nil || len(runs) != want {
			t.Errorf("of what was %s: got %d runs, %v, want %d", was[i].Name, len(runs), err, want)
		}
	}
}
