package run

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
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
