package run

import (
	"sync"
	"testing"
)

// A question that a run's end cancels adds its gap while the guest winds up and adds
// others: none is lost.
func TestKnownGapsAreAddedTogether(t *testing.T) {
	t.Parallel()
	var k knownGaps
	var adding sync.WaitGroup
	const each = 500
	for range 4 {
		adding.Go(func() {
			for range each {
				k.add(KnownGap{Kind: "interaction", Stream: "notes"})
			}
		})
	}
	adding.Wait()
	if all := k.all(); len(all) != 1 || all[0].Count != 4*each {
		t.Errorf("got %+v, want one gap that counts %d", all, 4*each)
	}
}
