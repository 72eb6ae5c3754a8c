package trial

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// Schemas are the schemas of a manifest's streams.
type Schemas struct {
	compiled func() map[string]*jsonschema.Schema
}

// SchemasOf returns the schemas of a manifest. They are compiled once, when the first
// record is checked against one.
func SchemasOf(manifest string) Schemas {
	return Schemas{sync.OnceValue(func() map[string]*jsonschema.Schema { return compile(manifest) })}
}

func compile(manifest string) map[string]*jsonschema.Schema {
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		panic(err)
	}
	compiled := make(map[string]*jsonschema.Schema)
	for _, s := range m.Streams {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		c.AssertFormat()
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(s.Schema)))
		if err != nil {
			panic(err)
		}
		if err := c.AddResource(s.Name, doc); err != nil {
			panic(err)
		}
		compiled[s.Name] = c.MustCompile(s.Name)
	}
	return compiled
}

// Conform checks every record of a run against its stream's schema, formats asserted.
// sdktest checks only names and types.
func (s Schemas) Conform(t testing.TB, res *sdktest.Result) {
	t.Helper()
	for _, rec := range res.All {
		if rec.Delete {
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(rec.Data)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.compiled()[rec.Stream].Validate(doc); err != nil {
			t.Errorf("%s %s: %v\n%s", rec.Stream, rec.Key, err, rec.Data)
		}
	}
}

// Succeeded checks that a run succeeded, and that its records conform.
func (s Schemas) Succeeded(t testing.TB, res *sdktest.Result) {
	t.Helper()
	if res.Done.Status != abi.DoneSucceeded {
		t.Fatalf("done %+v %+v, skips %+v, want Done.Status = %v", res.Done, res.Done.Error, res.Skips, abi.DoneSucceeded)
	}
	s.Conform(t, res)
}

// Sound checks that a run succeeded or was stopped, and that its records conform.
func (s Schemas) Sound(t testing.TB, res *sdktest.Result) {
	t.Helper()
	if res.Exit != 0 || (res.Done.Status != abi.DoneSucceeded && res.Done.Status != abi.DoneCancelled) {
		t.Fatalf("exit %d, done %+v %+v", res.Exit, res.Done, res.Done.Error)
	}
	s.Conform(t, res)
}
