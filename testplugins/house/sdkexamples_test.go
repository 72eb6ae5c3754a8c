package house_test

import (
	"go/doc"
	"strings"
	"testing"
)

// plainPackages need no example: a connector has little to do with them.
var plainPackages = map[string]bool{"sdk/fingerprint": true, "sdk/sha256": true}

// Each package that an author imports shows how it is used, in an example that runs.
func TestAuthorsHaveExamples(t *testing.T) {
	t.Parallel()
	running, all := make(map[string]int), 0
	for _, file := range goFiles(t) {
		folder := folderOf(file)
		if folder != "sdk" && !strings.HasPrefix(folder, "sdk/") || strings.HasPrefix(folder, "sdk/internal") || strings.HasPrefix(folder, "sdk/testdata") {
			continue
		}
		running[folder] += 0
		if !isTest(file) {
			continue
		}
		_, f := parse(t, file)
		for _, e := range doc.Examples(f) {
			if e.Output != "" {
				running[folder]++
				all++
			}
		}
	}
	for folder, n := range running {
		if n == 0 && !plainPackages[folder] {
			t.Errorf("%s: got no example with an output, want one", folder)
		}
	}
	if all < 20 {
		t.Errorf("got %d examples in the SDK, want at least 20: the search is broken", all)
	}
}
