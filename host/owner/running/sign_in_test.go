package running

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// desktop is a machine whose window an owner has closed.
type desktop struct {
	owner.Browser

	cookies   int
	err       error
	sealed    []byte
	forgotten []string
	swept     int
}

func (d *desktop) Captures(string, string) ([]owner.BrowserCapture, error) {
	return []owner.BrowserCapture{{ID: "one", Bytes: 5}}, nil
}

func (d *desktop) Capture(connector, _, id string) ([]byte, error) {
	return []byte(connector + " " + id), nil
}

func (d *desktop) SweepCaptures() error {
	d.swept++
	return nil
}

func (d *desktop) SignIn(ctx context.Context, b run.BrowserRun) (*owner.BrowserVisit, error) {
	if d.err != nil {
		return nil, d.err
	}
	if b.Manifest.Requirements.Browser == nil || b.Sending == nil {
		return nil, errors.New("it has no hosts, or no governor")
	}
	var err error
	d.sealed, err = b.Sealer.Seal(ctx, []byte("canary"))
	return &owner.BrowserVisit{Cookies: d.cookies, Refused: []string{"ads.example"}}, err
}

func (d *desktop) Forget(_ context.Context, connector, _ string) error {
	d.forgotten = append(d.forgotten, connector)
	return d.err
}

