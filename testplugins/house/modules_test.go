package house_test

import (
	"strings"
	"testing"
)

// A module is known by its hash, so its bytes depend on its source alone: what a build says
// of the commit would ask each owner anew.
func TestModulesKnowNoCommit(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"Makefile", "cmd/pdpp-host/internal/scaffold/build.go", "testplugins/rig/tree/build.go", "abi/ABI.md"} {
		found := false
		for line := range strings.Lines(read(t, file)) {
			if !strings.Contains(line, "-buildmode=c-shared") || strings.Contains(line, "scheduler") {
				continue // TinyGo's stamps nothing
			}
			found = true
			if !strings.Contains(line, "-buildvcs=false") {
				t.Errorf("%s: got %q, want it with -buildvcs=false", file, strings.TrimSpace(line))
			}
		}
		if !found {
			t.Errorf("%s: found no line that builds a module", file)
		}
	}
}
