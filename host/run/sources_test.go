package run

import (
	"maps"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// toldRoots grants the folder that was given, and remembers the choice.
type toldRoots struct{ given *map[string]string }

func (r toldRoots) Resolve(_ *abi.Manifest, given map[string]string, _ []storage.AcceptedItem) ([]ResolvedRoot, error) {
	*r.given = given
	return []ResolvedRoot{{Name: "scripted", Path: given["scripted"], Origin: "--root"}}, nil
}

// A connection keeps the options of its first run, and the folders of every run: a later
// run without flags repeats them. Options of a later run apply to that run alone.
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
		if c := own(); given["scripted"] != x.given || c.ReadRoots["scripted"] != x.read || ModulePath(c) != x.module || !maps.Equal(c.Options, first) {
			t.Fatalf("step %d: got folders %v and connection %+v, want %+v", step, given, c, x)
		}
	}
	// A refused run leaves the connection as it was.
	if _, err := h.play("", told(nil, map[string]string{"scripted": t.TempDir()}, "/n.wasm")); err == nil {
		t.Error("got a run of another folder, want it refused")
	}
	if c := own(); c.Roots["scripted"] != two || ModulePath(c) != "" {
		t.Errorf("got %+v, want folder %s and no module path", c, two)
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
		t.Fatal("got a second run beside the first, want it refused")
	}
	if conn, err = h.store.Connection(t.Context(), "scripted"); err != nil || conn.Roots["scripted"] != one || conn.ReadRoots["scripted"] != one {
		t.Errorf("got %+v (%v), want the folder %s still", conn, err, one)
	}
}

// Named accessors tell the module's path and the base URL from the folders.
func TestSourcesAreToldApart(t *testing.T) {
	t.Parallel()
	own := &storage.Connection{ReadRoots: map[string]string{}, Options: map[string]string{}}
	if _, known := BaseURL(own); known {
		t.Error("got a base URL before the first run, want none")
	}
	SetFolders(own, []ResolvedRoot{{Name: "notes", Path: "/notes"}, {Name: "photos", Path: "/photos"}})
	SetModulePath(own, "/m.wasm")
	SetBaseURL(own, "https://one.example")
	SetFolders(own, []ResolvedRoot{{Name: "photos", Path: "/photos", Empty: true}})
	if got, want := Folders(own), map[string]string{"notes": "/notes"}; !maps.Equal(got, want) {
		t.Errorf("got folders %v, want %v", got, want)
	}
	base, known := BaseURL(own)
	if path := ModulePath(own); path != "/m.wasm" || base != "https://one.example" || !known || own.Options[OptionBaseURL] != base {
		t.Errorf("got module %q and base URL %q (%v), want /m.wasm and https://one.example", path, base, own.Options)
	}
	SetBaseURL(own, "")
	if base, known = BaseURL(own); base != "" || !known || len(own.Options) != 0 {
		t.Errorf("got base URL %q with options %v, want the provider's own and none", base, own.Options)
	}
}
