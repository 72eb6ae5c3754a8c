package sdk_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// killedAt makes the host deaf from its n-th emit on, as a kill does.
func killedAt(n int) func(call string, payload []byte) *abi.Error {
	return func(call string, _ []byte) *abi.Error {
		if call == "emit" {
			n--
		}
		if n <= 0 {
			return abi.NewError(abi.CodeInternal, "killed", "")
		}
		return nil
	}
}

// paced is a clock that each detail moves on.
func paced(s *listSite, by time.Duration) func() time.Time {
	now := sdktest.Epoch
	s.before = func(string) { now = now.Add(by) }
	return func() time.Time { return now }
}

// PB-D8: a run that is killed in the middle of a lane costs the details of two
// seconds, in the list and in a backlog, whatever the provider's pace; the list's
// cursor never passes a detail that is still in flight.
func TestAKillCostsSeconds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		window  int
		pace    time.Duration
		order   func(int) int
		backlog bool
		most    int // details asked for again
	}{
		"one every 18 s":            {1, 18 * time.Second, nil, false, 0},
		"one a second":              {1, time.Second, nil, false, 2},
		"four in flight":            {4, 18 * time.Second, nil, false, 0},
		"the last answers first":    {4, 18 * time.Second, sdktest.Last, false, 40},
		"a backlog":                 {1, 18 * time.Second, nil, true, 0},
		"a backlog at one a second": {4, time.Second, nil, true, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &listSite{entries: entries(100)}
			l := lister{window: c.window}
			o := sdktest.Options{Provider: s, Now: paced(s, c.pace), Tolerate: true, Completes: c.order}
			var before *sdktest.Result
			if c.backlog {
				o.DetailLimits = &abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}
				before = sdktest.Collect(t, l, o)
				o.State, o.DetailGaps, o.DetailLimits = before.Committed(), before.PendingGaps(), nil
			}
			s.details = nil
			o.Before = killedAt(41)
			killed := sdktest.Collect(t, l, o)
			stored := killed.Keys("details")
			if len(stored) != 40 || killed.Done.Status != "" {
				t.Fatalf("%d details are stored before the kill, want 40; the run %s", len(stored), killed.Done.Status)
			}
			s.details = nil
			res := again(t, killed)
			repeated := 0
			for _, id := range s.details {
				if slices.Contains(stored, id) {
					repeated++
				}
			}
			if repeated > c.most {
				t.Errorf("%d of %d stored details are asked for again, want at most %d", repeated, len(stored), c.most)
			}
			all := append(stored, res.Keys("details")...)
			if before != nil {
				all = append(all, before.Keys("details")...)
			}
			slices.Sort(all)
			if n := len(slices.Compact(all)); n != 100 || len(res.PendingGaps()) > 0 || len(res.Problems) > 0 {
				t.Errorf("%d details are here at the end, want 100; gaps %q, problems %q", n, res.PendingGaps(), res.Problems)
			}
		})
	}
}

// RT-12.1: the slices account for the first keys of the one DETAIL_COVERAGE, each key
// in one slice only.
func TestSlicesAndCoverageAgree(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(30), status: func(id string) int {
		if id == "r7" {
			return http.StatusNotFound
		}
		return http.StatusOK
	}}
	res := sdktest.Collect(t, lister{window: 4}, sdktest.Options{Provider: s, Now: paced(s, time.Minute)})
	var reported []string
	for _, state := range res.States {
		for _, c := range state.Coverage {
			reported = append(reported, texts(c.RequiredKeys)...)
		}
	}
	if len(res.Coverage) != 1 || len(reported) < 20 || !slices.Equal(reported, texts(res.Coverage[0].RequiredKeys)[:len(reported)]) {
		t.Errorf("the slices account for %v, want the first 20 keys or more of one DETAIL_COVERAGE, of which there are %d", reported, len(res.Coverage))
	}
}

