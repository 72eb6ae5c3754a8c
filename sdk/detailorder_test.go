package sdk_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// A detail that failed comes after the records of the list; a detail that only the
// owner's bound left comes before them (RT-16.4).
func TestFailedDetailsComeLast(t *testing.T) {
	t.Parallel()
	bad := map[string]int{"r6": 500, "r5": 429}
	s := &listSite{entries: entries(6), status: func(id string) int { return max(bad[id], 200) }}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 4}), lister{})
	is(t, "first", res.Keys("details"), "r4", "r3")
	s.entries = append([]entry{{ID: "new", At: at(9), Version: 1}}, s.entries...)
	s.details = nil
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = nil })
	is(t, "asked for", s.details, "r2", "r1", "new", "r6", "r5")
	is(t, "gap keys", texts(res.Coverage[0].GapKeys), "r6", "r5")
	bad, s.details = nil, nil
	if res = again(t, res); len(res.PendingGaps()) > 0 {
		t.Errorf("pending %q, want len(res.PendingGaps()) = 0", res.PendingGaps())
	}
	is(t, "asked for in the end", s.details, "r6", "r5")
}

// A stop while the failed ones are tried again costs the list nothing: it is read,
// and its cursor handed over.
func TestStopAmongFailedDetails(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(3), status: func(string) int { return 500 }}
	res := walk(t, s, sdktest.Options{}, lister{})
	s.status, s.details = nil, nil
	s.entries = append([]entry{{ID: "new", At: at(9), Version: 1}}, s.entries...)
	res = res.SecondRun(t, func(o *sdktest.Options) {
		o.Fails = func(r *http.Request) *abi.HTTPFailure {
			if strings.HasPrefix(r.URL.Path, "/detail/r") {
				return &abi.HTTPFailure{Code: "send.circuit_open", Message: "m", GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonCircuitOpen, Final: true}
			}
			return nil
		}
	})
	is(t, "hydrated", res.Keys("details"), "new")
	is(t, "gap keys", texts(res.Coverage[0].GapKeys), "r3", "r2", "r1")
	if res.Done.Status != abi.DoneSucceeded || !strings.Contains(res.Committed()["items"], at(9)) {
		t.Errorf("%s, cursor %s, want %s and %v in it", res.Done.Status, res.Committed()["items"], abi.DoneSucceeded, at(9))
	}
}
