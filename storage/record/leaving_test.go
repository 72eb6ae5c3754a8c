package record

import "testing"

// Lists of the parts that are swept before another one are equal when their parts are, and what those have met.
func TestPartsThatAreSweptBefore(t *testing.T) {
	t.Parallel()
	const parts = 1000
	list := func(last *metKeys) (l *leaving) {
		for id := range int64(parts) {
			l = &leaving{l, id, last}
		}
		return l
	}
	one, two := &metKeys{}, &metKeys{}
	a, b := list(one), list(one)
	if !a.equal(b) || !a.equal(a) || a.equal(list(two)) || a.equal(b.before) || b.before.equal(a) || a.equal(nil) {
		t.Error("got lists that differ for equal, or equal ones that differ")
	}
	if a.of(0) != one || a.of(parts-1) != one || a.of(parts) != nil || (*leaving)(nil).of(0) != nil {
		t.Error("got what another part has met")
	}
}
