package record

import (
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// How much of a list goes without its owner's word: of one of so many records at most the
// half, of a shorter one all. A source that answers with an empty list by mistake is not
// believed, and neither is one that answers for somebody else. One that gives the same answer
// in so many runs, each so long behind the one before, means it.
const (
	askFrom    = 5
	goPerMille = 500

	// SweepAnswers is how many runs have to find the same records gone.
	SweepAnswers = 3
	answersApart = 24 * time.Hour
)

// tooMany reports whether so many records do not go without the owner's word from a list that
// had so many. Only what the store has had counts: neither keys that the connector has made
// up nor records that are new make up for those that are gone.
//
// Invariant 12.
func tooMany(gone, held int64) bool {
	return held >= askFrom && gone*1000 > held*goPerMille
}

// answer is what an enumeration last found gone that was too much to go.
type answer struct {
	digest string // of the keys, see gone; "": nothing
	count  int64  // in so many runs
	atUS   int64  // when the last one that counts opened the list
}

// again is the answer behind one more run that finds digest, and opened the list at a moment.
// A run that is too early changes nothing; a clock that went back begins anew.
func (a answer) again(digest string, at time.Time) answer {
	us := db.Micros(at)
	switch {
	case a.digest != digest, us < a.atUS:
		return answer{digest, 1, us}
	case us-a.atUS < answersApart.Microseconds():
		return a
	default:
		return answer{digest, a.count + 1, us}
	}
}

// removal is how many records the run's sweeps have buried of one stream.
type removal struct {
	asked   int64 // with the owner's word, or by the same answer of several runs
	unasked int64
}

type removalsKey struct{}

// removals returns what sweeps bury in this transaction, by stream.
func (to *Target) removals(t *db.Tx) map[int64]removal {
	all := db.State(t, removalsKey{}, func() map[*Target]map[int64]removal { return map[*Target]map[int64]removal{} })
	if all[to] == nil {
		all[to] = map[int64]removal{}
		t.AfterCommit(func() {
			if to.removed == nil {
				to.removed = map[int64]removal{}
			}
			for stream, r := range all[to] {
				to.removed[stream] = to.removed[stream].and(r)
			}
		})
	}
	return all[to]
}

func (r removal) and(o removal) removal {
	return removal{r.asked + o.asked, r.unasked + o.unasked}
}

// tooManyTogether returns the streams of which too many records would go in this run: with
// those that its sweeps have buried before, and in all parts of the stream.
func tooManyTogether(t *db.Tx, to *Target, all []weighed) map[int64]bool {
	sums, too := map[int64]removal{}, map[int64]bool{}
	for i := range all {
		if w := &all[i]; w.g != nil && w.Refused == "" {
			sums[w.o.stream] = sums[w.o.stream].and(w.removal())
		}
	}
	for stream, sum := range sums {
		sum = sum.and(to.removed[stream]).and(to.removals(t)[stream])
		if tooMany(sum.unasked, to.held[stream]-sum.asked) {
			too[stream] = true
		}
	}
	return too
}
