package fingerprint

import (
	"fmt"
	"testing"
)

// Cursors contain the sums: a different sum for the same bytes would emit every record
// again.
func TestSum48IsForGood(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for n := range 40 {
		text := fmt.Sprintf("%040d", n)[40-n:]
		sum := Sum48([]byte(text))
		if sum == 0 || sum >= 1<<48 {
			t.Errorf("%q: %x, want sum not 0 and sum less than 1<<48", text, sum)
		}
		if other, twice := seen[sum]; twice && other != text {
			t.Errorf("%q and %q have one sum, %x, want two", text, other, sum)
		}
		seen[sum] = text
	}
	for text, want := range map[string]uint64{"": 0x42d432da5c21, `{"id":"a","n":1}`: 0x3ed772d9d8e2} {
		if got := Sum48([]byte(text)); got != want {
			t.Errorf("%q: %#x, want %#x", text, got, want)
		}
	}
}
