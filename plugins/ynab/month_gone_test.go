package main

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-10: a month that is listed and not found is a gap, which the host gives up after its second
// refusal: it is not empty, and nothing of it is deleted, whether it is one of them or all.
func TestAMonthThatIsNotFoundIsAGap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path string
		gaps int // of two months that are fetched in each run
	}{"one": {monthName(3), 1}, "all": {"", 2}} {
		for _, status := range []int{404, 410} {
			w := newWorld(t, budget(1, 2, 4))
			w.OK(w.run())
			path := "/v1/budgets/" + budgetID(1) + "/months/" + c.path
			w.p.Faults.Add(fault.Rule{Match: fault.Path(path), Times: -1, Fault: fault.Status(status, `{}`)})
			w.Pass(time.Hour)
			refused := w.OK(w.run())
			if len(refused.Gaps) != c.gaps || len(refused.Deletes(streamMonthCategories)) != 0 {
				t.Errorf("%s, %d: %d gaps and %d tombstones, want %d and none", name, status, len(refused.Gaps), len(refused.Deletes(streamMonthCategories)), c.gaps)
			}
			w.same(name)
			w.p.Faults.Clear()
			w.Pass(time.Hour)
			back := w.OK(w.run(trial.Served(refused), func(o *sdktest.Options) { o.RecoveryOnly = true }))
			if len(back.PendingGaps()) != 0 {
				t.Errorf("%s, %d, and there again: %d gaps are pending, want none", name, status, len(back.PendingGaps()))
			}
			w.same(name)
		}
	}
}
