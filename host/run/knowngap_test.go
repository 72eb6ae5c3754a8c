package run

import (
	"strconv"
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

// A gap counts all of its records and names the first three, each once. One that is taken back is
// no longer named, and a gap whose records are all taken back is gone. Gaps past the limit are
// counted.
func TestKnownGapsNameTheirRecords(t *testing.T) {
	t.Parallel()
	var k knownGaps
	told := func(key string) int {
		at := k.add(KnownGap{Kind: "rejected", Stream: "notes"})
		k.name(at, []byte(key))
		return at
	}
	want := func(count int64, diagnostics string) {
		t.Helper()
		all := k.all()
		if len(all) != 1 || all[0].Count != count || string(all[0].Diagnostics) != diagnostics {
			t.Errorf("got %+v, want one gap that counts %d and says %s", all, count, diagnostics)
		}
	}
	at := told("a")
	told("a")
	told("b")
	want(3, `{"count":3,"examples":["key a","key b"]}`)
	told("c")
	told("d")
	want(5, `{"count":5,"examples":["key a","key b","key c"]}`)
	k.takeBack(at, []byte("b"))
	want(4, `{"count":4,"examples":["key a","key c"]}`)
	for range 4 {
		k.takeBack(at, []byte("a"))
	}
	if all := k.all(); len(all) != 0 {
		t.Errorf("all taken back: got %+v, want no gap", all)
	}
	for i := range maxKnownGaps + 2 { // the first has its place already
		k.add(KnownGap{Kind: "rejected", Stream: strconv.Itoa(i)})
	}
	k.takeBack(k.add(KnownGap{Kind: "rejected", Stream: "more"}), []byte("e"))
	k.name(pastTheLimit, []byte("e"))
	if all := k.all(); len(all) != maxKnownGaps || all[len(all)-1].Count != 3 || all[len(all)-1].Kind != "truncated" {
		t.Errorf("past the limit: got %d gaps, the last %+v, want %d and one that counts 3", len(all), all[len(all)-1], maxKnownGaps)
	}
}