// In a lane that the connector drives itself, a key without an outcome keeps the slice
// from accounting for the lane; without such a key the slice reports every outcome.
func TestSliceOfAnOwnLane(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, online(func(h *sdk.Host) error {
		l := h.Lane("details", "items")
		for _, key := range []string{"a", "b"} {
			if err := l.Require(key); err != nil {
				return err
			}
			if err := h.Slice("items", key, []byte(`{}`)); err != nil {
				return err
			}
			if err := l.Skipped(key); err != nil {
				return err
			}
		}
		return h.Slice("items", "c", []byte(`{}`))
	}), sdktest.Options{})
	if len(res.States) != 3 || len(res.States[0].Coverage)+len(res.States[1].Coverage) > 0 || len(res.States[2].Coverage) != 1 {
		t.Fatalf("%+v, want an account in the last of three slices", res.States)
	}
	is(t, "skipped", texts(res.States[2].Coverage[0].OptionalSkipKeys), "a", "b")
}

// A lane that is over within two seconds hands no cursor over in its middle, and
// one without Slice never does.
func TestNoSlice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pace  time.Duration
		slice func(sdk.Detail) error
	}{
		"quick":    {time.Millisecond, nil},
		"no Slice": {time.Hour, func(sdk.Detail) error { return nil }},
	} {
		s := &listSite{entries: entries(100)}
		res := sdktest.Collect(t, lister{window: 4, change: func(l *sdk.DetailLane) { l.Slice = c.slice }}, sdktest.Options{Provider: s, Now: paced(s, c.pace)})
		if len(res.States) != 1 || strings.Contains(string(res.States[0].Cursor), "rest") {
			t.Errorf("%s: %d cursors, want the last one alone", name, len(res.States))
		}
	}
}

// A slice that the connector makes itself accounts for no lane with details in flight,
// because its cursor may cover them.
func TestSliceBesideDetailsInFlight(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(20), status: func(id string) int {
		if id == "r9" {
			return http.StatusUnauthorized // ends the lane
		}
		return http.StatusOK
	}}
	res := sdktest.Collect(t, online(func(h *sdk.Host) error {
		lane := lister{window: 4}.lane(h)
		list, err := readList(h, "")
		if err != nil {
			return err
		}
		i := 0
		walked := h.Details(lane).Walk(func() (sdk.Detail, bool) {
			if i == 10 && h.Slice("items", "in the walk", []byte(`{"at":"walk"}`)) != nil || i == len(list) {
				return sdk.Detail{}, false
			}
			i++
			return list[i-1], true
		})
		if err := h.Slice("items", "behind the walk", []byte(`{"at":"end"}`)); err != nil {
			return err
		}
		return walked
	}), sdktest.Options{Provider: s, Tolerate: true})
	if len(res.States) < 1 {
		t.Fatalf("%d cursors, want at least one", len(res.States))
	}
	for _, state := range res.States {
		if len(state.Coverage) > 0 {
			t.Errorf("cursor %s accounts for %s, want no account: details are in flight", state.Cursor, texts(state.Coverage[0].RequiredKeys))
		}
	}
}

// A kill in a backlog loses nothing that is listed late: a moved watermark keeps the first
// one as its top until the list is read to its end, and the first one is back as soon as
// the list turns out to be in the wrong order.
func TestAKillInAnUnorderedBacklog(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(200)}
	o := sdktest.Options{Provider: s, Now: paced(s, 18*time.Second), Tolerate: true}
	o.DetailLimits = &abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}
	first := sdktest.Collect(t, lister{window: 1}, o)
	o.State, o.DetailGaps, o.DetailLimits = first.Committed(), first.PendingGaps(), nil
	e := s.entries // r190 is listed behind r101 now
	s.entries = slices.Concat(e[:10], e[11:100], e[10:11], e[100:])
	var killed *sdktest.Result
	for n := 2; n < 400; n += 8 {
		o.Before = killedAt(n)
		killed = sdktest.Collect(t, lister{window: 1}, o)
		stored := append(first.Keys("details"), killed.Keys("details")...)
		next := again(t, killed)
		all := append(stored, next.Keys("details")...)
		slices.Sort(all)
		if all = slices.Compact(all); len(all) != 200 || len(next.PendingGaps()) > 0 {
			t.Fatalf("killed at emit %d: %d details at the end, want 200; gaps %q", n, len(all), next.PendingGaps())
		}
	}
}
