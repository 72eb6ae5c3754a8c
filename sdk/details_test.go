package sdk_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func limits(l abi.DetailLimits) sdktest.Options { return sdktest.Options{DetailLimits: &l} }

// The contract's worked example: ten records, two fetches a run, chunks of
// three (RT-19.1, RT-19.3).
func TestTailDrainsOverRuns(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(10)}
	const fold = "backlog:details:"
	first := func(n int) string { return fold + at(1) + ".." + at(n) }
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 3}), lister{})
	for run, want := range []struct{ hydrated, reported, pending []string }{
		{[]string{"r10", "r9"}, []string{"r8", "r7", "r6", first(5)}, []string{"r8", "r7", "r6", first(5)}},
		{[]string{"r8", "r7"}, nil, []string{"r6", first(5)}},
		{[]string{"r6", "r5"}, []string{"r4", "r3", "r2", first(1)}, []string{"r4", "r3", "r2", first(1)}},
		{[]string{"r4", "r3"}, nil, []string{"r2", first(1)}},
		{[]string{"r2", "r1"}, nil, nil},
	} {
		is(t, "hydrated", res.Keys("details"), want.hydrated...)
		is(t, "reported gaps", reported(res), want.reported...)
		var pending []string
		for _, g := range res.PendingGaps() {
			var one struct {
				Key string `json:"record_key"`
			}
			if json.Unmarshal([]byte(g), &one) != nil {
				t.Fatalf("%v, want json.Unmarshal([]byte(g), &one) = nil", g)
			}
			pending = append(pending, one.Key)
		}
		slices.Sort(pending)
		slices.Sort(want.pending)
		is(t, "pending", pending, want.pending...)
		if t.Failed() {
			t.Fatalf("in run %d", run+1)
		}
		// RT-16.2: the prefix's cursor is handed over in every run.
		if res.Committed()["items"] != `{"newest":"`+at(10)+`"}` {
			t.Fatalf("run %d: cursor %s, want %s", run+1, res.Committed()["items"], `{"newest":"`+at(10)+`"}`)
		}
		res = again(t, res)
	}
	if len(s.details) != 10 {
		t.Errorf("details were fetched twice: %q, want len(s.details) = 10", s.details)
	}
}

// RT-16.2, RT-17.1, RT-17.2, RT-19.1, RT-19.4: the content of a capped run's gaps.
func TestCapGapsOnTheWire(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(10)}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 3}), lister{})
	if len(res.Gaps) != 4 {
		t.Fatalf("%d gaps, want 4", len(res.Gaps))
	}
	for _, g := range res.Gaps {
		reason, class := abi.Reason(g.Reason), abi.Reason(g.LastError.Class)
		if reason != abi.ReasonRetryExhausted || reason.IsSourcePressure() || !class.Has(abi.RunCap) || class.IsSourcePressure() {
			t.Errorf("reason %s, class %s, want reason = %s, not reason.IsSourcePressure(), class.Has(abi.RunCap) and not class.IsSourcePressure()", reason, class, abi.ReasonRetryExhausted)
		}
		if g.LastError.HTTPStatus != nil {
			t.Errorf("status %d, though nothing failed", *g.LastError.HTTPStatus)
		}
	}
	if class := res.Gaps[0].LastError.Class; class != string(abi.ReasonRunCapFetches) {
		t.Errorf("class %s, want %s", class, string(abi.ReasonRunCapFetches))
	}
	b := backlogs(res)
	if len(b) != 1 || b[0].LastError.Class != string(abi.ReasonRunCapBacklog) ||
		string(b[0].ListCursor) != `{"before_update_time":"`+at(5)+`"}` {
		t.Fatalf("%+v, want len(b) = 1, b[0].LastError.Class = %v and b[0].ListCursor = %s", b, string(abi.ReasonRunCapBacklog), `{"before_update_time":"`+at(5)+`"}`)
	}
	var l map[string]any
	if err := json.Unmarshal(b[0].DetailLocator, &l); err != nil {
		t.Fatal(err)
	}
	if l["kind"] != "backlog" || l["before_update_time"] != at(5) || l["remaining"] != 5.0 {
		t.Errorf("locator %v, want l[\"kind\"] = backlog, l[\"before_update_time\"] = %v and l[\"remaining\"] = 5.0", l, at(5))
	}
	for name := range l {
		if strings.Contains(name, "offset") || strings.Contains(name, "index") || strings.Contains(name, "page") {
			t.Errorf("a position: %s, want no offset in name, no index in name and no page in name", name)
		}
	}
	c := res.Coverage[0]
	is(t, "hydrated", texts(c.HydratedKeys), "r10", "r9")
	is(t, "gap keys", texts(c.GapKeys), reported(res)...)
	is(t, "required", texts(c.RequiredKeys), append([]string{"r10", "r9"}, reported(res)...)...)
}

