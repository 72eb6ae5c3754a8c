package run

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// meanwhileRoots grants a folder, and calls a function meanwhile.
type meanwhileRoots struct {
	path      string
	meanwhile *func()
}

func (r meanwhileRoots) Resolve(*abi.Manifest, map[string]string, []storage.AcceptedItem) ([]ResolvedRoot, error) {
	(*r.meanwhile)()
	return []ResolvedRoot{{Name: "scripted", Path: r.path, Origin: "--root"}}, nil
}

// A folder that the owner changes while a run is prepared stays changed: the run is
// refused and reads nothing.
func TestARunUndoesNothingOfMeanwhile(t *testing.T) {
	t.Parallel()
	meanwhile := func() {}
	h := newHost(t, setup{roots: meanwhileRoots{t.TempDir(), &meanwhile}})
	h.succeed(done(0))
	looks := 0
	meanwhile = func() {
		if looks++; looks == 1 { // for the worker, before the connection is read
			return
		}
		h.own(func(own *storage.Connection) { SetFolders(own, []ResolvedRoot{{Name: "scripted", Path: "/b"}}) })
	}
	if _, err := h.play(done(0)); abi.CodeOf(err) != abi.CodeConnectionBusy {
		t.Errorf("got %v, want %s", err, abi.CodeConnectionBusy)
	}
	if now := h.own(func(*storage.Connection) {}); now.ReadRoots["scripted"] != "/b" {
		t.Errorf("got folders %v, want /b", now.ReadRoots)
	}
}

// An address that the owner sets while a run uses another accepted one stays: the run
// does not overwrite it.
func TestAnArrivalUndoesNothingOfMeanwhile(t *testing.T) {
	t.Parallel()
	const first, second, third = "http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3"
	var h *host
	f := &fakeSender{answer: func(string) string {
		h.own(func(own *storage.Connection) { SetBaseURL(own, third) })
		return `{"status":200,"url":"u","headers":{}}` + "\n"
	}}
	h = newHost(t, setup{sender: f})
	h.succeed(done(0), func(r *Request) { r.Options[OptionBaseURL] = first })
	h.succeed(get+done(0), func(r *Request) { r.Options[OptionBaseURL], r.AcceptRoot = second, true })
	if now := h.own(func(*storage.Connection) {}); now.ReadRoots[baseURLKey] != third || now.Options[OptionBaseURL] != third {
		t.Errorf("got sources %v and options %v, want %s in both", now.ReadRoots, now.Options, third)
	}
}

// own changes the connection as another process does.
func (h *host) own(change func(own *storage.Connection)) *storage.Connection {
	h.t.Helper()
	conn, err := h.store.Connection(h.t.Context(), "scripted")
	if err == nil {
		conn, err = h.store.KeepConnection(h.t.Context(), conn.ID, func(own *storage.Connection) error { change(own); return nil })
	}
	if err != nil {
		h.t.Error(err)
		return &storage.Connection{}
	}
	return conn
}
