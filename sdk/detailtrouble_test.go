package sdk_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-10, RT-12.1, RT-12.3: the gap of an item that was refused, or for which the provider kept failing, has
// the provider's own sentence. The coverage comes last, once, and contains every key and every
// gap.
func TestCoverageOfLane(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(6), status: func(id string) int {
		return map[string]int{"r2": 404, "r4": 500, "r5": 429}[id] | 200*b2i(id != "r2" && id != "r4" && id != "r5")
	}}
	res := walk(t, s, sdktest.Options{Completes: sdktest.Last}, lister{window: 3})
	if len(res.Coverage) != 1 {
		t.Fatalf("%d coverages, want 1", len(res.Coverage))
	}
	c := res.Coverage[0]
	is(t, "required", texts(c.RequiredKeys), "r6", "r5", "r4", "r3", "r2", "r1")
	is(t, "hydrated", texts(c.HydratedKeys), "r6", "r3", "r1")
	is(t, "gap keys", texts(c.GapKeys), "r5", "r4", "r2")
	if c.Stream != "details" || c.StateStream != "items" || len(res.Gaps) != 3 {
		t.Errorf("%+v, want c.Stream = details, c.StateStream = items and len(res.Gaps) = 3", c)
	}
	last := ""
	for _, call := range res.Calls {
		if call.Name == "coverage" || last == "coverage" && (call.Name == "emit" || call.Name == "gap") {
			last = call.Name
		}
	}
	if last != "coverage" {
		t.Errorf("%s after the coverage, want coverage", last)
	}
	for _, g := range res.Gaps {
		want := map[string]struct {
			reason abi.Reason
			class  string
			status int
		}{
			"r2": {abi.ReasonTemporaryUnavailable, "test_http_404", 404},
			"r4": {abi.ReasonTemporaryUnavailable, "temporary_unavailable", 500},
			"r5": {abi.ReasonRateLimited, "rate_limited", 429},
		}[unquoted(g.RecordKey)]
		if g.Reason != string(want.reason) || g.LastError.Class != want.class || g.LastError.HTTPStatus == nil || *g.LastError.HTTPStatus != want.status {
			t.Errorf("%s: %s, %+v, want %+v", g.RecordKey, g.Reason, g.LastError, want)
		}
		if said := map[int]string{404: "No access to r2.", 500: "No access to r4.", 429: "No access to r5."}[want.status]; g.LastError.Said != said {
			t.Errorf("%s: got the sentence %q, want %q", g.RecordKey, g.LastError.Said, said)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// RT-24.1, RT-17.2, PB-D9, PB-A3: a stop of the whole run defers the rest under its own name,
// and only the provider's pressure is called pressure. Chunks are the owner's
// bound's alone.
func TestFinalStops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure abi.HTTPFailure
		reason  abi.Reason
		class   string
		first   int // status of the failed detail
		backlog bool
	}{
		{abi.HTTPFailure{Code: "send.rate_limited", Message: "test_rate_limited", GapReason: abi.ReasonRateLimited,
			Stop: abi.ReasonRateLimited, Final: true, Status: 429}, abi.ReasonRateLimited, "rate_limited", 429, false},
		{abi.HTTPFailure{Code: "send.attempts_exhausted", Message: "m", GapReason: abi.ReasonUpstreamPressure, Final: true, Status: 503},
			abi.ReasonUpstreamPressure, "send.attempts_exhausted", 503, false},
		{abi.HTTPFailure{Code: "send.circuit_open", Message: "m", GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonCircuitOpen,
			Final: true, Status: 429}, abi.ReasonRetryExhausted, "circuit_open", 0, false},
		// A budget's stop is no pressure, even where a host calls it that.
		{abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRateLimited, Stop: abi.ReasonRequestCapReached, Final: true},
			abi.ReasonRetryExhausted, "request_cap_reached", 0, false},
		{abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonWallClockDeadline, Final: true},
			abi.ReasonRetryExhausted, "wall_clock_deadline", 0, false},
		{abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonRetryBudgetExhausted, Final: true, Status: 500},
			abi.ReasonRetryExhausted, "retry_budget_exhausted", 0, false},
		{abi.HTTPFailure{Code: "c", Message: "m", GapReason: "surprise", Final: true}, abi.ReasonTemporaryUnavailable, "c", 0, false},
		{abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonRunCapTime, Final: true},
			abi.ReasonRetryExhausted, "run_cap_time", 0, true},
	} {
		t.Run(c.class, func(t *testing.T) {
			t.Parallel()
			s := &listSite{entries: entries(9)}
			o := limits(abi.DetailLimits{MaxFetches: 100, MaxTailGaps: 2})
			asked := 0
			o.Fails = func(r *http.Request) *abi.HTTPFailure {
				if strings.HasPrefix(r.URL.Path, "/detail/") {
					if asked++; asked > 2 {
						return &c.failure
					}
				}
				return nil
			}
			res := walk(t, s, o, lister{})
			if res.Done.Status != abi.DoneSucceeded || asked != 3 {
				t.Errorf("%s after %d requests, want %s and 3", res.Done.Status, asked, abi.DoneSucceeded)
			}
			is(t, "hydrated", res.Keys("details"), "r9", "r8")
			want := []string{"r7", "r6", "r5", "r4", "r3", "r2", "r1"}
			if c.backlog {
				want = []string{"r7", "r6", "r5", "backlog:details:" + at(1) + ".." + at(4)}
			}
			is(t, "reported gaps", reported(res), want...)
			for i, g := range res.Gaps {
				class := c.class
				if c.backlog && i == 3 {
					class = string(abi.ReasonRunCapBacklog)
				}
				status := 0
				if g.LastError.HTTPStatus != nil {
					status = *g.LastError.HTTPStatus
				}
				if g.Reason != string(c.reason) || g.LastError.Class != class || status != c.first*b2i(i == 0) {
					t.Errorf("%s: %s, %+v, status %d, want g.Reason = %s, g.LastError.Class = %v and status = c.first*b2i(i == 0)", g.RecordKey, g.Reason, g.LastError, status, string(c.reason), class)
				}
			}
		})
	}
}

