package rig

import (
	"os"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// Modes are both isolation modes.
var Modes = []string{plugin.IsolationProcess, plugin.IsolationInline}

// Engine returns an engine that ends with the test. All engines of a test
// binary share one cache of compiled modules.
func Engine(t testing.TB, isolation string, limits plugin.Limits) *plugin.Engine {
	t.Helper()
	cache, err := tree.Cache()
	if err != nil {
		t.Fatal(err)
	}
	e, err := plugin.NewEngine(plugin.Options{
		Isolation: isolation, CacheDir: cache, Limits: limits,
		WorkerCommand: []string{os.Args[0], plugin.WorkerArgument},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("closing the engine: %v", err)
		}
	})
	return e
}
