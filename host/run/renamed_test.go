package run

import (
	"context"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// whilePrepared has something happen while a run is prepared, after its connection was read.
func whilePrepared(t *testing.T, happens func(h *host)) *host {
	t.Helper()
	meanwhile := func() {}
	h := newHost(t, setup{roots: meanwhileRoots{t.TempDir(), &meanwhile}})
	h.succeed(done(0))
	looks := 0
	meanwhile = func() {
		if looks++; looks == 2 { // the first look is for the worker, before the connection is read
			happens(h)
		}
	}
	return h
}

func (h *host) revoke() {
	h.t.Helper()
	conn := h.own(func(*storage.Connection) {})
	if ok, err := h.store.RevokeConnection(h.t.Context(), conn.ID); !ok || err != nil {
		h.t.Errorf("got %t, %v, want it revoked", ok, err)
	}
}

// isRevoked reports a run that was not refused, or that accepted the module again.
func (h *host) isRevoked(err error) {
	h.t.Helper()
	if abi.CodeOf(err) != abi.CodeConnectionBusy {
		h.t.Errorf("got %v, want %s", err, abi.CodeConnectionBusy)
	}
	if now := h.own(func(*storage.Connection) {}); now.PinnedSHA256 != "" || now.RevokedAt.IsZero() {
		h.t.Errorf("got pinned %q, revoked %s, want it revoked as its owner left it", now.PinnedSHA256, now.RevokedAt)
	}
}

// RD-55: what the owner takes back while a run is prepared stays so: the run is refused, also
// where it was begun with their word for the module.
func TestARunUndoesNoRevocation(t *testing.T) {
	t.Parallel()
	h := whilePrepared(t, (*host).revoke)
	_, err := h.play(done(0))
	h.isRevoked(err)
	if _, err := h.play(done(0), func(r *Request) { r.Accept = false }); abi.CodeOf(err) != abi.CodePluginNotAccepted {
		t.Errorf("afterwards: got %v, want %s", err, abi.CodePluginNotAccepted)
	}
}

// RD-55: and also at the last moment before the run begins.
func TestARunThatBeginsUndoesNoRevocation(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.succeed(done(0))
	h.deps.Described = func(context.Context, []byte) error { h.revoke(); return nil }
	h.runner = New(h.deps)
	_, err := h.play(done(0))
	h.isRevoked(err)
}

// RD-55: a connection that is renamed while a run is prepared is run under its new name, and
// none is made of the old.
func TestARunOfARenamedConnection(t *testing.T) {
	t.Parallel()
	h := whilePrepared(t, func(h *host) { h.own(func(own *storage.Connection) { own.Name = "other" }) })
	result := h.succeed(done(0))
	all, err := h.store.Connections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Name != "other" || result.Connection != "other" || result.ConnectionID != all[0].ID {
		t.Errorf("got a run of %s and the connections %+v, want other alone", result.Connection, all)
	}
}
