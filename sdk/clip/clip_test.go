package clip_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Text keeps the longest beginning that fits and is whole.
func TestText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "abc", "aé", "é€😀x", strings.Repeat("😀", 5)} {
		for n := range len(s) + 3 {
			got, cut := clip.Bytes([]byte(s), n)
			if want := clip.Text(s, n); got != want || cut != (len(s) > n) {
				t.Errorf("%q to %d bytes: %q and %v, want %q and %v", s, n, got, cut, want, len(s) > n)
			}
			if !utf8.ValidString(got) || !strings.HasPrefix(s, got) || len(got) > n || len(s) > n && n-len(got) >= utf8.UTFMax {
				t.Errorf("%q to %d bytes: %q, want its longest beginning of whole code points", s, n, got)
			}
		}
	}
}
