package main

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A refusal is told in its own words, once for all the times that it was one.
func TestRefusalText(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, d := range map[string]storage.Dispatch{
		"2026-01-02 03:04:05Z  no folder   [files.root_missing]": {LastAt: at, Reason: "files.root_missing", Says: "no folder", Count: 1},
		"2026-01-02 03:04:05Z  [plugin.changed], 3 times":        {LastAt: at, Reason: "plugin.changed", Count: 3},
	} {
		if v := viewRefusal(&d); v.text() != want {
			t.Errorf("%q, not %q", v.text(), want)
		}
	}
	v := viewOnce(&schedule.Looked{Connection: "c", Reason: schedule.ReasonNotReady, Says: "no folder"})
	if got := v.row(); got[2] != "waits for its folder or its module: no folder" || v.failed {
		t.Error(got)
	}
}

// One line names a missing module, and everything that needs it.
func TestMissingModules(t *testing.T) {
	t.Parallel()
	item := func(name, connector string, missing bool) statusItem {
		return statusItem{Item: view.Item{Name: name, Connector: connector}, ModuleMissing: missing}
	}
	got := missingModules([]statusItem{item("a", "x", true), item("b", "y", false), item("c", "z", true), item("d", "x", true)})
	if want := []string{
		"no module of connector x is in the plugins folder: a, d; see: pdpp-host doctor",
		"no module of connector z is in the plugins folder: c; see: pdpp-host doctor",
	}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
