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

// AC-07: halves of surrogate pairs are counted where they become a part of the text.
func TestHalvesAreCounted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`"\ud83d\ude00"`: 0, `"\ud83d"`: 1, `"\ude00 \ud83d"`: 2, `"\ufffd"`: 0, `"\u12"`: 0, `"0123456789\ud83d"`: 0, `"\\ud83d"`: 0, "\"\xff\"": 0,
	} {
		c := Clipper{Left: 10}
		if c.Text(Value(text)); c.Half != want {
			t.Errorf("%s: got %d, want %d", text, c.Half, want)
		}
	}
}
