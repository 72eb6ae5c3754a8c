package run

import (
	"errors"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

type fixedRoots struct {
	roots []ResolvedRoot
	err   error
}

func (f fixedRoots) Resolve(*abi.Manifest, map[string]string) ([]ResolvedRoot, error) {
	return f.roots, f.err
}

func needs(bindings map[string]bool) *abi.Manifest {
	m := &abi.Manifest{ConnectorKey: "t", Requirements: abi.RuntimeRequirements{Bindings: map[string]abi.Binding{}}}
	for name, required := range bindings {
		m.Requirements.Bindings[name] = abi.Binding{Required: required}
	}
	return m
}

// RT-06.1: the filesystem binding is there for a connector that requires it;
// any other that is missing is refused by its name, before anything starts.
func TestMatchBindings(t *testing.T) {
	t.Parallel()
	roots := fixedRoots{roots: []ResolvedRoot{{Name: "t", Path: "/somewhere", Origin: "--root"}}}
	missing := fixedRoots{err: abi.NewError(abi.CodeRootMissing, "m", "h")}
	for _, tc := range []struct {
		name     string
		bindings map[string]bool
		roots    RootResolver
		given    map[string]string
		code     abi.Code
		message  string
		granted  bool
	}{
		{"filesystem granted", map[string]bool{"filesystem": true}, roots, nil, "", "", true},
		{"filesystem required, no resolver", map[string]bool{"filesystem": true}, nil, nil, abi.CodeBindingMissing, "Runtime cannot satisfy required binding: filesystem", false},
		{"required folder missing", map[string]bool{"filesystem": true}, missing, nil, abi.CodeRootMissing, "", false},
		{"optional folder missing", map[string]bool{"filesystem": false}, missing, nil, "", "", false},
		{"optional folder missing, but named", map[string]bool{"filesystem": false}, missing, map[string]string{"t": "/x"}, abi.CodeRootMissing, "", false},
		{"browser required", map[string]bool{"browser": true}, roots, nil, abi.CodeBindingMissing, "Runtime cannot satisfy required binding: browser", false},
		{"browser optional", map[string]bool{"browser": false}, roots, nil, "", "", false},
		{"interactive required, nobody there", map[string]bool{"interactive": true}, nil, nil, abi.CodeBindingMissing, "Runtime cannot satisfy required binding: interactive", false},
		{"unknown required", map[string]bool{"acme.door": true}, nil, nil, abi.CodeBindingMissing, "Runtime cannot satisfy required binding: acme.door", false},
		{"--root for a connector that reads nothing", map[string]bool{}, roots, map[string]string{"t": "/x"}, abi.CodeRootInvalid, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := New(Deps{Roots: tc.roots})
			g, err := r.matchBindings(needs(tc.bindings), tc.given)
			if tc.code != "" {
				var e *abi.Error
				if !errors.As(err, &e) || e.Code != tc.code || tc.message != "" && e.Message != tc.message {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if (len(g.grant.Roots) > 0) != tc.granted || (g.start.Filesystem != nil) != tc.granted {
				t.Fatalf("%+v", g)
			}
			if tc.granted && g.start.Filesystem.Roots[0] != (abi.Root{Name: "t", Path: "/t"}) {
				t.Fatalf("the guest is told more than the mount: %+v", g.start.Filesystem.Roots)
			}
		})
	}
}
