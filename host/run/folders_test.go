package run

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Found by a first user: collecting another folder, or the mount point of a disk
// that was not there, marked everything collected before as deleted.
func TestRootsMayNotChangeByAccident(t *testing.T) {
	t.Parallel()
	at := func(path string, empty bool) fixedRoots {
		return fixedRoots{roots: []ResolvedRoot{{Name: "scripted", Path: path, Origin: "--root", Empty: empty}}}
	}
	dir, other := t.TempDir(), t.TempDir()
	h := newHost(t, setup{})
	accept := func(r *Request) { r.AcceptRoot = true }
	for i, step := range []struct {
		roots  fixedRoots
		accept bool
		code   abi.Code
	}{
		{at(dir, true), false, ""}, // nothing there yet
		{at(other, false), false, ""},
		{at(other, false), false, ""},
		{at(dir, false), false, abi.CodeRootChanged},
		{at(other, true), false, abi.CodeRootEmptied},
		{at(other, false), false, ""},
		{at(dir, false), true, ""},
		{at(dir, false), false, ""},
		{at(other, false), false, abi.CodeRootChanged},
		{at(dir, true), true, ""},
		{at(dir, true), false, ""}, // accepted once is enough
	} {
		h.deps.Roots = step.roots
		h.runner = New(h.deps)
		var change []func(*Request)
		if step.accept {
			change = append(change, accept)
		}
		_, err := h.play(done(0), change...)
		if step.code == "" && err != nil || step.code != "" && abi.CodeOf(err) != step.code {
			t.Fatalf("step %d: got %v, want %q", i, err, step.code)
		}
	}
}

// The worker of an accepted module starts with the folders that its run is granted. The
// folders of any other module are not known before it has described itself.
func TestPinnedRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHost(t, setup{roots: fixedRoots{roots: []ResolvedRoot{{Name: "scripted", Path: dir, Origin: "--root"}}}})
	request := Request{Module: h.file}
	if got := h.runner.pinnedRoots(t.Context(), request); got != nil {
		t.Errorf("before the module is accepted: got %v, want none", got)
	}
	h.mustPlay(done(0))
	want := plugin.Mount{Name: "scripted", Path: dir}
	if got := h.runner.pinnedRoots(t.Context(), request); len(got) != 1 || got[0] != want {
		t.Errorf("got %v, want %v", got, want)
	}
	other := *h.file
	other.SHA256 = "other"
	if got := h.runner.pinnedRoots(t.Context(), Request{Module: &other}); got != nil {
		t.Errorf("of another module: got %v, want none", got)
	}
}
