package manifest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// object is a JSON object under construction.
type object = map[string]any

// list is a JSON array under construction.
type list = []any

// minimal returns the smallest manifest that is valid, with one stream.
func minimal() object {
	return object{
		"connector_id":     "https://connectors.example.org/minimal",
		"connector_key":    "minimal",
		"display_name":     "Minimal",
		"version":          "0.1.0",
		"protocol_version": "0.1.0",
		"streams":          list{stream("notes")},
	}
}

// stream returns the smallest stream that is valid.
func stream(name string) object {
	return object{
		"name": name, "semantics": "mutable_state", "primary_key": list{"id"},
		"schema": object{"type": "object", "properties": object{"id": object{"type": "string"}}},
	}
}

// set changes the value at a dotted path, where a number is an array's index;
// drop as the value removes it.
func set(t testing.TB, m object, path string, value any) object {
	t.Helper()
	var at any = m
	parts := strings.Split(path, ".")
	for i, part := range parts {
		last := i == len(parts)-1
		switch v := at.(type) {
		case object:
			switch {
			case last && value == drop:
				delete(v, part)
			case last:
				v[part] = value
			case v[part] == nil:
				v[part] = object{}
			}
			at = v[part]
		case list:
			n := int(part[0] - '0')
			if last {
				v[n] = value
			}
			at = v[n]
		default:
			t.Fatalf("no %q in %s", part, path)
		}
	}
	return m
}

var drop = new(int)

func encode(t interface {
	Helper()
	Fatal(...any)
}, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func valid(t *testing.T, m object) *abi.Manifest {
	t.Helper()
	got, err := manifest.Parse(encode(t, m))
	if err != nil {
		t.Fatalf("refused: %v, want no error", err)
	}
	return got
}

// refused asserts that the manifest has exactly one problem, at path, whose
// rule holds the words.
func refused(t *testing.T, raw []byte, path, words string) {
	t.Helper()
	problems := manifest.Problems(raw)
	if len(problems) != 1 || problems[0].Path != path || !strings.Contains(problems[0].Rule, words) {
		t.Fatalf("problems = %q, want one at %q saying %q", problems, path, words)
	}
	m, err := manifest.Parse(raw)
	if m != nil || abi.CodeOf(err) != abi.CodeManifestInvalid {
		t.Fatalf("Parse = %v, %v, want m == nil && abi.CodeOf(err) == abi.CodeManifestInvalid", m, err)
	}
	if !strings.Contains(err.Error(), problems[0].String()) {
		t.Fatalf("the error does not tell the problem: %v, want strings.Contains(err.Error(), problems[0].String())", err)
	}
}

func maximal(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/maximal.json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