// pinnedBesideShop returns a store, and the manifest of a connector that has a browser.
func pinnedBesideShop(t *testing.T, dir string) (store *storage.Store, manifest []byte) {
	t.Helper()
	manifest, err := os.ReadFile("../../../plugins/example_shop/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	return story.Pinned(t, "../../..", dir), manifest
}

// An owner signs in by hand, and out, at what was accepted and has a browser; each leaves its
// event, a refusal too, and what the site left is sealed like a credential (BR-01, BR-18, OC-02).
func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	store, raw := pinnedBesideShop(t, dir)
	for _, name := range []string{"shop", "unseen"} {
		conn, err := store.EnsureConnection(ctx, name, "example_shop")
		if err == nil && name == "shop" {
			err = store.PinPlugin(ctx, conn.ID, "abc", raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(config.Source{Home: dir})
	if err != nil {
		t.Fatal(err)
	}
	d := &desktop{cookies: 2}
	o := owner.New(owner.Deps{
		Config: c, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Actor: owner.Actor{Face: owner.CommandLine}, Browser: d,
		Open:  func(context.Context) (*storage.Store, error) { return store, nil },
		Vault: vault.Options{Dir: filepath.Join(dir, "vault"), Mode: config.CredentialsFile},
	})
	t.Cleanup(func() { _ = o.Close() })
	conn, err := store.Connection(ctx, "shop")
	if err != nil {
		t.Fatal(err)
	}
	// A site leaves cookies with those who do not sign in as well (BR-13.5).
	unsaid := func(context.Context) bool { return false }
	if done, err := SignIn(ctx, o, "shop", unsaid); err != nil || done.Cookies != 2 || done.SignedIn {
		t.Errorf("got %+v, %v, want two cookies and nobody who signed in", done, err)
	}
	if state, err := store.ScheduleState(ctx, conn.ID, 1); err != nil || !state.SignedInByHand.IsZero() {
		t.Errorf("without the owner's word: got %+v, %v, want no run owed", state, err)
	}
	said := func(context.Context) bool { return true }
	if done, err := SignIn(ctx, o, "shop", said); err != nil || done.Connection != "shop" || done.Cookies != 2 || len(done.Refused) != 1 {
		t.Errorf("got %+v, %v, want two cookies of shop", done, err)
	}
	if len(d.sealed) == 0 || bytes.Contains(d.sealed, []byte("canary")) {
		t.Errorf("got %q sealed, want the session", d.sealed)
	}
	if state, err := store.ScheduleState(ctx, conn.ID, 1); err != nil || state.SignedInByHand.IsZero() {
		t.Errorf("got %+v, %v, want the scheduler of another process told", state, err)
	}
	_, in := SignIn(ctx, o, "mine", said)
	if _, out := SignOut(ctx, o, "mine"); in == nil || out == nil || hintOf(in) == hintOf(out) {
		t.Errorf("without a browser: got %v, %v, want each with a hint of its own", in, out)
	}
	if done, err := SignOut(ctx, o, "shop"); err != nil || done.Connection != "shop" || !slices.Equal(d.forgotten, []string{"example_shop"}) {
		t.Errorf("got %+v, %v, forgotten %v, want shop signed out", done, err, d.forgotten)
	}
	// BR-19: what was captured is listed and read by name, and what is too old of it goes with the end of a run.
	if all, err := Captures(ctx, o, "shop"); err != nil || all.Connection != "shop" || len(all.Captures) != 1 {
		t.Errorf("got %+v, %v, want the capture of shop", all, err)
	}
	if page, err := Capture(ctx, o, "shop", "one"); err != nil || page.Text != "example_shop one" {
		t.Errorf("got %+v, %v, want what was captured", page, err)
	}
	if sweep(o); d.swept != 1 {
		t.Errorf("got %d looks for what is too old, want one", d.swept)
	}
	d.err = abi.NewError(abi.CodeBrowserDisplay, "there is no screen", "")
	for _, c := range []struct {
		do   func() error
		code abi.Code
	}{
		{func() error { _, err := SignIn(ctx, o, "shop", said); return err }, abi.CodeBrowserDisplay},
		{func() error { _, err := SignIn(ctx, o, "unseen", said); return err }, abi.CodePluginNotAccepted},
		{func() error { _, err := SignIn(ctx, o, "mine", said); return err }, abi.CodeUsage},
		{func() error { _, err := SignOut(ctx, o, "mine"); return err }, abi.CodeUsage},
		{func() error { _, err := Captures(ctx, o, "mine"); return err }, abi.CodeUsage},
		{func() error { _, err := Capture(ctx, o, "nobody", "one"); return err }, abi.CodeConnectionUnknown},
		{func() error { _, err := SignIn(ctx, o, "nobody", said); return err }, abi.CodeConnectionUnknown},
	} {
		if err := c.do(); abi.CodeOf(err) != c.code {
			t.Errorf("got %v, want %s", err, c.code)
		}
	}
	page, err := o.AuditEvents(ctx, owner.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range page.Events {
		got = append(got, e.Operation+" "+e.Subject+" "+e.Outcome)
	}
	slices.Reverse(got)
	want := []string{
		"connections.sign_in shop done", "connections.sign_in shop done", "connections.sign_in mine usage.invalid", "connections.sign_out mine usage.invalid", "connections.sign_out shop done", "connections.sign_in shop browser.display_missing",
		"connections.sign_in unseen plugin.not_accepted", "connections.sign_in mine usage.invalid", "connections.sign_out mine usage.invalid",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got events %q, want %q", got, want)
	}
}

func hintOf(err error) string {
	e, _ := errors.AsType[*abi.Error](err)
	return e.Hint
}

// A run that has the connection's browser and waits for its owner gives it back with the answer alone: who
// would sign in by hand meanwhile is told so at once, also by another process (BR-02.2, OC-18).
func TestSignInBesideAQuestion(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	store, raw := pinnedBesideShop(t, dir)
	conn, err := store.EnsureConnection(ctx, "shop", "example_shop")
	if err == nil {
		err = store.PinPlugin(ctx, conn.ID, "abc", raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := owner.New(owner.Deps{
		Config: new(config.Config), Now: time.Now, Logger: slog.New(slog.DiscardHandler), Actor: owner.Actor{Face: owner.CommandLine}, Browser: &desktop{cookies: 2},
		Open:  func(context.Context) (*storage.Store, error) { return store, nil },
		Vault: vault.Options{Dir: filepath.Join(dir, "vault"), Mode: config.CredentialsFile},
	})
	t.Cleanup(func() { _ = o.Close() })
	w, err := store.BeginRun(ctx, storage.NewRun{
		RunID: "r1", ConnectionID: conn.ID, Connector: "example_shop", Mode: abi.ModeIncremental, Bookmark: storage.BookmarkIncremental, Holder: holder.Self(), LeaseTTL: time.Hour, Streams: []string{"orders"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		event, data string
		want        abi.Code
	}{
		{"run.browser_lease", `{"profile":"shop"}`, ""}, // it is waited for: such a run ends by itself
		{"run.interaction_required", `{"kind":"manual_action"}`, abi.CodeBrowserProfileBusy},
		{"run.interaction_completed", `{"status":"success"}`, ""},
	} {
		if err := errors.Join(w.Event(ctx, storage.Event{Type: c.event, Data: []byte(c.data)}), w.Flush(ctx)); err != nil {
			t.Fatal(err)
		}
		_, err := SignIn(ctx, o, "shop", func(context.Context) bool { return false })
		if (err != nil) != (c.want != "") || err != nil && abi.CodeOf(err) != c.want || err != nil && !strings.Contains(hintOf(err), "pdpp-host questions show shop") {
			t.Errorf("behind %s: got %v, want %q and the question named", c.event, err, c.want)
		}
	}
}
