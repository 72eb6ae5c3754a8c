package charset_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

func TestFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, whole, cut string // the text of a whole file, and of a beginning
		taken          int64  // of a whole file; a beginning lacks what its end cuts
	}{
		{"", "", "", 0},
		{"café", "café", "café", 0},
		{"\ufeffcafé", "café", "café", 0},
		{"caf\xe9s", "cafés", "cafés", 1},
		{"caf\xc3", "cafÃ", "caf", 1},
		{"\xff\xfea\x00\xe9\x00", "aé", "aé", 0},
		{"\xfe\xff\x00a\x00\xe9", "aé", "aé", 0},
		{"a\x00b\x00", "ab", "ab", 0},
		{"\xff\xfea\x00b", "a", "a", 1},
		{"\xff\xfea\x00\x3d\xd8", "a?", "a", 1},
		{"\xfe\xff\x00a\xd8\x3d", "a?", "a", 1},
		{"\xff\xfe", "", "", 0},
	} {
		if text, taken := charset.File([]byte(c.in), true); text != c.whole || taken != c.taken {
			t.Errorf("%q: got %q and %d taken, want %q and %d", c.in, text, taken, c.whole, c.taken)
		}
		if text, _ := charset.File([]byte(c.in), false); text != c.cut {
			t.Errorf("%q, a beginning: got %q, want %q", c.in, text, c.cut)
		}
	}
}
