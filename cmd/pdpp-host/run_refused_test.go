package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// What a run by hand keeps with its connection is what its owner has to change there,
// and neither what passes by itself nor what was typed for that run alone.
func TestWhatARefusalByHandSays(t *testing.T) {
	t.Parallel()
	for code, want := range map[abi.Code]bool{
		abi.CodeRootMissing: true, abi.CodeRootChanged: true, abi.CodePluginUnknown: true, abi.CodePluginChanged: true,
		abi.CodeOriginChanged: true, "send.base_url_invalid": true, "manifest.invalid": true, abi.CodeBindingMissing: true,
		"vault.key_missing": false, "vault.keyring_unavailable": false, abi.CodeConnectionBusy: false, abi.CodeCoolingDown: false, abi.CodeInterrupted: false, abi.CodeUsage: false, "storage.failed": false, abi.CodeInternal: false,
	} {
		if got := ownersToChange(code); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
	for name, f := range map[string]runFlags{
		"root": {roots: []string{"a=b"}}, "set": {set: []string{"a=b"}}, "stream": {streams: []string{"a"}}, "resource": {resources: []string{"a=b"}},
		"since": {since: "2026-01-01"}, "record": {record: "f"}, "accept-root": {acceptRoot: true},
	} {
		if !f.typed() {
			t.Errorf("--%s is typed for one run", name)
		}
	}
	if f := (runFlags{connection: "c", noInput: true, force: true, full: true, maxRequests: 5}); f.typed() {
		t.Error("these are not why a run is refused")
	}
}
