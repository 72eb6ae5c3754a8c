package house_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	providerRow = regexp.MustCompile(`(?m)^\| ([a-z_, ]+) \| (.+) \| (\d{4}-\d\d-\d\d) \| (.+) \| (.*\]\(https://.+) \|$`)
	changeRow   = regexp.MustCompile("(?m)^\\| ([0-9, -]+) \\| (.+) \\| `(\\w+)\\.(?:Options|Provider)\\.(\\w+)` \\| (plugins/[\\w/]+_test\\.go): (.+) \\|$")
)

// AC-12: docs/providers.md lists each connector of a service, with its version, the day on which
// somebody looked, what ends, and the change log; and each change with a switch of the simulation
// and a test that are there.
func TestProvidersAreListed(t *testing.T) {
	t.Parallel()
	page, makefile := read(t, "docs/providers.md"), read(t, "Makefile")
	listed := map[string]bool{}
	for _, row := range providerRow.FindAllStringSubmatch(page, -1) {
		if _, err := time.Parse(time.DateOnly, row[3]); err != nil {
			t.Errorf("%s: looked at %s, want a date", row[1], row[3])
		}
		for name := range strings.SplitSeq(row[1], ", ") {
			listed[name] = true
		}
	}
	for _, kind := range []string{"NETWORK", "SITES"} {
		_, names, found := strings.Cut(makefile, "\n"+kind)
		names, _, _ = strings.Cut(names, "\n")
		_, names, _ = strings.Cut(names, ":=")
		if !found || strings.TrimSpace(names) == "" {
			t.Errorf("the Makefile has no %s", kind)
		}
		for name := range strings.FieldsSeq(names) {
			if !listed[name] {
				t.Errorf("docs/providers.md does not list %s", name)
			}
		}
	}
	changes := changeRow.FindAllStringSubmatch(page, -1)
	if len(changes) < 10 {
		t.Errorf("%d changes are listed, want the 10 of 2024 to 2026 at least", len(changes))
	}
	for _, row := range changes {
		where := "testplugins/providers/" + row[3]
		there := false
		for _, file := range projectFiles(t) {
			there = there || strings.HasPrefix(file, where+"/") && !isTest(file) && strings.HasSuffix(file, ".go") && regexp.MustCompile(`\b`+row[4]+`\b`).MatchString(read(t, file))
		}
		if !there {
			t.Errorf("%s has no switch %s", where, row[4])
		}
		for name := range strings.SplitSeq(row[6], ", ") {
			if !strings.Contains(read(t, row[5]), "func "+name+"(") {
				t.Errorf("%s has no test %s", row[5], name)
			}
		}
	}
}
