package read

import (
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// RD-14.2, RD-16.6: a position has the changes that were applied and no other, whichever way the walks went,
// what is written meanwhile, and how little of its changes a walk applied.
func TestAPositionHasWhatWasApplied(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Position{}
		there, applied := map[int64]bool{}, map[int64]bool{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			for range rapid.IntRange(0, 5).Draw(t, "written") {
				if p.Last++; rapid.IntRange(0, 4).Draw(t, "moved on") > 0 { // else the record has changed again
					there[p.Last] = true
				}
			}
			ways := []Way{Newest, Oldest}
			if len(p.Ahead) > 0 {
				ways = append(ways, Before)
			}
			if p.Top() < p.Last {
				ways = append(ways, Begun)
			}
			way := rapid.SampledFrom(ways).Draw(t, "way")
			low, high := p.bounds(way)
			var next []int64
			for seq := low + 1; seq <= high; seq++ {
				if there[seq] {
					next = append(next, seq)
				}
			}
			if way.back() {
				for i, j := 0, len(next)-1; i < j; i, j = i+1, j-1 {
					next[i], next[j] = next[j], next[i]
				}
			}
			n, last := rapid.IntRange(min(1, len(next)), len(next)).Draw(t, "applied"), int64(0)
			for _, seq := range next[:n] {
				applied[seq], last = true, seq
			}
			p = p.moved(way, last, n == len(next))
			text := writeRanges(p.Ahead)
			if again, err := readRanges(text); err != nil || writeRanges(again) != text {
				t.Fatalf("%q is read as %v, %v", text, again, err)
			}
			missing := int64(0)
			for seq := int64(1); seq <= p.Last; seq++ {
				if has := p.Has(seq); there[seq] && has != applied[seq] {
					t.Fatalf("got %v for change %d of %+v, want %v", has, seq, p, applied[seq])
				} else if !has {
					missing++
				}
			}
			if p.Missing() != missing {
				t.Fatalf("got %d missing of %+v, want %d", p.Missing(), p, missing)
			}
		}
	})
}