// PB-D11: recovery ends under a stop, and a gap that it did not reach is not emitted
// again: its reason stays the same.
func TestRecoveryUnderPressure(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(5), status: func(string) int { return 429 }}
	res := walk(t, s, sdktest.Options{}, lister{})
	s.details = nil
	res = res.SecondRun(t, func(o *sdktest.Options) {
		o.GapPages, o.DetailGaps = [][]string{o.DetailGaps[2:4], o.DetailGaps[4:]}, o.DetailGaps[:2]
		o.State = nil // the list names them all again
		o.Fails = func(r *http.Request) *abi.HTTPFailure {
			if r.URL.Path == "/list" {
				return nil
			}
			return &abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonCircuitOpen, Final: true}
		}
	})
	is(t, "reported gaps", reported(res), "r5")
	is(t, "gap keys", texts(res.Coverage[0].GapKeys), "r5", "r4", "r3", "r2", "r1")
	if g := res.Gaps[0]; g.GapID == "" || g.LeaseID == "" || len(res.GapOutcomes) != 1 {
		t.Errorf("%+v, %d outcomes, want g.GapID not \"\", g.LeaseID not \"\" and len(res.GapOutcomes) = 1", g, len(res.GapOutcomes))
	}
	pressure := 0
	for _, g := range res.PendingGaps() {
		pressure += strings.Count(g, `"reason":"rate_limited"`)
	}
	if pressure != 4 || len(res.PendingGaps()) != 5 {
		t.Errorf("pending %q, want pressure = 4 and len(res.PendingGaps()) = 5", res.PendingGaps())
	}
}

