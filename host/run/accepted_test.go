package run

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A run of a module that nobody has accepted is refused, and leaves no connection. The
// module that the owner accepts is the connection's pin, before and after its first run.
func TestAcceptedBeforeTheFirstRun(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	unaccepted := func(r *Request) { r.Accept = false }
	if _, err := h.play("finish", unaccepted); abi.CodeOf(err) != abi.CodePluginNotAccepted {
		t.Fatalf("nobody accepted it: %v, want %s", err, abi.CodePluginNotAccepted)
	}
	if all, err := h.store.Connections(t.Context()); err != nil || len(all) != 0 {
		t.Fatalf("%d connections are left (%v), want none", len(all), err)
	}
	conn, err := h.store.EnsureConnection(t.Context(), "scripted", "scripted")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.play("finish", unaccepted); abi.CodeOf(err) != abi.CodePluginNotAccepted {
		t.Errorf("a connection with no pin: %v, want %s", err, abi.CodePluginNotAccepted)
	}
	other := storage.AcceptedItem{Kind: storage.AcceptVariable, Name: "OTHER"}
	if _, err := h.play("finish", func(r *Request) { r.Allowed = []storage.AcceptedItem{other} }); err != nil {
		t.Fatal(err)
	}
	if conn, err = h.store.Connection(t.Context(), conn.ID); err != nil || conn.PinnedSHA256 != h.file.SHA256 || !conn.Accepts(other.Kind, other.Name) {
		t.Errorf("pinned %q with %v (%v), want %q with %v", conn.PinnedSHA256, conn.Accepted, err, h.file.SHA256, other)
	}
	if _, err := h.play("finish", unaccepted); err != nil {
		t.Errorf("accepted once: %v, want it to run", err)
	}
}

// The options of a connection's first run become the connection's own, also when its
// module was accepted long before.
func TestFirstRunAfterAcceptance(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	if _, err := h.play("finish"); err != nil {
		t.Fatal(err)
	}
	first, err := h.store.Connection(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := h.store.EnsureConnection(t.Context(), "second", "scripted")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.PinPlugin(t.Context(), conn.ID, first.PinnedSHA256, first.PinnedManifest); err != nil {
		t.Fatal(err)
	}
	h.mustPlay("finish", func(r *Request) { r.Accept, r.Connection, r.Options["own"] = false, "second", "1" })
	h.mustPlay("finish", func(r *Request) { r.Connection, r.Options["later"] = "second", "1" })
	conn, err = h.store.Connection(t.Context(), conn.ID)
	if err != nil || conn.Options["own"] != "1" || conn.Options["later"] != "" {
		t.Errorf("its options are %v (%v), want those of its first run", conn.Options, err)
	}
}
