package fingerprint

import "testing"

// These sums stand in cursors, too, and a format is told from the next one.
func TestFormatted48IsForGood(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{"": 0x9ce2dbb6c402, `{"id":"a","n":1}`: 0x7c726f9572f3, `{"id":"b"`: 0xaedab35ad466} {
		if got := Formatted48([]byte(text), 1); got != want {
			t.Errorf("%q: %#x", text, got)
		}
		if got := Formatted48([]byte(text), 2); got == want || got == 0 || got > Mask48 {
			t.Errorf("%q in another format: %#x", text, got)
		}
	}
}
