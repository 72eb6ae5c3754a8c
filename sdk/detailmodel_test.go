package sdk_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// model is a source, the store of a host, and many runs between them.
type model struct {
	t      *testing.T
	rt     *rapid.T
	s      *listSite
	now    int // of the source
	born   int
	state  map[string]string
	gaps   []string
	stored map[string]int // version by id

	restless bool // entries appear and change during a run too
}

// pendingGap is a gap as it is served.
type pendingGap struct {
	ID      string `json:"gap_id"`
	Key     string `json:"record_key"`
	Locator struct {
		Kind   string `json:"kind"`
		Before string `json:"before_update_time"`
		Floor  string `json:"not_before_update_time"`
	} `json:"detail_locator"`
}

// change lets new entries appear and old ones change, some at the same time.
func (m *model) change(n int) {
	for range n {
		if m.born == 0 || rapid.IntRange(0, 2).Draw(m.rt, "advance") > 0 {
			m.now++
		}
		e := entry{At: at(m.now), Version: 1}
		if m.born > 0 && rapid.IntRange(0, 4).Draw(m.rt, "edit") == 0 {
			i := rapid.IntRange(0, len(m.s.entries)-1).Draw(m.rt, "edited")
			e.ID, e.Version = m.s.entries[i].ID, m.s.entries[i].Version+1
			m.s.entries = slices.Delete(m.s.entries, i, i+1)
		} else {
			m.born++
			e.ID = fmt.Sprintf("r%d", m.born)
		}
		m.s.entries = append([]entry{e}, m.s.entries...)
	}
	m.now++ // later entries are newer than every entry that a run has seen
}

// run does one run and stores its results.
func (m *model) run(o sdktest.Options, l abi.DetailLimits, c lister) *sdktest.Result {
	clock := sdktest.Epoch
	o.Now = func() time.Time { return clock }
	m.s.before = func(string) {
		clock = clock.Add(time.Second)
		if m.restless && rapid.IntRange(0, 3).Draw(m.rt, "changes now") == 0 {
			m.change(1)
		}
	}
	o.Provider, o.State, o.Tolerate, o.DetailLimits = m.s, m.state, true, &l
	// The gaps are served in pages, in random order.
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(m.rt, "order"), 0))
	random.Shuffle(len(m.gaps), func(i, j int) { m.gaps[i], m.gaps[j] = m.gaps[j], m.gaps[i] })
	size := rapid.IntRange(1, 5).Draw(m.rt, "page")
	for page := range slices.Chunk(m.gaps, size) {
		o.GapPages = append(o.GapPages, page)
	}
	if len(o.GapPages) > 0 && rapid.Bool().Draw(m.rt, "first page in START") {
		o.DetailGaps, o.GapPages = o.GapPages[0], o.GapPages[1:]
	}
	o.Completes = func(n int) int { return random.IntN(n) }
	m.s.details = nil
	res := sdktest.Collect(m.t, c, o)
	if killed := res.Done.Status == ""; !killed && len(res.Problems) > 0 {
		m.rt.Fatalf("problems %q, want none", res.Problems)
	}
	if l.MaxFetches > 0 && len(m.s.details) > int(l.MaxFetches) {
		m.rt.Fatalf("%d fetches, the bound is %d", len(m.s.details), l.MaxFetches)
	}
	for _, r := range res.Records("details") {
		n, _ := r.Fields["version"].(json.Number)
		version, _ := n.Int64()
		m.stored[r.Key] = max(m.stored[r.Key], int(version))
	}
	m.gaps, m.state = m.merge(res), res.Committed()
	m.accounted()
	return res
}

// merge is the store after the run: pages that the run did not ask for stay.
func (m *model) merge(res *sdktest.Result) []string {
	after, touched := res.PendingGaps(), make(map[string]bool)
	for _, g := range after {
		touched[parse(g).Key] = true
	}
	for _, o := range res.GapOutcomes {
		touched[o.GapID] = true
	}
	for _, g := range m.gaps {
		if one := parse(g); !touched[one.Key] && !touched[one.ID] {
			after = append(after, g)
		}
	}
	return after
}

func parse(gap string) (g pendingGap) {
	if err := json.Unmarshal([]byte(gap), &g); err != nil {
		panic(err)
	}
	return g
}

// accounted checks that nothing is lost: each entry is stored as it is, or has a
// gap, or is in a backlog, or is still ahead of the cursor.
func (m *model) accounted() {
	var cursor struct {
		Newest string    `json:"newest"`
		Rest   [2]string `json:"rest"`
	}
	_ = json.Unmarshal([]byte(m.state["items"]), &cursor)
	for _, e := range m.s.entries {
		ok := m.stored[e.ID] == e.Version || e.At > cursor.Newest || e.At > cursor.Rest[0] && e.At <= cursor.Rest[1]
		for _, text := range m.gaps {
			g := parse(text)
			ok = ok || g.Key == e.ID || g.Locator.Kind == "backlog" && e.At <= g.Locator.Before && e.At >= g.Locator.Floor
		}
		if !ok {
			m.rt.Fatalf("%+v is lost: cursor %s, gaps %q", e, m.state["items"], m.gaps)
		}
	}
}

