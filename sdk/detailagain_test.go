package sdk_test

import (
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// A record that changes after Recover fetched it, and that the list then shows, is
// fetched once more, or is a gap again: the cursor passes the change.
func TestChangeBehindARecovery(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		fetches int64
		gaps    []string
	}{
		"fetched":         {http.StatusOK, 0, nil},
		"failed":          {http.StatusInternalServerError, 0, []string{"r1"}},
		"above the bound": {http.StatusOK, 1, []string{"r1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &listSite{entries: entries(3)}
			first := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2}), lister{})
			is(t, "reported gaps", reported(first), "r1")
			asked := 0
			s.before = func(string) { // the first answer precedes the change
				if asked++; asked == 2 {
					s.status = func(string) int { return c.status }
				}
			}
			second := first.SecondRun(t, func(o *sdktest.Options) {
				o.DetailLimits = &abi.DetailLimits{MaxFetches: c.fetches}
				o.Before = func(string, []byte) *abi.Error {
					if asked == 1 && len(s.entries) == 3 && s.entries[2].ID == "r1" {
						s.entries = append([]entry{{ID: "r1", At: at(9), Version: 2}}, s.entries[:2]...)
					}
					return nil
				}
			})
			is(t, "reported gaps", reported(second), c.gaps...)
			if len(second.Problems) > 0 || second.Done.Status != abi.DoneSucceeded {
				t.Errorf("%s, problems %q, want len(second.Problems) = 0 and second.Done.Status = %s", second.Done.Status, second.Problems, abi.DoneSucceeded)
			}
			s.status = nil
			res := second.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits, o.Before = nil, nil })
			versions := ""
			for _, r := range append(second.Records("details"), res.Records("details")...) {
				versions = r.Key + " " + r.Fields["version"].(interface{ String() string }).String()
			}
			if versions != "r1 2" || len(res.PendingGaps()) > 0 {
				t.Errorf("the last record is %q, want %q; pending %q", versions, "r1 2", res.PendingGaps())
			}
		})
	}
}
