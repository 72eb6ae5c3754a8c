package manifest_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// AC-02: no pattern covers every file, so that no rule makes a folder look read.
func TestPatternsThatCoverAll(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"*.bak": true, "cache/": true, ".*": true, ".*/": true, "a/.*": true, "sub/*": true, "[ab]c": true, "日*": true, "?a*": true, "__MACOSX/": true,
		"": false, "*": false, "*/": false, "**": false, "?*": false, "*.*": false, "*.?*": false, "[^!]*": false, "[^!]*/": false, "[a-z]*.[a-z]*": false,
		"[!]]*": false, ".": false, "..": false, "../x": false, "/x": false, "a//b": false, `a\b`: false, "c:x": false, "[": false, "*/*": false, "./a": false,
	} {
		if got := manifest.IsPattern(pattern); got != want {
			t.Errorf("%q: got %v, want %v", pattern, got, want)
		}
	}
}

// AC-03: the owner's word on one file is about that file, whatever letters its name has.
func TestAnExactFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, other string
		want        bool
	}{
		{"*", "*", true}, {"*", "a.ics", false}, {"Timeline.json", "Timeline.json", true}, {"Timeline.json", "2027/Timeline.json", false},
		{"[ab]", "a", false}, {"d", "d/any", true}, {"d", "da", false}, {"a.zip", "a.zip/x/y.json", true},
	} {
		if got := manifest.Covers(abi.Ignore{Pattern: manifest.ExactFile(c.file)}, c.other); got != c.want {
			t.Errorf("%q over %q: got %v, want %v", c.file, c.other, got, c.want)
		}
	}
}
