package connectors_test

import (
	"bytes"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// A session whose owner has not proven it of late puts no module in place and accepts none: a connection's credentials
// would go where that module says.
func TestModulesNeedProof(t *testing.T) {
	t.Parallel()
	cache, err := tree.Cache()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := plugin.NewEngine(plugin.Options{Isolation: plugin.IsolationInline, CacheDir: cache, Limits: plugin.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	o := served.Owner(t, t.TempDir(), engine)
	t.Cleanup(func() { _ = o.Close() })
	o.Modules = new(modules.Memory)
	if _, err := o.Store(t.Context()); err != nil { // which both have
		t.Fatal(err)
	}
	stolen := o.As(owner.Actor{Face: owner.BrowserSession}, engine)
	module := rig.Guest(t, "testplugins/guests/scripted").Bytes
	installs := func(o *owner.Owner) error {
		_, err := connectors.Install(t.Context(), o, connectors.Installation{Module: bytes.NewReader(module)})
		return err
	}
	accepts := func(o *owner.Owner) error {
		_, err := connectors.Accept(t.Context(), o, connectors.Acceptance{Module: "scripted", Consent: served.Word{}})
		return err
	}
	for what, do := range map[string]func(*owner.Owner) error{"install": installs, "accept": accepts} {
		if what == "accept" {
			if err := installs(o); err != nil {
				t.Fatal(err)
			}
		}
		if got := abi.CodeOf(do(stolen)); got != owner.CodeProofNeeded {
			t.Errorf("%s by a session: got %q, want %q", what, got, owner.CodeProofNeeded)
		}
		if err := do(o); err != nil {
			t.Errorf("%s by a command: got %v, want it done", what, err)
		}
	}
}
