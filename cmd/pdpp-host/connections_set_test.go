package main

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/invocation"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// What a run has kept since a connection was looked at is not undone by a change of
// it, and the change is held against it.
func TestAChangeUndoesNothingOfMeanwhile(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	store := pinned(t, dir)
	t.Cleanup(func() { _ = store.Close() })
	c, err := config.Load(config.Source{Home: dir, File: os.DevNull, Environ: []string{"PDPP_DATA_DIR=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	a := &app{Invocation: invocation.Invocation{Now: time.Now}}
	before, err := store.Connection(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	var open map[string]any // a manifest that leaves the options open takes any
	if err := json.Unmarshal(before.PinnedManifest, &open); err != nil {
		t.Fatal(err)
	}
	delete(open, "options")
	raw, err := json.Marshal(open)
	if err == nil {
		err = store.PinPlugin(ctx, before.ID, before.PinnedSHA256, raw)
	}
	if err == nil {
		before, err = store.Connection(ctx, "mine")
	}
	if err != nil {
		t.Fatal(err)
	}
	const address = "https://one.example"
	if _, err := store.KeepConnection(ctx, before.ID, func(own *storage.Connection) error {
		own.ReadRoots["notes"], own.ReadRoots[run.ModuleRoot] = "/notes", "/m.wasm"
		run.AskAt(own, address)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	other := wanted{options: map[string]string{run.OptionBaseURL: "https://two.example"}}
	if _, _, err := a.change(ctx, c, store, before, other); abi.CodeOf(err) != abi.CodeOriginChanged {
		t.Error(err)
	}
	own, changes, err := a.change(ctx, c, store, before, wanted{options: map[string]string{"since": "2020"}})
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	now, err := store.Connection(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	for _, conn := range []*storage.Connection{own, now} {
		if r := conn.ReadRoots; r["notes"] != "/notes" || r[run.ModuleRoot] != "/m.wasm" || r[run.OriginRoot] != address ||
			conn.Options["since"] != "2020" || conn.Options[run.OptionBaseURL] != address {
			t.Errorf("%v %v", conn.ReadRoots, conn.Options)
		}
	}
}
