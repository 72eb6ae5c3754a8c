package fingerprint

import "testing"

// Cursors contain these sums, too, and they distinguish one format from the next.
func TestFormatted48IsForGood(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{"": 0x9ce2dbb6c402, `{"id":"a","n":1}`: 0x7c726f9572f3, `{"id":"b"`: 0xaedab35ad466} {
		if got := Formatted48([]byte(text), 1); got != want {
			t.Errorf("%q: %#x, want %#x", text, got, want)
		}
		if got := Formatted48([]byte(text), 2); got == want || got == 0 || got > Mask48 {
			t.Errorf("%q in another format: %#x, want got not %#x, got not 0 and got at most %#x", text, got, want, Mask48)
		}
	}
}
