package sdk_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// RT-19.3: a chunk that shares one time with older records takes every record of that
// time, so that the watermark moves and no record is stranded.
func TestTies(t *testing.T) {
	t.Parallel()
	s := &listSite{}
	for i := range 12 {
		s.entries = append(s.entries, entry{ID: fmt.Sprintf("k%02d", i), At: at(9 - i/6), Version: 1})
	}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 2}), lister{})
	is(t, "reported gaps", reported(res), "k01", "k02", "k03", "k04", "k05", "backlog:details:"+at(8)+".."+at(8))
	for range 5 {
		res = again(t, res)
	}
	is(t, "recovered", s.details, "k00", "k01", "k02", "k03", "k04", "k05")
	res = again(t, res)
	is(t, "reported gaps", reported(res), "k07", "k08", "k09", "k10", "k11")
	if len(res.GapOutcomes) != 2 || res.GapOutcomes[1].Type != abi.TypeGapRecovered {
		t.Errorf("%+v, want len(res.GapOutcomes) = 2 and GapOutcomes[1].Type = %v", res.GapOutcomes, abi.TypeGapRecovered)
	}
}

// cutAfter cuts each list that is read again after n records, while cuts holds.
func cutAfter(n int, cuts *bool) lister {
	return lister{change: func(l *sdk.DetailLane) {
		whole := l.Relist
		l.Relist = func(until string, visit func(sdk.Detail) bool) error {
			left, cut := n, false
			err := whole(until, func(d sdk.Detail) bool {
				left--
				cut = *cuts && left < 0
				return !cut && visit(d)
			})
			if err == nil && cut {
				err = &sdk.FetchError{Code: "c", Message: "m", GapReason: abi.ReasonUpstreamPressure}
			}
			return err
		}
	}}
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
		"truncated at its top": func(l *sdk.DetailLane) {
			cuts := true
			cutAfter(1, &cuts).change(l)
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
				t.Errorf("pending %q, want the one backlog", res.PendingGaps())
			}
			if len(backlogs(res)) != 0 || len(res.GapOutcomes) != 0 || res.Done.Status != abi.DoneSucceeded {
				t.Errorf("reported gaps %q, outcomes %v, %+v, want len(backlogs(res)) = 0, len(res.GapOutcomes) = 0 and Done.Status = %v", reported(res), res.GapOutcomes, res.Done, abi.DoneSucceeded)
			}
		})
	}
}

// After a stop other than the owner's bound the rest stays in the backlog, below the
// fetched records, and no chunk is written.
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
	is(t, "reported gaps", reported(res), "r14", "backlog:details:"+at(1)+".."+at(13))
	if !strings.Contains(strings.Join(res.PendingGaps(), ""), `"remaining":13}`) {
		t.Errorf("pending %q, want %s in res.PendingGaps()", res.PendingGaps(), `"remaining":13}`)
	}
	s.details = nil
	res = res.SecondRun(t, func(o *sdktest.Options) { o.Fails = nil })
	if len(s.details) != 14 || len(res.PendingGaps()) != 0 {
		t.Errorf("fetched %q, pending %q, want len(s.details) = 14 and len(res.PendingGaps()) = 0", s.details, res.PendingGaps())
	}
}

// New records above a backlog become a second backlog: the records between the two are
// not fetched again. The chunk counts for the run, not for the pass (RT-19.1).
func TestTwoBacklogs(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(6)}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 1}), lister{})
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits.MaxFetches = 1 })
	s.entries = append([]entry{{"n3", at(9), 1}, {"n2", at(8), 1}, {"n1", at(7), 1}}, s.entries...)
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits.MaxFetches = 1 })
	is(t, "reported gaps", reported(res), "r2", "backlog:details:"+at(1)+".."+at(1), "backlog:details:"+at(7)+".."+at(9))
	s.details = nil
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = nil })
	is(t, "fetched", s.details, "r2", "r1", "n3", "n2", "n1")
	if len(res.PendingGaps()) != 0 {
		t.Errorf("pending %q, want len(res.PendingGaps()) = 0", res.PendingGaps())
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
			t.Fatalf("after 30 runs pending %q, want none", res.PendingGaps())
		}
		res = again(t, res)
	}
	for _, one := range e {
		if !strings.Contains(strings.Join(s.details, " "), one.ID) {
			t.Errorf("%s was lost; fetched %q", one.ID, s.details)
		}
	}
}

// A record that is listed behind where the rest was folded, and is newer than the
// rest, is not lost: the list is read to its end.
func TestDisorderBehindTheFold(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(200)}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}), lister{})
	e := s.entries
	s.entries = slices.Concat(e[:10], e[11:180], e[10:11], e[180:]) // r190 behind r21
	for run := 0; len(res.PendingGaps()) > 0; run++ {
		if run > 30 {
			t.Fatalf("after %d runs %d gaps are pending, want none", run, len(res.PendingGaps()))
		}
		res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = &abi.DetailLimits{MaxFetches: 20, MaxTailGaps: 5} })
	}
	if !slices.Contains(s.details, "r190") || len(s.details) != 200 {
		t.Errorf("r190 was fetched: %t, of %d details; want it among 200", slices.Contains(s.details, "r190"), len(s.details))
	}
}

