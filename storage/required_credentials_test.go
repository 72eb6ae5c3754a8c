package storage

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// A connection's health requires each credential once, by the name that its owner stores it
// under.
func TestRequiredCredentials(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{}`: nil,
		`{"setup":{"credential_capture":{"fields":[{"name":"b","env":["X_B"]},{"name":"a","required":true}]}},
"capabilities":{"auth":{"required":["X_B","X_C"]}}}`: {"a", "x_c"},
		`{"setup":{"credential_capture":{"required":false,"fields":[{"name":"a","required":true}]}}}`: nil,
		`{"setup":{"credential_capture":{"fields":[{"name":"p"}]}},"runtime_requirements":{"network":{"credentials":[
{"field":"p","user_field":"u"},{"field":"access","oauth2":{"refresh_field":"r","client_id_field":"id"}}]}}}`: {"id", "r", "u"},
		`{"capabilities":{"auth":{"required":["X_C"]}},"runtime_requirements":{"network":{"credentials":[{"field":"X_C"}]}}}`: {"x_c"},
	} {
		var m abi.Manifest
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		if got := evidence.RequiredCredentials(&m); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

// A slot may name a credential by its variable. The one that is stored is then the
// one that was rejected, and its owner is not asked for a first one.
func TestASlotsVariableIsNoSecondCredential(t *testing.T) {
	t.Parallel()
	x, c := kept(t, `{"streams":[{"name":"a"},{"name":"b"}],"capabilities":{"auth":{"kind":"env","required":["DEMO_TOKEN"]}},
"runtime_requirements":{"network":{"credentials":[{"name":"api","field":"DEMO_TOKEN"}]}}}`)
	x.leave(c, "demo_token")
	x.ok(x.begin("c", allStreams).Finish(t.Context(), Outcome{
		Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_auth_failed"},
	}))
	v := x.verdict("c")
	x.same(conditionOf(&v, health.CredentialsValid).Reason, health.Word("demo_auth_failed"))
	x.same(v.RequiredActions[0].CTACode, "cta_reauth")
	x.sound()
}
