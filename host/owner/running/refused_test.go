package running

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// A run by hand keeps with its connection only what its owner has to change there: neither
// what passes by itself nor what was typed for that run alone.
func TestWhatARefusalByHandSays(t *testing.T) {
	t.Parallel()
	for code, want := range map[abi.Code]bool{
		abi.CodeRootMissing: true, abi.CodeRootChanged: true, abi.CodePluginUnknown: true, abi.CodePluginChanged: true,
		abi.CodeOriginChanged: true, "send.base_url_invalid": true, "manifest.invalid": true, abi.CodeBindingMissing: true,
		"vault.key_missing": true, "vault.key_wrong": true, "vault.damaged": true, "vault.keyring_unavailable": false, abi.CodeConnectionBusy: false, abi.CodeCoolingDown: false, abi.CodeInterrupted: false, abi.CodeUsage: false, "storage.failed": false, abi.CodeInternal: false,
	} {
		if got := ownersToChange(code); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
	one, key := map[string]string{"a": "b"}, map[string][]string{"a": {"b"}}
	for name, r := range map[string]Request{
		"root": {Request: run.Request{Roots: one}}, "set": {Request: run.Request{Options: one}}, "stream": {Request: run.Request{Streams: []string{"a"}}},
		"resource": {Request: run.Request{Resources: key}}, "since": {Request: run.Request{Since: time.Unix(1, 0)}}, "record": {RecordTo: "f"},
		"accept-root": {Request: run.Request{AcceptRoot: true}},
	} {
		if !r.typed() {
			t.Errorf("got --%s as not typed for one run, want it so", name)
		}
	}
	if r := (Request{Request: run.Request{Connection: "c", Force: true, Mode: abi.ModeFullRefresh}, MaxRequests: 5}); r.typed() {
		t.Error("got these as why a run is refused, want them as no reason")
	}
}
