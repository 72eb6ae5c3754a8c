package owner

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// newOwner makes an owner with one connection, mine, that was accepted with the test
// connector's manifest, so that no module is needed.
func newOwner(t *testing.T) (*Owner, *storage.Store) {
	t.Helper()
	dir := t.TempDir()
	raw, err := os.ReadFile("../../testplugins/guests/credentialed/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	store, err := storage.Open(t.Context(), storage.Options{Path: fresh.Store(t, filepath.Join(dir, "pdpp.sqlite")), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Source{Home: dir, File: os.DevNull, Environ: []string{"PDPP_DATA_DIR=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	o := New(Deps{
		Config: c, Open: func(context.Context) (*storage.Store, error) { return store, nil }, Actor: Actor{Face: CommandLine}, Now: time.Now,
		Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler), Vault: vault.Options{Dir: dir, Mode: vault.ModeFile},
	})
	if _, err := o.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	conn, err := store.EnsureConnection(t.Context(), "mine", "credentialed")
	if err == nil {
		err = store.PinPlugin(t.Context(), conn.ID, "abc", raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o, store
}

// A change of a connection undoes nothing that a run has kept since the connection was
// looked at, and is judged by it.
func TestAChangeUndoesNothingOfMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	o, store := newOwner(t)
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
		own.ReadRoots["notes"] = "/notes"
		run.SetModulePath(own, "/m.wasm")
		run.SetBaseURL(own, address)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	other := ConnectionChange{Options: map[string]string{run.OptionBaseURL: "https://two.example"}}
	if _, _, err := o.change(ctx, store, before, other); abi.CodeOf(err) != abi.CodeOriginChanged {
		t.Error(err)
	}
	own, changes, err := o.change(ctx, store, before, ConnectionChange{Options: map[string]string{"since": "2020"}})
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	now, err := store.Connection(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	for _, conn := range []*storage.Connection{own, now} {
		base, _ := run.BaseURL(conn)
		if run.Folders(conn)["notes"] != "/notes" || run.ModulePath(conn) != "/m.wasm" || base != address ||
			conn.Options["since"] != "2020" || conn.Options[run.OptionBaseURL] != address {
			t.Errorf("%v %v", conn.ReadRoots, conn.Options)
		}
	}

	// A session that was not proven has no credential sent to another address, or to the provider's own.
	thief := o.As(Actor{Face: BrowserSession}, nil)
	other.AcceptRoot = true
	for _, c := range []ConnectionChange{other, {Unset: []string{run.OptionBaseURL}, AcceptRoot: true}} {
		if _, _, err := thief.change(ctx, store, now, c); abi.CodeOf(err) != CodeProofNeeded {
			t.Errorf("%+v: got %v, want %s", c, err, CodeProofNeeded)
		}
	}
	if _, _, err := o.change(ctx, store, now, other); err != nil {
		t.Errorf("by a command: got %v, want the address changed", err)
	}
}

// stuck is a browser whose profiles cannot be removed.
type stuck struct {
	Browser

	forgot []string
}

func (s *stuck) Forget(_ context.Context, connector, _ string) error {
	s.forgot = append(s.forgot, connector)
	return abi.NewError(abi.CodeBrowserProfile, "the profile cannot be removed", "look at its folder")
}

// BR-02.4: a connection that is removed takes its browser profile with it, and its owner is told
// where that fails: the sites still know them.
func TestRemovalTellsOfAProfileThatStays(t *testing.T) {
	t.Parallel()
	o, store := newOwner(t)
	b := &stuck{}
	o.Browser = b
	removed, err := o.RemoveConnection(t.Context(), "mine", func(Removed) error { return nil })
	if abi.CodeOf(err) != abi.CodeBrowserProfile || removed == nil || len(b.forgot) != 1 || b.forgot[0] != "credentialed" {
		t.Errorf("got %+v, %v, forgot %v, want the connection removed, and the profile reported", removed, err, b.forgot)
	}
	if _, err := store.Connection(t.Context(), "mine"); abi.CodeOf(err) != abi.CodeConnectionUnknown {
		t.Errorf("afterwards: got %v, want no connection", err)
	}
}

// RD-55: a connection that gets another name while its owner confirms its removal is the one that
// is removed, and not what is called so by then.
func TestRemovalIsOfWhatWasConfirmed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	o, store := newOwner(t)
	was, err := store.Connection(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	var taker *storage.Connection
	if _, err := o.RemoveConnection(ctx, "mine", func(Removed) (err error) {
		if _, err = store.KeepConnection(ctx, was.ID, func(own *storage.Connection) error { own.Name = "renamed"; return nil }); err == nil {
			taker, err = store.EnsureConnection(ctx, "mine", "credentialed")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	all, err := store.Connections(ctx)
	if err != nil || len(all) != 1 || all[0].ID != taker.ID {
		t.Errorf("got %d connections left, %v, want the one that took the name", len(all), err)
	}
}