func drawLimits(rt *rapid.T) abi.DetailLimits {
	l := abi.DetailLimits{MaxTailGaps: rapid.Int64Range(0, 4).Draw(rt, "chunk")}
	if rapid.IntRange(0, 3).Draw(rt, "which") > 0 {
		l.MaxFetches = rapid.Int64Range(1, 5).Draw(rt, "cap")
	} else {
		l.MaxWallMS = rapid.Int64Range(1, 4000).Draw(rt, "wall")
	}
	l.NoTailFolding = rapid.IntRange(0, 9).Draw(rt, "no folding") == 0
	return l
}

// trouble makes a run's details fail, the list be cut short, or the run stop.
func (m *model) trouble(o *sdktest.Options) (c lister) {
	bad := rapid.SliceOfN(rapid.SampledFrom([]int{200, 200, 200, 404, 500, 429, 503}), 7, 7).Draw(m.rt, "statuses")
	m.s.status = func(id string) int { return bad[(len(id)*31+int(id[len(id)-1]))%len(bad)] }
	switch rapid.IntRange(0, 7).Draw(m.rt, "trouble") {
	case 0:
		left := rapid.IntRange(0, 5).Draw(m.rt, "until the stop")
		stop := rapid.SampledFrom([]abi.Reason{abi.ReasonRateLimited, abi.ReasonCircuitOpen, abi.ReasonRunCapFetches}).Draw(m.rt, "stop")
		o.Fails = func(r *http.Request) *abi.HTTPFailure {
			if left--; left >= 0 || !strings.HasPrefix(r.URL.Path, "/detail/") {
				return nil
			}
			return &abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRateLimited, Stop: stop, Final: true}
		}
	case 1:
		m.s.broken = func(until string) bool { return until != "" }
	case 2:
		cut := rapid.IntRange(0, 6).Draw(m.rt, "cut")
		c.change = func(l *sdk.DetailLane) {
			whole := l.Relist
			l.Relist = func(until string, visit func(sdk.Detail) bool) error {
				n, more := 0, true
				if err := whole(until, func(d sdk.Detail) bool { n++; more = n <= cut && visit(d); return more }); err != nil || n <= cut {
					return err
				}
				return &sdk.FetchError{Code: "c", Message: "m", GapReason: abi.ReasonTemporaryUnavailable}
			}
		}
	case 3, 4: // killed: no later message arrives
		left := rapid.IntRange(0, 40).Draw(m.rt, "until the kill")
		o.Before = func(string, []byte) *abi.Error {
			if left--; left < 0 {
				return abi.NewError(abi.CodeInternal, "killed", "")
			}
			return nil
		}
	case 5:
		o.StopAfter = rapid.IntRange(1, 12).Draw(m.rt, "stop after")
	}
	return c
}

// RT-16.2, RT-16.4, RT-19.3: over any runs with any bounds, ties, failures and changes
// nothing is lost. When the trouble ends, the history drains: no gap is left, and every
// record is as the source has it.
func TestDetailsConverge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{t: t, rt: rt, s: &listSite{}, stored: make(map[string]int)}
		m.change(rapid.IntRange(1, 30).Draw(rt, "entries"))
		for range rapid.IntRange(0, 8).Draw(rt, "troubled runs") {
			var o sdktest.Options
			c := m.trouble(&o)
			c.window = rapid.IntRange(1, 5).Draw(rt, "window")
			o.RecoveryOnly = rapid.IntRange(0, 9).Draw(rt, "recovery only") == 0
			m.restless = rapid.Bool().Draw(rt, "restless")
			m.run(o, drawLimits(rt), c)
			m.s.status, m.s.broken, m.restless = nil, nil, false
			m.change(rapid.IntRange(0, 3).Draw(rt, "changes"))
		}
		runs := 3*len(m.s.entries) + len(m.gaps) + 3
		for n := 0; ; n++ {
			res := m.run(sdktest.Options{}, drawLimits(rt), lister{window: rapid.IntRange(1, 5).Draw(rt, "window")})
			if len(m.gaps) == 0 && len(res.Records("details")) == 0 {
				break
			}
			if n > runs {
				rt.Fatalf("after %d runs without trouble: gaps %q, want none", n, m.gaps)
			}
		}
		for _, e := range m.s.entries {
			if m.stored[e.ID] != e.Version {
				rt.Fatalf("%+v is stored in version %d, want %d", e, m.stored[e.ID], e.Version)
			}
		}
	})
}
