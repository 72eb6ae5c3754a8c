package storage

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// An item accepted by name belongs to the module that it was accepted with; another module
// begins with only the items named then.
func TestAcceptedByName(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	c := x.connection("notes")
	variable, folder := AcceptedItem{Kind: AcceptVariable, Name: "OTHER_TOKEN"}, AcceptedItem{Kind: AcceptFolder, Name: "~/.ssh"}
	want := func(kind, name string, is bool) {
		t.Helper()
		got, err := x.s.Connection(t.Context(), c.ID)
		x.ok(err)
		if got.Accepts(kind, name) != is {
			t.Errorf("accepts %s=%s: %t, want %t", kind, name, !is, is)
		}
	}
	want(AcceptVariable, "OTHER_TOKEN", false)
	x.ok(x.s.PinPlugin(t.Context(), c.ID, "abc", []byte(keptManifest), variable, folder))
	want(AcceptVariable, "OTHER_TOKEN", true)
	want(AcceptFolder, "OTHER_TOKEN", false)
	want(AcceptFolder, "~/.ssh", true)
	x.ok(x.s.PinPlugin(t.Context(), c.ID, "def", []byte(keptManifest), folder))
	want(AcceptVariable, "OTHER_TOKEN", false)
	want(AcceptFolder, "~/.ssh", true)
	x.ok(x.s.PinPlugin(t.Context(), c.ID, "def", []byte(keptManifest), variable))
	want(AcceptVariable, "OTHER_TOKEN", true)
	want(AcceptFolder, "~/.ssh", true)
	x.damage("UPDATE connections SET accepted = '[{\"kind\":\"folder\",\"name\":\"~/.ssh\"}'")
	want(AcceptFolder, "~/.ssh", false)
}

// A connection that was refused for a module that nobody accepted waits no longer
// once somebody has; what else it was refused for stays.
func TestAcceptingEndsTheRefusal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		code abi.Code
		left int
	}{{abi.CodePluginNotAccepted, 0}, {abi.CodeRootMissing, 1}} {
		x := newExercise(t)
		c := x.connection("notes")
		x.ok(x.s.RecordRefusal(t.Context(), Dispatch{ConnectionID: c.ID, Trigger: "manual", Reason: string(tc.code)}))
		x.ok(x.s.PinPlugin(t.Context(), c.ID, "abc", []byte(keptManifest)))
		left, err := x.s.Refusals(t.Context(), c.ID)
		x.ok(err)
		if len(left) != tc.left {
			t.Errorf("%s: %d refusals are left, want %d", tc.code, len(left), tc.left)
		}
	}
}
