package run

import (
	"errors"
	"maps"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

type fixedRoots struct {
	roots []ResolvedRoot
	err   error
}

func (f fixedRoots) Resolve(*abi.Manifest, map[string]string, []storage.AcceptedItem) ([]ResolvedRoot, error) {
	return f.roots, f.err
}

func needs(bindings map[string]bool) *abi.Manifest {
	m := &abi.Manifest{ConnectorKey: "t", Requirements: abi.RuntimeRequirements{Bindings: map[string]abi.Binding{}}}
	for name, required := range bindings {
		m.Requirements.Bindings[name] = abi.Binding{Required: required}
	}
	return m
}

// RT-06.1: a connector that requires the filesystem binding gets it; a missing binding
// is refused by its name, before anything starts.
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
			g, err := r.matchBindings(needs(tc.bindings), tc.given, nil)
			if tc.code != "" {
				var e *abi.Error
				if !errors.As(err, &e) || e.Code != tc.code || tc.message != "" && e.Message != tc.message {
					t.Fatalf("got %v, want %s %q", err, tc.code, tc.message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if (len(g.grant.Roots) > 0) != tc.granted || (g.start.Filesystem != nil) != tc.granted {
				t.Fatalf("got %+v, want folders granted %v", g, tc.granted)
			}
			if tc.granted && g.start.Filesystem.Roots[0] != (abi.Root{Name: "t", Path: "/t"}) {
				t.Fatalf("got roots %+v in START, want /t alone", g.start.Filesystem.Roots)
			}
		})
	}
}

// A connector that requires credentials may ask for them without an interactive binding
// (RT-08.1), and START names every credential of the manifest, wherever the manifest
// declares it: by its name, and never with a value.
func TestCredentialsOfTheManifest(t *testing.T) {
	t.Parallel()
	no := false
	optional := abi.CredentialField{Name: "note", Env: []string{"NOTE", "OLD_NOTE"}}
	token := abi.CredentialField{Name: "token", Env: []string{"APP_TOKEN"}, Required: true}
	form := func(required *bool, fields ...abi.CredentialField) *abi.CredentialCapture {
		return &abi.CredentialCapture{Required: required, Fields: fields}
	}
	renewed := abi.CredentialSlot{Field: "access", OAuth: &abi.OAuth2{RefreshField: "refresh", ClientIDField: "note"}}
	for name, tc := range map[string]struct {
		form  *abi.CredentialCapture
		auth  []string
		slots []abi.CredentialSlot
		asks  bool
		names []string
	}{
		"none":                       {},
		"a form":                     {form: form(nil, token, optional), asks: true, names: []string{"token", "note"}},
		"a form of what may be left": {form: form(nil, optional), names: []string{"note"}},
		"a form that may stay empty": {form: form(&no, token, optional), names: []string{"token", "note"}},
		"variables":                  {auth: []string{"APP_KEY"}, asks: true, names: []string{"app_key"}},
		"a variable beside a form":   {form: form(nil, optional), auth: []string{"NOTE", "APP_KEY"}, asks: true, names: []string{"note", "app_key"}},
		"a variable of the form's":   {form: form(nil, optional), auth: []string{"OLD_NOTE"}, names: []string{"note"}},
		"a slot that is renewed": {
			form: form(nil, optional), slots: []abi.CredentialSlot{renewed}, asks: true, names: []string{"note", "access", "refresh"},
		},
		"a slot of the form's": {form: form(nil, optional), slots: []abi.CredentialSlot{{Field: "note"}}, names: []string{"note"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := needs(nil)
			m.Setup.CredentialCapture = tc.form
			if tc.auth != nil {
				m.Capabilities.Auth = &abi.Auth{Required: tc.auth}
			}
			if tc.slots != nil {
				m.Requirements.Network = &abi.NetworkRequirements{Credentials: tc.slots}
			}
			r := New(Deps{Asker: answers(nil)})
			g, err := r.matchBindings(m, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if asks := g.start.Interactive != nil; asks != tc.asks {
				t.Errorf("got interactive %v in START, want %v", asks, tc.asks)
			}
			want := map[string]bool{}
			for _, field := range tc.names {
				want[field] = false
			}
			if held := (&plan{manifest: m}).heldCredentials(); !maps.Equal(held, want) {
				t.Errorf("START says %v, not %v", held, want)
			}
			if hasCredentials(m) != (len(tc.names) > 0) {
				t.Errorf("got credentials %v, want %v, as the manifest names %q", hasCredentials(m), len(tc.names) > 0, tc.names)
			}
			if g, err = New(Deps{}).matchBindings(m, nil, nil); err != nil || g.start.Interactive != nil {
				t.Errorf("got interactive %v (%v) without anybody to ask, want none", g, err)
			}
		})
	}
}
