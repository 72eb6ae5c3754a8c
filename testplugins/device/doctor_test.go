package device

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// LC-08.2, LC-08.4, LC-08.5: a program built from a checkout is not a released one. The
// doctor warns of it and of its version, and finds no other fault.
func TestDoctorOfACheckout(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 17, 50_000)
	l := m.enroll(s.url(), s.invite())
	l.runs(done)
	checkout := filepath.Join(t.TempDir(), "checkout")
	write(t, checkout, "go.mod", "module github.com/pdpp-host/pdpp-host\n\ngo 1.26\n")
	program, err := os.ReadFile(m.b.collector)
	if err != nil {
		t.Fatal(err)
	}
	write(t, checkout, "bin/pdpp-local-collector", string(program))
	inside := filepath.Join(checkout, "bin", "pdpp-local-collector")
	if err := os.Chmod(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{m.b.collector, inside} {
		var v struct {
			Overall string
			Checks  []struct {
				Name, Level, Message, Remediation string
			}
			Status struct {
				Posture struct {
					Kind         string
					Placeholder  bool   `json:"is_placeholder_version"`
					Version      string `json:"package_version"`
					LocationHint string `json:"location_hint"`
				} `json:"deployment_posture"`
			}
		}
		said := m.says(0, path, append([]string{"doctor", "--json"}, l.args...)...)
		m.result(said, &v)
		if v.Overall != "warning" || v.Status.Posture.Kind != "repo_dist_override" {
			t.Errorf("%+v, want v.Overall = warning and v.Status.Posture.Kind = repo_dist_override", v)
		}
		warned := 0
		for _, c := range v.Checks {
			if c.Level == "critical" {
				t.Errorf("%+v, want c.Level not critical", c)
			}
			if c.Level == "warn" {
				warned++
			}
		}
		if warned == 0 {
			t.Errorf("%+v, want warned not 0", v.Checks)
		}
		if text := string(said.stdout); strings.Contains(text, m.dir) || strings.Contains(text, checkout) || strings.Contains(text, m.b.dir) {
			t.Errorf("the output contains a path:\n%s, want no %v in text, no %v in text and no %v in text", text, m.dir, checkout, m.b.dir)
		}
	}
}
