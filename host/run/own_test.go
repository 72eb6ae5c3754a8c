package run

import (
	"maps"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// toldRoots grants the folder that was given, and remembers what that was.
type toldRoots struct{ given *map[string]string }

func (r toldRoots) Resolve(_ *abi.Manifest, given map[string]string, _ []storage.AcceptedItem) ([]ResolvedRoot, error) {
	*r.given = given
	return []ResolvedRoot{{Name: "scripted", Path: given["scripted"], Origin: "--root"}}, nil
}

// A connection keeps what its first run was told, and the folders of every run: a
// later one that is told nothing repeats them. What a later run is told besides is
// that run's.
func TestAConnectionKeepsWhatItIsMadeOf(t *testing.T) {
	t.Parallel()
	var given map[string]string
	h := newHost(t, setup{roots: toldRoots{&given}})
	one, two := t.TempDir(), t.TempDir()
	own := func() *storage.Connection {
		conn, err := h.store.Connection(t.Context(), "scripted")
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	told := func(options, roots map[string]string, path string) func(*Request) {
		return func(r *Request) { r.Options, r.Roots, r.ModulePath = options, roots, path }
	}
	h.succeed("", told(map[string]string{"script": done(0), "site": "a", "none": ""}, map[string]string{"scripted": one}, "/m/scripted.wasm"))
	first := map[string]string{"script": done(0), "site": "a"}
	for step, x := range []struct {
		options, roots map[string]string
		accept         bool
		path           string

		given, read string
		module      string
	}{
		{nil, nil, false, "/m/scripted.wasm", one, one, "/m/scripted.wasm"},
		{map[string]string{"site": "b"}, nil, false, "", one, one, ""},
		{nil, map[string]string{"scripted": two}, true, "", two, two, ""},
		{nil, nil, false, "", two, two, ""},
	} {
		h.succeed("", told(x.options, x.roots, x.path), func(r *Request) { r.AcceptRoot = x.accept })
		if c := own(); given["scripted"] != x.given || c.ReadRoots["scripted"] != x.read || c.ReadRoots[ModuleRoot] != x.module || !maps.Equal(c.Options, first) {
			t.Fatalf("step %d: %v %+v", step, given, c)
		}
	}
	// One that was refused leaves the connection as it was.
	if _, err := h.play("", told(nil, map[string]string{"scripted": t.TempDir()}, "/n.wasm")); err == nil {
		t.Error("another folder was read")
	}
	if c := own(); c.Roots["scripted"] != two || c.ReadRoots[ModuleRoot] != "" {
		t.Errorf("%+v", c)
	}
}

// A run that yields to another one changes nothing, whatever its owner accepted.
func TestARunThatYieldsKeepsNothing(t *testing.T) {
	t.Parallel()
	var given map[string]string
	h := newHost(t, setup{roots: toldRoots{&given}})
	one, two := t.TempDir(), t.TempDir()
	told := func(path string) func(*Request) {
		return func(r *Request) { r.Roots, r.AcceptRoot = map[string]string{"scripted": path}, true }
	}
	h.succeed(done(0), told(one))
	conn, err := h.store.Connection(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.store.BeginRun(t.Context(), storage.NewRun{
		RunID: "other", ConnectionID: conn.ID, Connector: "scripted", Mode: "incremental", Bookmark: storage.BookmarkIncremental,
		Holder: "another", Streams: []string{"notes"}, LeaseTTL: leaseTTL,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Abandon()
	if _, err := h.play(done(0), told(two)); err == nil {
		t.Fatal("it did not yield")
	}
	if conn, err = h.store.Connection(t.Context(), "scripted"); err != nil || conn.Roots["scripted"] != one || conn.ReadRoots["scripted"] != one {
		t.Errorf("%+v %v", conn, err)
	}
}
