package contract

import (
	"errors"
	"testing"
	"time"
)

// A failure while a date ends leads to a second attempt; a failure within one day, or
// in both attempts, is final.
func TestWithinOneDay(t *testing.T) {
	t.Parallel()
	eve := time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC)
	failed := &Report{Clauses: []Clause{{ID: "isolation.same", Outcome: Fail}}}
	passed := &Report{Clauses: []Clause{{ID: "isolation.same", Outcome: Pass}}}
	broken := errors.New("no folder")
	for name, c := range map[string]struct {
		takes    time.Duration
		attempts []*Report
		err      error
		want     *Report
	}{
		"passed over midnight": {takes: time.Minute, attempts: []*Report{passed}, want: passed},
		"failed over midnight": {takes: time.Minute, attempts: []*Report{failed, passed}, want: passed},
		"failed on one day":    {takes: time.Millisecond, attempts: []*Report{failed}, want: failed},
		"failed on both days":  {takes: 24 * time.Hour, attempts: []*Report{failed, failed}, want: failed},
		"the suite broke":      {takes: time.Minute, attempts: []*Report{nil}, err: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, made := eve, 0
			got, err := withinOneDay(func() time.Time { return now }, func() (*Report, error) {
				now = now.Add(c.takes)
				made++
				if made > len(c.attempts) {
					t.Fatal("one attempt too many")
				}
				return c.attempts[made-1], c.err
			})
			if got != c.want || !errors.Is(err, c.err) || made != len(c.attempts) {
				t.Errorf("%+v, %v after %d attempts, want %+v, %v and %d", got, err, made, c.want, c.err, len(c.attempts))
			}
		})
	}
}
