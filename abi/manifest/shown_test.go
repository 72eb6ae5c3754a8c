package manifest_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// RD-39.4: a text that covers its neighbours, and a text that cannot be seen.
func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ piled, visible bool }{
		"": {}, "An app": {false, true}, "日本": {false, true}, "☂": {false, true}, "\u3164": {}, "\u115f\u1160 \u2800": {}, "\U0001d159": {},
		"\u115fa": {false, true}, "\u0301": {piled: true}, "\u0338a": {true, true}, "e\u0301a": {false, true}, "क्षि": {false, true},
		"a\u0308\u0303\u0301\u0323b": {false, true}, "a" + strings.Repeat("\u0338", 5): {true, true},
	} {
		if piled, visible := manifest.IsPiled(text), manifest.IsVisible(text); piled != want.piled || visible != want.visible {
			t.Errorf("%+q: got piled %v and visible %v, want %v", text, piled, visible, want)
		}
	}
}
