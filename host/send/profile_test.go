package send

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// abi/ABI.md tells an author what a field that is left out amounts to.
func TestDefaultsAreDocumented(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(named().withDefaults().Provider)
	if err != nil {
		t.Fatal(err)
	}
	defaults := map[string]any{}
	if err := json.Unmarshal(raw, &defaults); err != nil {
		t.Fatal(err)
	}
	breaker, _ := defaults["breaker"].(map[string]any)
	delete(defaults, "breaker")
	for name, value := range breaker {
		defaults["breaker."+name] = value
	}
	abi, err := os.ReadFile("../../abi/ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(abi), "\n### Provider\n")
	section, _, _ = strings.Cut(section, "\n### ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		field, documented := strings.Trim(cells[1], " `"), strings.TrimSpace(cells[3])
		want := ""
		if value, has := defaults[field]; has {
			want = strings.TrimSuffix(fmt.Sprintf("%f", value), ".000000")
			if strings.Contains(want, ".") {
				want = strings.TrimRight(want, "0")
			}
		}
		if documented != want {
			t.Errorf("%s: ABI.md has the default %q, want %q", field, documented, want)
		}
		delete(defaults, field)
	}
	if len(defaults) > 0 {
		t.Errorf("ABI.md has no defaults of %v, want len(defaults) <= 0", defaults)
	}
}
