package run

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// meanwhileRoots grants a folder, and has something else happen meanwhile.
type meanwhileRoots struct {
	path      string
	meanwhile *func()
}

func (r meanwhileRoots) Resolve(*abi.Manifest, map[string]string, []storage.AcceptedItem) ([]ResolvedRoot, error) {
	(*r.meanwhile)()
	return []ResolvedRoot{{Name: "scripted", Path: r.path, Origin: "--root"}}, nil
}

// A folder that the connection was given to be held against while a run was prepared
// stays: that run reads nothing.
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
		h.own(func(own *storage.Connection) { ReadFrom(own, []ResolvedRoot{{Name: "scripted", Path: "/b"}}) })
	}
	if _, err := h.play(done(0)); abi.CodeOf(err) != abi.CodeConnectionBusy {
		t.Error(err)
	}
	if now := h.own(func(*storage.Connection) {}); now.ReadRoots["scripted"] != "/b" {
		t.Error(now.ReadRoots)
	}
}

// An address that the connection was given while a run asked at another one that its
// owner had accepted stays.
func TestAnArrivalUndoesNothingOfMeanwhile(t *testing.T) {
	t.Parallel()
	const first, second, third = "http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3"
	var h *host
	f := &fakeSender{answer: func(string) string {
		h.own(func(own *storage.Connection) { AskAt(own, third) })
		return `{"status":200,"url":"u","headers":{}}` + "\n"
	}}
	h = newHost(t, setup{sender: f})
	h.succeed(done(0), func(r *Request) { r.Options[OptionBaseURL] = first })
	h.succeed(get+done(0), func(r *Request) { r.Options[OptionBaseURL], r.AcceptRoot = second, true })
	if now := h.own(func(*storage.Connection) {}); now.ReadRoots[OriginRoot] != third || now.Options[OptionBaseURL] != third {
		t.Error(now.ReadRoots, now.Options)
	}
}

// own changes what is the connection's own as another process does.
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