// A list that is cut behind the fold moves the watermark, and the new backlog keeps the
// old one as its top.
func TestFailureBehindTheFold(t *testing.T) {
	t.Parallel()
	s, cuts := &listSite{entries: entries(100)}, true
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}), cutAfter(79, &cuts))
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = &abi.DetailLimits{MaxFetches: 11, MaxTailGaps: 1} })
	is(t, "reported gaps", reported(res), "r88", "backlog:details:"+at(1)+".."+at(87))
	if want := `"cut_before_update_time":"` + at(98) + `","remaining":87}`; !strings.Contains(strings.Join(res.PendingGaps(), ""), want) {
		t.Errorf("pending %q, want %s in it", res.PendingGaps(), want)
	}
}

// A record that is listed behind a cut, and is newer than the new watermark, is fetched
// once the list is read to its end, and nothing is fetched twice.
func TestDisorderBehindACut(t *testing.T) {
	t.Parallel()
	s, cuts := &listSite{entries: entries(200)}, true
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}), cutAfter(79, &cuts))
	e := s.entries
	s.entries = slices.Concat(e[:10], e[11:180], e[10:11], e[180:]) // r190 behind r21
	for run := 0; len(res.PendingGaps()) > 0; run++ {
		if run > 30 {
			t.Fatalf("after %d runs %d gaps are pending, want none", run, len(res.PendingGaps()))
		}
		cuts = run == 0
		res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = &abi.DetailLimits{MaxFetches: 20, MaxTailGaps: 5} })
	}
	if !slices.Contains(s.details, "r190") || len(s.details) != 200 {
		t.Errorf("r190 was fetched: %t, of %d details; want it among 200", slices.Contains(s.details, "r190"), len(s.details))
	}
}

// Runs whose lists are all cut at one place fetch every record. Then they fetch nothing,
// and delay nothing that is new, until the list can be read to its end.
func TestEveryListIsCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ after, twice int }{
		{80, 0},  // behind the fold
		{23, 0},  // within the chunk
		{10, 21}, // within the budget: the last record that a list names begins the next one
	} {
		t.Run(strconv.Itoa(c.after), func(t *testing.T) {
			t.Parallel()
			s, cuts := &listSite{entries: entries(200)}, true
			res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}), cutAfter(c.after, &cuts))
			run := func() {
				res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = &abi.DetailLimits{MaxFetches: 20, MaxTailGaps: 5} })
			}
			for range 30 {
				run()
			}
			all := slices.Clone(s.details)
			slices.Sort(all)
			if got := len(slices.Compact(all)); got != 200 || len(s.details) > 200+c.twice {
				t.Fatalf("%d requests for %d details, want at most %d for 200; pending %q", len(s.details), got, 200+c.twice, res.PendingGaps())
			}
			s.details = nil
			s.broken = func(until string) bool {
				if until != "" {
					s.details = append(s.details, "list")
				}
				return false
			}
			s.entries[5], s.entries[6] = s.entries[6], s.entries[5] // r195 behind r194
			s.entries = append([]entry{{ID: "new", At: at(300), Version: 1}}, s.entries...)
			run()
			run()
			is(t, "requested while every list is cut", s.details, "new", "list", "list")
			if got := res.PendingGaps(); len(got) != 1 || !strings.Contains(got[0], `"remaining":0}`) {
				t.Errorf("pending %q, want one backlog without remaining records", got)
			}
			cuts = false
			run()
			is(t, "requested once the list is whole", s.details, "new", "list", "list", "list", "r195")
			is(t, "pending", res.PendingGaps())
		})
	}
}

// A list that is in the wrong order and cut leaves the watermark where it is: the oldest
// record that it names says nothing of the others above it.
func TestCutListInTheWrongOrder(t *testing.T) {
	t.Parallel()
	s, cuts := &listSite{entries: entries(200)}, true
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}), cutAfter(30, &cuts))
	ordered := s.entries
	s.entries = slices.Concat(ordered[:10], ordered[180:181], ordered[10:180], ordered[181:]) // r20 in front of r190
	res = res.SecondRun(t, func(o *sdktest.Options) { o.DetailLimits = nil })
	s.entries, cuts = ordered, false
	res = again(t, res)
	all := slices.Clone(s.details)
	slices.Sort(all)
	if got := len(slices.Compact(all)); got != 200 || len(res.PendingGaps()) > 0 {
		t.Errorf("%d records were fetched, want 200; pending %q, want none", got, res.PendingGaps())
	}
}

// A backlog that is cut in its middle counts its remaining records exactly.
func TestRemainingOfACutBacklog(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(50)}
	o := sdktest.Options{Provider: s, Now: paced(s, 18*time.Second), Tolerate: true}
	o.DetailLimits = &abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}
	first := sdktest.Collect(t, lister{window: 1}, o)
	o.State, o.DetailGaps, o.DetailLimits = first.Committed(), first.PendingGaps(), nil
	o.Before = killedAt(21)
	killed := sdktest.Collect(t, lister{window: 1}, o)
	pending := killed.PendingGaps()
	if len(pending) != 1 {
		t.Fatalf("pending %q, want one backlog", pending)
	}
	left := 0
	for _, e := range s.entries {
		if e.At <= parse(pending[0]).Locator.Before {
			left++
		}
	}
	if want := fmt.Sprintf(`"remaining":%d}`, left); left == 48 || !strings.Contains(pending[0], want) {
		t.Errorf("after 20 details the backlog is %s, want %s", pending[0], want)
	}
}

// A stop between records of one time leaves none of them to the backlog: below the same
// watermark the next run would fetch the first of them again, for ever.
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
	is(t, "reported gaps", reported(res), "tie2", "tie3", "tie4", "tie5")
}
