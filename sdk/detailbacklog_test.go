package sdk_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// RT-19.3: a chunk that shares one time with what is older than it takes all of
// that time, so that the watermark moves and strands nobody.
func TestTies(t *testing.T) {
	t.Parallel()
	s := &listSite{}
	for i := range 12 {
		s.entries = append(s.entries, entry{ID: fmt.Sprintf("k%02d", i), At: at(9 - i/6), Version: 1})
	}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 2}), lister{})
	is(t, "told", told(res), "k01", "k02", "k03", "k04", "k05", "backlog:details:"+at(8)+".."+at(8))
	for range 5 {
		res = again(t, res)
	}
	is(t, "recovered", s.details, "k00", "k01", "k02", "k03", "k04", "k05")
	res = again(t, res)
	is(t, "expanded", told(res), "k07", "k08", "k09", "k10", "k11")
	if len(res.GapOutcomes) != 2 || res.GapOutcomes[1].Type != abi.TypeGapRecovered {
		t.Errorf("%+v", res.GapOutcomes)
	}
}

// RT-19.3: a list that cannot be read again leaves the backlog as it is.
func TestTruncatedRelist(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(l *sdk.DetailLane){
		"failed": func(l *sdk.DetailLane) {
			l.Relist = func(string, func(sdk.Detail) bool) error {
				return &sdk.FetchError{Code: "c", Message: "m", GapReason: abi.ReasonUpstreamPressure}
			}
		},
		"truncated": func(l *sdk.DetailLane) {
			whole := l.Relist
			l.Relist = func(until string, visit func(sdk.Detail) bool) error {
				n := 0
				if err := whole(until, func(d sdk.Detail) bool { n++; return n < 3 && visit(d) }); err != nil {
					return err
				}
				return &sdk.FetchError{Code: "c", Message: "m", GapReason: abi.ReasonUpstreamPressure}
			}
		},
		"none": func(l *sdk.DetailLane) { l.Relist = nil },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := &listSite{entries: entries(10)}
			res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 3}), lister{change: change})
			for range 3 {
				res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = nil })
			}
			if what != "none" && (len(res.PendingGaps()) != 1 || !strings.Contains(res.PendingGaps()[0], "backlog:details:")) {
				t.Errorf("pending %q", res.PendingGaps())
			}
			if len(backlogs(res)) != 0 || len(res.GapOutcomes) != 0 || res.Done.Status != abi.DoneSucceeded {
				t.Errorf("told %q, outcomes %v, %+v", told(res), res.GapOutcomes, res.Done)
			}
		})
	}
}

// A stop of another kind than the owner's bound keeps the rest in the backlog,
// below what was fetched, and writes no chunk.
func TestExpansionUnderPressure(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(20)}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 1}), lister{})
	asked := 0
	res = res.SecondRun(t, func(o *sdktest.Options) {
		o.DetailLimits = nil
		o.Fails = func(r *http.Request) *abi.HTTPFailure {
			if strings.HasPrefix(r.URL.Path, "/detail/") {
				if asked++; asked > 4 {
					return &abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRateLimited, Final: true, Status: 429}
				}
			}
			return nil
		}
	})
	is(t, "hydrated", res.Keys("details"), "r18", "r17", "r16", "r15")
	is(t, "told", told(res), "r14", "backlog:details:"+at(1)+".."+at(13))
	if !strings.Contains(strings.Join(res.PendingGaps(), ""), `"remaining":13}`) {
		t.Errorf("pending %q", res.PendingGaps())
	}
	s.details = nil
	res = res.SecondRun(t, func(o *sdktest.Options) { o.Fails = nil })
	if len(s.details) != 14 || len(res.PendingGaps()) != 0 {
		t.Errorf("fetched %q, pending %q", s.details, res.PendingGaps())
	}
}

// New records above a backlog make a backlog of their own: what lies between the
// two is not fetched again. The chunk is the run's, not the pass's (RT-19.1).
func TestTwoBacklogs(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(6)}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 1}), lister{})
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits.MaxFetches = 1 })
	s.entries = append([]entry{{"n3", at(9), 1}, {"n2", at(8), 1}, {"n1", at(7), 1}}, s.entries...)
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits.MaxFetches = 1 })
	is(t, "told", told(res), "r2", "backlog:details:"+at(1)+".."+at(1), "backlog:details:"+at(7)+".."+at(9))
	s.details = nil
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = nil })
	is(t, "fetched", s.details, "r2", "r1", "n3", "n2", "n1")
	if len(res.PendingGaps()) != 0 {
		t.Errorf("pending %q", res.PendingGaps())
	}
}

// A list in the wrong order is read to its end, so that no newer record is lost
// behind the watermark.
func TestUnorderedRelist(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(9)}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}), lister{})
	e := s.entries
	s.entries = []entry{e[0], e[1], e[5], e[2], e[7], e[3], e[4], e[8], e[6]}
	for run := 0; len(res.PendingGaps()) > 0; run++ {
		if run > 30 {
			t.Fatalf("pending %q", res.PendingGaps())
		}
		res = again(t, res)
	}
	for _, one := range e {
		if !strings.Contains(strings.Join(s.details, " "), one.ID) {
			t.Errorf("%s was lost; fetched %q", one.ID, s.details)
		}
	}
}

// A stop in the midst of records of one time leaves none of them to the backlog:
// below the same watermark the next run would fetch the first of them again, for
// ever.
func TestTiesUnderPressure(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(3)}
	for i := range 6 {
		s.entries = append(s.entries, entry{ID: fmt.Sprintf("tie%d", i), At: at(0), Version: 1})
	}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 1}), lister{})
	asked := 0
	res = res.SecondRun(t, func(o *sdktest.Options) {
		o.DetailLimits = nil
		o.Fails = func(r *http.Request) *abi.HTTPFailure {
			if strings.HasPrefix(r.URL.Path, "/detail/") {
				if asked++; asked > 3 {
					return &abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRateLimited, Final: true}
				}
			}
			return nil
		}
	})
	is(t, "hydrated", res.Keys("details"), "r1", "tie0", "tie1")
	is(t, "told", told(res), "tie2", "tie3", "tie4", "tie5")
}
