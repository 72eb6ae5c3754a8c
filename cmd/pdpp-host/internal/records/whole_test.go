package records

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhole(t *testing.T) {
	t.Parallel()
	info := func(live, deleted, seq int64) owner.StreamCounts {
		return owner.StreamCounts{Name: "notes", Live: live, Deleted: deleted, LastSeq: seq}
	}
	for name, tc := range map[string]struct {
		before, after, seen owner.StreamCounts
		want                bool
	}{
		"all":                       {info(5, 2, 9), info(5, 2, 9), info(5, 2, 0), true},
		"one short":                 {info(5, 2, 9), info(5, 2, 9), info(4, 2, 0), false},
		"a tombstone short":         {info(5, 2, 9), info(5, 2, 9), info(5, 1, 0), false},
		"a run added some":          {info(5, 2, 9), info(8, 2, 12), info(6, 2, 0), true},
		"a run deleted some":        {info(5, 2, 9), info(3, 4, 12), info(4, 3, 0), true},
		"short, and a run added":    {info(5, 2, 9), info(8, 2, 12), info(4, 2, 0), false},
		"more than there ever were": {info(5, 2, 9), info(6, 2, 12), info(7, 2, 0), false},
	} {
		if got := whole(tc.before, tc.after, tc.seen); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
