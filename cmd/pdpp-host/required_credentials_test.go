package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// What a connection's health takes for required is what an owner is told to set.
func TestRequiredCredentials(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"a form, and more of the environment": `{"setup":{"credential_capture":{"fields":[{"name":"b","env":["X_B"]},{"name":"a","required":true}]}},
"capabilities":{"auth":{"required":["X_B","X_C"]}}}`,
		"a form that may stay empty": `{"setup":{"credential_capture":{"required":false,"fields":[{"name":"a","required":true}]}}}`,
		"slots":                      `{"runtime_requirements":{"network":{"credentials":[{"field":"p","user_field":"u"},{"field":"access","oauth2":{"refresh_field":"r","client_id_field":"id"}}]}}}`,
		"a slot of the form's":       `{"setup":{"credential_capture":{"fields":[{"name":"p"}]}},"runtime_requirements":{"network":{"credentials":[{"field":"p"}]}}}`,
		"none":                       `{}`,
	}
	for _, pattern := range []string{"../../plugins/*/manifest.json", "../../testplugins/guests/*/manifest.json"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) < 4 {
			t.Fatal(paths, err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[path] = string(b)
		}
	}
	some := 0
	for name, text := range texts {
		var m abi.Manifest
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(name, err)
		}
		var want []string
		for _, f := range credentialFields(&m) {
			if f.Required {
				want = append(want, f.Name)
			}
		}
		slices.Sort(want)
		if got := storage.RequiredCredentials(&m); !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
		some += len(want)
	}
	if some < 10 {
		t.Errorf("only %d are required at all", some)
	}
}
