package trial

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// MeetsPublic holds the records of a run against those that the public connector of the same key has delivered of the same home: lines
// of stream, key and data in the file recorded. Each of theirs has one of ours under its key, and the fields that both declare have
// one value. apart are the ones that differ, "STREAM KEY" or "STREAM.FIELD" with the reason, and each of them does differ.
func MeetsPublic(t *testing.T, manifest, recorded string, res *sdktest.Result, apart map[string]string) {
	t.Helper()
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	declared, ours := fieldsOf(t, &m), res.Stored()
	met := map[string]bool{}
	for line := range bytes.Lines(lines) {
		var theirs struct {
			Stream string         `json:"stream"`
			Key    string         `json:"key"`
			Data   map[string]any `json:"data"`
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&theirs); err != nil {
			t.Fatal(err)
		}
		own, there := ours[theirs.Stream][theirs.Key]
		if name := theirs.Stream + " " + theirs.Key; !there {
			if met[name] = true; apart[name] == "" {
				t.Errorf("%s: got no record under that key, want one", name)
			}
			continue
		}
		for field, want := range theirs.Data {
			name := theirs.Stream + "." + field
			if !declared[name] || reflect.DeepEqual(own.Fields[field], want) {
				continue
			}
			if met[name] = true; apart[name] == "" {
				t.Errorf("%s of %s: got %v, want %v", name, theirs.Key, own.Fields[field], want)
			}
		}
	}
	for name, why := range apart {
		if !met[name] {
			t.Errorf("%s is listed (%s), and got nothing that differs, want it taken off the list", name, why)
		}
	}
}

// fieldsOf returns the fields that a manifest declares, as STREAM.FIELD.
func fieldsOf(t *testing.T, m *abi.Manifest) map[string]bool {
	t.Helper()
	declared := map[string]bool{}
	for _, s := range m.Streams {
		var schema struct {
			Properties map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(s.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		for field := range schema.Properties {
			declared[s.Name+"."+field] = true
		}
	}
	return declared
}
