package schema

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/google/jsonschema-go/jsonschema" // keeps the module, whose testdata holds the official suite

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// suiteGroup is one schema of the official JSON Schema Test Suite.
type suiteGroup struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

func suite(t *testing.T) map[string][]suiteGroup {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("where the suite's module lies: %v, want no error", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "jsonschema", "testdata", "draft2020-12", "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d suite files: %v, want no error && len(files) >= 40", len(files), err)
	}
	all := map[string][]suiteGroup{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []suiteGroup
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatalf("%s: json.Unmarshal(text, &groups): got %v, want no error", file, err)
		}
		all[filepath.Base(file)] = groups
	}
	return all
}

// For every schema of the official suite that the host accepts, the answer is
// the suite's; and where the shape is sure, it is sure of the same.
func TestOfficialSuite(t *testing.T) {
	t.Parallel()
	var groups, refused, shaped, cases, shapedCases, sure, wrong int
	for file, list := range suite(t) {
		for _, g := range list {
			groups++
			s, err := Compile(g.Schema, true)
			if err != nil {
				// Schemas that the host refuses by design: documents outside the
				// schema, and a custom metaschema.
				if file != "refRemote.json" && !strings.Contains(string(g.Schema), "localhost:1234") {
					t.Errorf(`%s: %s: got %v, want file == "refRemote.json" || strings.Contains(string(g.Schema), "localhost:1234")`, file, g.Description, err)
				}
				refused++
				continue
			}
			if s.Fast() {
				shaped++
			}
			for _, c := range g.Tests {
				cases++
				tp := scan(t, string(c.Data))
				if s.Fast() {
					shapedCases++
					v := s.run.start(tp, s.shape, tape.Root)
					if v != unsure {
						sure++
						if (v == yes) != c.Valid {
							wrong++
							t.Errorf("%s: %s: %s: the shape says valid=%v", file, g.Description, c.Description, v == yes)
						}
					}
				}
				failure, err := s.Check(tp, tape.Root)
				if err != nil || (failure == nil) != c.Valid {
					t.Errorf("%s: %s: %s: %v, %v, want valid=%v", file, g.Description, c.Description, failure, err, c.Valid)
				}
				if failure != nil && failure.Keyword == "" {
					t.Errorf(`%s: %s: %s: a failure without a keyword, want failure == nil || failure.Keyword != ""`, file, g.Description, c.Description)
				}
			}
		}
	}
	t.Logf("%d schemas, %d refused (they refer to other documents); %d have a shape", groups, refused, shaped)
	t.Logf("%d cases, all as the suite says; %d of them by schemas with a shape, which is sure of %d", cases, shapedCases, sure)
	if shapedCases < 500 || sure < shapedCases*85/100 || wrong > 0 {
		t.Errorf("the shape covers %d cases and is sure of %d, want shapedCases >= 500 && sure >= shapedCases * 85 / 100 && wrong <= 0", shapedCases, sure)
	}
}
