package sdk_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// manifest declares one stream of each kind that the tests need.
const manifest = `{"connector_key":"test","version":"0.1.0",
"runtime_requirements":{"bindings":{"interactive":{"required":false}}},
"setup":{"credential_capture":{"fields":[
  {"name":"user","label":"User","env":["TEST_USER"],"required":true},
  {"name":"token","label":"Token","env":["TEST_TOKEN","TEST_PAT"],"required":true},
  {"name":"note","env":["TEST_NOTE"],"required":false}]}},
"streams":[
{"name":"notes","primary_key":["id"],"semantics":"mutable_state","consent_time_field":"at",
 "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"text":{"type":["string","null"]}}}},
{"name":"top","primary_key":["id","time_range"],"semantics":"mutable_state","schema":{"type":"object"}},
{"name":"profile","primary_key":["steamid"],"semantics":"mutable_state","schema":{"type":"object"}},
{"name":"log","primary_key":["n"],"semantics":"append_only","schema":{"type":"object"}},
{"name":"details","primary_key":["id"],"semantics":"mutable_state","parent_streams":["notes"],
 "coverage_strategy":"parent_detail_accounting","schema":{"type":"object"}}]}`

// collect is a connector made of its Collect alone.
type collect func(h *sdk.Host) error

func (collect) Manifest() string            { return manifest }
func (c collect) Collect(h *sdk.Host) error { return c(h) }

// run is one run of f.
func run(t *testing.T, o sdktest.Options, f func(h *sdk.Host) error) *sdktest.Result {
	t.Helper()
	return sdktest.Collect(t, collect(f), o)
}

// note emits one note.
func note(h *sdk.Host, id string) error {
	r := h.Record("notes")
	r.String("id", id)
	r.String("text", "text of "+id)
	return r.Emit()
}
