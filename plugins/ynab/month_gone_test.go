package main

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
)

// A month that is listed and not found becomes a tombstone under its own key, once: the
// host accepts no detail without a record.
func TestAMonthThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 2, 2))
	path := "/v1/budgets/" + budgetID(1) + "/months/"
	w.p.Faults.Add(fault.Rule{Match: fault.Path(path), Times: -1, Fault: fault.Status(404, `{}`)})
	for run := range 3 {
		res := w.OK(w.run())
		n := 0
		for _, r := range res.All {
			if r.Stream == streamMonthCategories {
				n++
			}
			if r.Stream == streamMonthCategories && !r.Delete {
				t.Errorf("run %d: %s is a live record, want tombstones only", run, r.Key)
			}
		}
		if run == 0 && n == 0 || run > 0 && n > 0 {
			t.Errorf("run %d: %d months are called gone, want each of them once", run, n)
		}
		w.Pass(time.Hour)
	}
}