// A failure that the connector understands ends the lane, and nothing is claimed then.
func TestLaneEnds(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		status int
		change func(l *sdk.DetailLane)
		fails  *abi.HTTPFailure
		code   string
	}{
		"credentials": {401, nil, nil, "test_auth_failed"},
		"own failure": {200, func(l *sdk.DetailLane) {
			l.Record = func(sdk.Detail, *sdk.Response) error { return &sdk.Failure{Code: "test_moved", Message: "m"} }
		}, nil, "test_moved"},
		"request": {200, func(l *sdk.DetailLane) {
			l.Request = func(sdk.Detail) (sdk.Request, error) {
				return sdk.Request{}, &sdk.Failure{Code: "test_bug", Message: "m"}
			}
		}, nil, "test_bug"},
		"nothing gained": {200, nil, &abi.HTTPFailure{Code: "vault.revoked", Message: "m", Final: true}, "vault.revoked"},
		"bad key":        {200, func(l *sdk.DetailLane) { l.Stream = "pairs" }, nil, string(abi.CodeKeyInvalid)},
		"no stream":      {200, func(l *sdk.DetailLane) { l.Stream = "else" }, nil, string(abi.CodeStreamUnknown)},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := &listSite{entries: entries(9), status: func(string) int { return c.status }}
			o := sdktest.Options{Fails: func(r *http.Request) *abi.HTTPFailure {
				if r.URL.Path == "/list" {
					return nil
				}
				return c.fails
			}}
			res := walk(t, s, o, lister{change: c.change})
			if res.Done.Status != abi.DoneFailed || res.Done.Error.Code != c.code || len(res.Gaps) != 0 || len(s.details) > 1 {
				t.Errorf("%+v %+v, %d gaps, %d fetched, want failed with %s, 0 gaps and at most 1 fetched", res.Done, res.Done.Error, len(res.Gaps), len(s.details), c.code)
			}
			if len(res.Committed()) != 0 {
				t.Errorf("committed %v, want len(res.Committed()) = 0", res.Committed())
			}
		})
	}
}

// A detail that cannot be used becomes a gap, and its text stays inside.
func TestUnusableDetail(t *testing.T) {
	t.Parallel()
	s := serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/list" {
			(&listSite{entries: entries(3)}).ServeHTTP(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"secret words`))
	})
	res := sdktest.Collect(t, lister{window: 2}, sdktest.Options{Provider: s})
	is(t, "reported gaps", reported(res), "r3", "r2", "r1")
	for _, call := range res.Calls {
		if strings.Contains(call.Payload, "secret words") {
			t.Errorf("%s quotes the answer: %s, want no secret words in it", call.Name, call.Payload)
		}
	}
	if res.Gaps[0].Reason != string(abi.ReasonTemporaryUnavailable) || res.Gaps[0].LastError.Class != "detail_unusable" {
		t.Errorf("%+v, want Gaps[0].Reason = %v and Gaps[0].LastError.Class = detail_unusable", res.Gaps[0], string(abi.ReasonTemporaryUnavailable))
	}
}

// Only the owner can renew an expired sign-in: the run reports it, and makes no gaps of
// the records that it would have fetched.
func TestExpiredSignInEndsTheLane(t *testing.T) {
	t.Parallel()
	s := &listSite{entries: entries(9)}
	var o sdktest.Options
	o.Fails = func(r *http.Request) *abi.HTTPFailure {
		if r.URL.Path == "/detail/r7" {
			return &abi.HTTPFailure{Code: "send.credential_expired", Message: "the sign-in has expired"}
		}
		return nil
	}
	res := walk(t, s, o, lister{})
	if e := res.Done.Error; res.Done.Status != abi.DoneFailed || e.Code != "send.credential_expired" || string(e.RecoveryHint) != `"refresh_credentials"` {
		t.Fatalf("%+v %+v, want Done.Status = %v, e.Code = send.credential_expired and e.RecoveryHint = %s", res.Done, e, abi.DoneFailed, `"refresh_credentials"`)
	}
	if len(res.Gaps) != 0 {
		t.Errorf("%d gaps, want 0", len(res.Gaps))
	}
}