// RT-16.1: without a bound, or with an empty one, nothing is deferred and nothing reads
// the clock.
func TestNoCap(t *testing.T) {
	t.Parallel()
	for _, o := range []sdktest.Options{{}, limits(abi.DetailLimits{}), limits(abi.DetailLimits{MaxFetches: -1, MaxWallMS: -5}),
		limits(abi.DetailLimits{MaxTailGaps: 3}), limits(abi.DetailLimits{MaxFetches: 300})} {
		clocks := 0
		o.Now = func() time.Time { clocks++; return sdktest.Epoch.Add(time.Duration(clocks) * time.Hour) }
		s := &listSite{entries: entries(300)}
		res := walk(t, s, o, lister{window: 8})
		// RT-12.2: fully hydrated, no gap_keys.
		c := res.Coverage[0]
		if len(res.Gaps) != 0 || len(c.RequiredKeys) != 300 || len(c.HydratedKeys) != 300 || c.GapKeys != nil {
			t.Errorf("%d gaps, %d required, %d hydrated, want len(res.Gaps) = 0, len(c.RequiredKeys) = 300, len(c.HydratedKeys) = 300 and c.GapKeys = nil", len(res.Gaps), len(c.RequiredKeys), len(c.HydratedKeys))
		}
	}
}

// RT-19.2: without a chunk a tail is one gap for each record, whether it comes of
// failures or of a bound.
func TestNoChunk(t *testing.T) {
	t.Parallel()
	failing := func(string) int { return 404 }
	for what, c := range map[string]struct {
		o      sdktest.Options
		s      *listSite
		c      lister
		gaps   int
		folded bool
	}{
		"no cap, eight failures":   {sdktest.Options{}, &listSite{entries: entries(8), status: failing}, lister{}, 8, false},
		"chunk alone":              {limits(abi.DetailLimits{MaxTailGaps: 2}), &listSite{entries: entries(8), status: failing}, lister{}, 8, false},
		"explicit garbage":         {limits(abi.DetailLimits{MaxFetches: 1, NoTailFolding: true}), &listSite{entries: entries(90)}, lister{}, 89, false},
		"derived, small tail":      {limits(abi.DetailLimits{MaxFetches: 1}), &listSite{entries: entries(51)}, lister{}, 50, false},
		"derived":                  {limits(abi.DetailLimits{MaxFetches: 1}), &listSite{entries: entries(90)}, lister{}, 51, true},
		"derived from a large cap": {limits(abi.DetailLimits{MaxFetches: 60}), &listSite{entries: entries(200)}, lister{}, 61, true},
		"cannot be listed again":   {limits(abi.DetailLimits{MaxFetches: 1}), &listSite{entries: entries(90)}, lister{noRelist: true}, 89, false},
		"no times": {limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 2}), &listSite{entries: untimed(entries(9))},
			lister{}, 8, false},
		"one without a time": {limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 2}),
			&listSite{entries: append(entries(8), entry{ID: "timeless", Version: 1})}, lister{}, 4, true},
		"chosen keys": {sdktest.Options{DetailLimits: &abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}, Scope: []abi.StreamScope{
			{Name: "items"}, {Name: "details", Resources: []string{"r1", "r2", "r3", "r4"}}}},
			&listSite{entries: entries(9)}, lister{}, 3, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			res := walk(t, c.s, c.o, c.c)
			if len(res.Gaps) != c.gaps || (len(backlogs(res)) == 1) != c.folded {
				t.Errorf("%d gaps, %d backlogs, want len(res.Gaps) = %d and (len(backlogs(res)) == 1) = %v", len(res.Gaps), len(backlogs(res)), c.gaps, c.folded)
			}
		})
	}
}

func untimed(list []entry) []entry {
	for i := range list {
		list[i].At = ""
	}
	return list
}

// RT-16.3, PB-A3: the lane reads the clock between fetches, from the first detail on,
// and waits for the requests in flight. It defers the rest, and hands over the cursor
// of the records it reached.
func TestWallClockCap(t *testing.T) {
	t.Parallel()
	for _, window := range []int{1, 4} {
		now := sdktest.Epoch
		s := &listSite{entries: entries(80)}
		s.before = func(string) { now = now.Add(4 * time.Second) }
		o := limits(abi.DetailLimits{MaxWallMS: 10_000})
		o.Now = func() time.Time { return now }
		slow := serve(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/list" {
				now = now.Add(time.Hour) // before the first detail: not counted
			}
			s.ServeHTTP(w, r)
		})
		o.Provider = slow
		res := sdktest.Collect(t, lister{window: window}, o)
		// 0, 4, 8 s are within; the fetch of 8 s ends at 12 s.
		if got := len(res.Keys("details")); got != 3 || len(s.details) != 3 {
			t.Errorf("window %d: %d hydrated, %d fetched, want 3 and 3", window, got, len(s.details))
		}
		if res.Committed()["items"] != `{"newest":"`+at(80)+`"}` {
			t.Errorf("cursor %s, want %s", res.Committed()["items"], `{"newest":"`+at(80)+`"}`)
		}
		if b := backlogs(res); len(b) != 1 || len(res.Gaps) != 51 || res.Gaps[0].LastError.Class != string(abi.ReasonRunCapTime) {
			t.Errorf("%d gaps, class %s, want len(b) = 1, len(res.Gaps) = 51 and Gaps[0].LastError.Class = %s", len(res.Gaps), res.Gaps[0].LastError.Class, string(abi.ReasonRunCapTime))
		}
	}
}

