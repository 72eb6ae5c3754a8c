package main

import "testing"

// Cursors contain the sums: a different sum for the same parts would emit every row
// again.
func TestSumsAreForGood(t *testing.T) {
	t.Parallel()
	for want, p := range map[int64]partsSum{
		0xa4756e62ee25: formatSeed,
		0x4a8fb3b1a8eb: formatSeed.add("config").add("file"), 0xe555f14e543b: formatSeed.add("configfile").add(""), 0xd7da5958e171: formatSeed.add("é\x00"),
	} {
		if got := p.sum(); got != want {
			t.Errorf("%#x, want %#x", got, want)
		}
	}
}
