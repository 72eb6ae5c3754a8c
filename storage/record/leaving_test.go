package record

import "testing"

// Lists of the parts that are swept before another one are equal when their parts are, and what those have met.
func TestPartsThatAreSweptBefore(t *testing.T) {
	t.Parallel()
	const parts = 1000
	list := func(last *metKeys) leaving {
		l := &leavers{at: map[int64]int{}}
		for id := range int64(parts) {
			l.add(id, last)
		}
		return leaving{l, parts}
	}
	one, two := &metKeys{}, &metKeys{}
	a, b := list(one), list(one)
	fewer := leaving{b.all, parts - 1}
	if !a.equal(b) || !a.equal(a) || a.equal(list(two)) || a.equal(fewer) || fewer.equal(a) || a.equal(leaving{}) || !(leaving{}).equal(leaving{a.all, 0}) {
		t.Error("got lists that differ for equal, or equal ones that differ")
	}
	if a.of(0) != one || a.of(parts-1) != one || a.of(parts) != nil || fewer.of(parts-1) != nil || (leaving{}).of(0) != nil {
		t.Error("got what another part has met")
	}
}