// RT-16.4: recovery draws the budget down, and the walk gets the rest, which is nothing
// here.
func TestOneBudget(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(6)}
	res := walk(t, s, limits(abi.DetailLimits{MaxFetches: 2}), lister{})
	is(t, "first", res.Keys("details"), "r6", "r5")
	s.entries = append([]entry{{ID: "new", At: at(9), Version: 1}}, s.entries...)
	s.details = nil
	res = again(t, res)
	is(t, "fetched", s.details, "r4", "r3")
	is(t, "reported gaps", reported(res), "new")
	is(t, "gap keys", texts(res.Coverage[0].GapKeys), "new", "r2", "r1") // RT-16.2: those that still wait, too
	if res.Gaps[0].LastError.Class != string(abi.ReasonRunCapFetches) {
		t.Errorf("%+v, want Gaps[0].LastError.Class = %v", res.Gaps[0].LastError, string(abi.ReasonRunCapFetches))
	}
	// One that recovery did not reach and that the list has again stays as it is.
	s.details = nil
	again := res.SecondRun(t, func(o *sdktest.Options) {
		o.State = nil
		o.DetailLimits = &abi.DetailLimits{MaxFetches: 1}
	})
	is(t, "fetched", s.details, "r2")
	is(t, "reported gaps", reported(again), "r6", "r5", "r4", "r3", "r2") // r2 may have changed since it was fetched
	is(t, "gap keys", texts(again.Coverage[0].GapKeys), "r2", "new", "r6", "r5", "r4", "r3", "r1")
}

// PB-D11, PB-A10: pages are served until an empty one comes, over lanes and
// whatever their size.
func TestGapPages(t *testing.T) {
	t.Parallel()
	gap := func(stream, key string) string {
		return `{"gap_id":"g-` + strings.Trim(key, `[]"\,b`) + `","lease_id":"l","status":"pending","stream":"` + stream +
			`","parent_stream":"items","record_key":` + key + `,"detail_locator":{}}`
	}
	s := &listSite{entries: entries(9)}
	o := sdktest.Options{Provider: s, RecoveryOnly: true, DetailGaps: []string{gap("details", `"r1"`), gap("pairs", `"[\"r2\",\"b\"]"`)},
		GapPages: [][]string{{gap("pairs", `"[\"r3\",\"b\"]"`)}, {gap("details", `"r4"`), `{"nonsense":1}`}, {gap("details", `"r5"`)}, {}}}
	c := online(func(h *sdk.Host) error {
		pairs := lister{}.lane(h)
		pairs.Stream = "pairs"
		pairs.Record = func(d sdk.Detail, _ *sdk.Response) error {
			r := h.Record("pairs")
			r.String("a", d.Key[0])
			r.String("b", d.Key[1])
			return r.Emit()
		}
		for _, l := range []sdk.DetailLane{lister{}.lane(h), pairs} {
			d := h.Details(l)
			if err := d.Recover(); err != nil {
				return err
			}
			if err := d.Walk(func() (sdk.Detail, bool) { t.Error("walked"); return sdk.Detail{}, false }); err != nil {
				return err
			}
			if err := d.Close(); err != nil {
				return err
			}
		}
		return nil
	})
	res := sdktest.Collect(t, c, o)
	is(t, "details", res.Keys("details"), "r1", "r4", "r5")
	is(t, "pairs", res.Keys("pairs"), `["r2","b"]`, `["r3","b"]`)
	if len(res.PendingGaps()) != 0 || len(res.GapOutcomes) != 10 {
		t.Errorf("%d outcomes, pending %q, want len(res.PendingGaps()) = 0 and len(res.GapOutcomes) = 10", len(res.GapOutcomes), res.PendingGaps())
	}
	// Each gap: attempted, then its record, then recovered.
	var order []string
	for _, call := range res.Calls {
		if call.Name == "emit" || call.Name == "gap" && strings.Contains(call.Payload, `"g-r1"`) {
			kind, _, _ := strings.Cut(call.Payload[len(`{"type":"`):], `"`)
			order = append(order, kind)
		}
	}
	is(t, "order", order[:3], abi.TypeGapAttempted, abi.TypeRecord, abi.TypeGapRecovered)
}
