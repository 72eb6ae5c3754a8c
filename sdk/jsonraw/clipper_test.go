package jsonraw

import (
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The length is that of the text in a Clipper with room for everything.
func TestCharactersBeyondTheLimit(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "a", "abcdefgh", "abcdefghi", `abc\ndefgh`, `abcdefgh\u00e9`, `\ud83d\ude00x`, `\ud83dx`, `\\\\\\\\\\\\`, `abcdefg\`, `\u12`, "äöü€😀äöü",
		"ab\xff\xfecdefghijk", strings.Repeat(`12345678\"`, 9), "abcdefg\\", "\x7f\x80",
	} {
		for _, escapes := range []bool{true, false} {
			all := Clipper{Left: 1000}
			all.decode([]byte(s), escapes)
			for limit := range 12 {
				var c Clipper
				c.Measure(limit)
				c.decode([]byte(s), escapes)
				if got, want := int64(limit-c.Left)+c.Over, int64(1000-all.Left); got != want {
					t.Errorf("%q, escapes %v, limit %d: %d characters, want %d", s, escapes, limit, got, want)
				}
			}
		}
	}
}
