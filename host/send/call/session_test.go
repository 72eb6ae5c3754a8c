package call

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/check"
)

// The failures of the governor as the guest sees them. RT-23.1: the text of a
// provider that keeps refusing, its gap reason, and the cooldown's evidence.
// RT-24.1: a budget's stop is final and leaves no pressure behind.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(*Options)
		script  []says
		before  int // requests that succeed
		want    abi.HTTPFailure
		presses abi.Reason
		sent    int
	}{
		"RT-23.1 rate limited": {
			script: []says{{status: 429}},
			want: abi.HTTPFailure{Code: send.CodeRateLimited, Message: "github_rate_limited",
				GapReason: abi.ReasonRateLimited, Stop: abi.ReasonRateLimited, Status: 429, Attempts: 4},
			presses: abi.ReasonRateLimited, sent: 4,
		},
		"RT-23.2 a single attempt": {
			change: func(o *Options) { o.Network.Provider = providerOf(`{"discovery_interval_ms":0,"max_attempts":1}`) },
			script: []says{{status: 429}},
			want: abi.HTTPFailure{Code: send.CodeRateLimited, Message: "github_rate_limited",
				GapReason: abi.ReasonRateLimited, Stop: abi.ReasonRateLimited, Status: 429, Attempts: 1},
			presses: abi.ReasonRateLimited, sent: 1,
		},
		"a pause that is too long": {
			script: []says{{status: 429, headers: []string{"Retry-After: 7200"}}},
			want: abi.HTTPFailure{Code: send.CodeRateLimited, Message: "github_rate_limited", Final: true,
				GapReason: abi.ReasonRateLimited, Stop: abi.ReasonRateLimited, Status: 429, Attempts: 1, NextAttemptAfter: "2026-01-01T02:00:00Z"},
			presses: abi.ReasonRateLimited, sent: 1,
		},
		"unwell": {
			script: []says{{status: 502}},
			want: abi.HTTPFailure{Code: send.CodeAttemptsExhausted, Message: "github: retryable status 502 after 4 attempts",
				GapReason: abi.ReasonTemporaryUnavailable, Stop: abi.ReasonTemporaryUnavailable, Status: 502, Attempts: 4},
			sent: 4,
		},
		"AC-11 its own words": {
			script: []says{{status: 500, headers: []string{"Content-Type: text/plain"}, body: "Down for maintenance until noon."}},
			want: abi.HTTPFailure{Code: send.CodeAttemptsExhausted, Message: "github: retryable status 500 after 4 attempts",
				GapReason: abi.ReasonTemporaryUnavailable, Stop: abi.ReasonTemporaryUnavailable, Status: 500, Attempts: 4,
				Answer: "Down for maintenance until noon.", AnswerType: "text/plain"},
			sent: 4,
		},
		"AC-11 words around a secret": { // which lies where they are cut
			script: []says{{status: 500, headers: []string{"Content-Type: text/tok-" + canary},
				body: strings.Repeat("x", abi.MaxFailureAnswer-4) + "tok-" + canary}},
			want: abi.HTTPFailure{Code: send.CodeAttemptsExhausted, Message: "github: retryable status 500 after 4 attempts",
				GapReason: abi.ReasonTemporaryUnavailable, Stop: abi.ReasonTemporaryUnavailable, Status: 500, Attempts: 4,
				Answer: strings.Repeat("x", abi.MaxFailureAnswer-4) + "[red", AnswerType: "text/[redacted]"},
			sent: 4,
		},
		"under pressure": {
			script: []says{{status: 503}},
			want: abi.HTTPFailure{Code: send.CodeAttemptsExhausted, Message: "github: retryable status 503 after 4 attempts",
				GapReason: abi.ReasonUpstreamPressure, Stop: abi.ReasonUpstreamPressure, Status: 503, Attempts: 4},
			presses: abi.ReasonUpstreamPressure, sent: 4,
		},
		"no connection": {
			script: []says{{err: errors.New("dial tcp: https://api.example.com/?api_key=" + canary)}},
			want: abi.HTTPFailure{Code: send.CodeAttemptsExhausted, Message: "github: fetch failed after 4 attempts",
				GapReason: abi.ReasonTemporaryUnavailable, Stop: abi.ReasonTemporaryUnavailable, Attempts: 4},
			sent: 4,
		},
		"RT-24.1 request cap": {
			change: func(o *Options) { o.Run = send.NewRunBudget(2, 0) }, before: 2,
			want: abi.HTTPFailure{Code: send.CodeBudgetExhausted, Message: "github: stopped: request_cap_reached", Final: true,
				GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonRequestCapReached},
			sent: 2,
		},
		"RT-24.1 RT-22.1 retry budget": {
			change: func(o *Options) { o.Retries = send.NewRetryBudget(1, 0) },
			script: []says{{status: 429}},
			want: abi.HTTPFailure{Code: send.CodeRateLimited, Message: "github_rate_limited", Final: true,
				GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonRetryBudgetExhausted, Status: 429, Attempts: 2},
			sent: 2,
		},
		"refused by the wall": {
			script: []says{{err: abi.NewError(egress.CodeHostRefused, "not in the manifest", "add it")}},
			want:   abi.HTTPFailure{Code: egress.CodeHostRefused, Message: "not in the manifest"},
		},
		"a fault of the host": {
			script: []says{{err: abi.NewError(abi.CodeInternal, "tok-"+canary, "tok-"+canary)}},
			want:   abi.HTTPFailure{Code: abi.CodeInternal, Message: "[redacted]"},
			sent:   1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, test.change)
			for range test.before {
				if r := b.get(api, "bearer"); r.Status != 200 {
					t.Fatalf("r.Status: got %+v, want 200", r)
				}
			}
			if test.script != nil {
				b.script(test.script...)
			}
			r := b.get(api, "bearer").Error
			if r.Hint == "" {
				t.Error("no hint")
			}
			r.Hint = ""
			if r != test.want {
				t.Errorf("got  %+v\nwant %+v", r, test.want)
			}
			pressure, next := b.Pressure()
			if pressure != test.presses {
				t.Errorf("got pressure %q, want %q", pressure, test.presses)
			}
			if want := epoch.Add(2 * time.Hour); pressure != "" && test.want.NextAttemptAfter != "" && !next.Equal(want) {
				t.Errorf("got the next attempt at %v, want %v", next, want)
			}
			var planned abi.Reason
			if test.want.Stop.Has(abi.BudgetExhaustion) {
				planned = test.want.Stop
			}
			if got := b.Stopped(); got != planned {
				t.Errorf("stopped by %q, want %v", got, planned)
			}
			if c := b.Counts(); c.Sent != int64(test.sent) || c.Retried != int64(max(0, test.sent-max(1, test.before))) {
				t.Errorf("b.Counts(): got %+v, want c.Sent == int64(test.sent) && c.Retried == int64(max(0, test.sent-max(1, test.before)))", c)
			}
			b.sweep("canary", "7f3a", "api_key")
		})
	}
}

// RT-24.1: a circuit that was opened by refusals stops with circuit_open, which
// is no pressure; what opened it is kept.
func TestCircuit(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) {
		o.Network.Provider = providerOf(`{"discovery_interval_ms":0,"max_attempts":1,"max_inline_wait_ms":59999,"breaker":{"min_throughput":2}}`)
	})
	b.script(says{status: 502})
	b.get(api, "")
	b.get(api, "")
	r := b.get(api, "").Error
	if r.Stop != abi.ReasonCircuitOpen || r.GapReason != abi.ReasonRetryExhausted || !r.Final || r.NextAttemptAfter != "2026-01-01T00:01:00Z" {
		t.Errorf(`got %+v, want r.Stop == abi.ReasonCircuitOpen && r.GapReason == abi.ReasonRetryExhausted && r.Final && r.NextAttemptAfter == "2026-01-01T00:01:00Z"`, r)
	}
	if b.pressed() || len(b.seen) != 2 {
		t.Errorf("got pressure %v after %d requests, want none after 2", b.pressed(), len(b.seen))
	}
	b.clock.Advance(time.Minute)
	b.script(says{})
	b.get(api, "")
	var states []string // PB-A9: the transitions are evidence
	for _, e := range b.events {
		if e.Kind == "circuit" {
			states = append(states, string(e.Circuit.Circuit.State))
			check.Equal(t, e.Circuit.Object, "provider_budget_circuit_transition", "e.Circuit.Object")
		}
	}
	if strings.Join(states, " ") != "open half_open closed" {
		t.Errorf(`transitions: %v, want "open half_open closed"`, states)
	}
}

// A run may send a limited number of bytes. A request above it is refused before it
// leaves, a smaller one after it is refused too, and it is not pressure.
func TestBytesOut(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) { o.MaxBytesOut = 1000 })
	if r := b.do(abi.HTTPRequest{Method: "POST", URL: api}, strings.Repeat("x", 500)); r.Status != 200 {
		t.Errorf("r.Status: got %+v, want 200", r)
	}
	for _, n := range []int{500, 1} {
		r := b.do(abi.HTTPRequest{Method: "POST", URL: api}, strings.Repeat("x", n)).Error
		if r.Code != CodeBytesOutExhausted || !r.Final || r.GapReason != abi.ReasonRetryExhausted || r.Stop.IsSourcePressure() {
			t.Errorf("got %d: %+v, want r.Code == CodeBytesOutExhausted && r.Final && r.GapReason == abi.ReasonRetryExhausted && !r.Stop.IsSourcePressure()", n, r)
		}
	}
	if c := b.Counts(); len(b.seen) != 1 || c.BytesOut < 500 || c.BytesOut > 700 || c.Sent != 1 {
		t.Errorf("b.Counts(): got %+v, want len(b.seen) == 1 && c.BytesOut >= 500 && c.BytesOut <= 700 && c.Sent == 1", c)
	}
	// Nor does one that was on its way already, next to the one that did not fit.
	l := newLedger(1000)
	if l.reserve(1001) == nil || l.reserve(1) == nil || l.exhausted() == nil {
		t.Error("a smaller one slipped through")
	}
	// Redirects and retries count too.
	b = newBed(t, func(o *Options) { o.MaxBytesOut = 300 })
	b.script(says{status: 302, headers: []string{"Location: /" + strings.Repeat("a", 100)}})
	if r := b.get(api, ""); r.Error.Code != CodeBytesOutExhausted || len(b.seen) > 2 {
		t.Errorf("%+v after %d, want r.Error.Code == CodeBytesOutExhausted && len(b.seen) <= 2", r, len(b.seen))
	}
}

// The ledger names each place that bytes went to, and no place that refused
// itself.
func TestLedger(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.answer = func(_ int, r got) says {
		switch {
		case r.URL.Host == "evil.example":
			return says{err: abi.NewError(egress.CodeHostRefused, "no", "no")}
		case r.URL.Path == "/go":
			return says{status: 302, headers: []string{"Location: https://cdn.example.com/got"}}
		}
		return says{body: strings.Repeat("y", 1000)}
	}
	b.get(api, "")
	b.get("https://api.example.com:443/go", "")
	b.get("https://evil.example/", "")
	list := b.Destinations()
	if len(list) != 2 || list[0].Host != "api.example.com:443" || list[0].Requests != 2 || list[1].Host != "cdn.example.com:443" || list[1].Requests != 1 {
		t.Fatalf(`got %+v, want len(list) == 2 && list[0].Host == "api.example.com:443" && list[0].Requests == 2 && list[1].Host == "cdn.example.com:443" && list[1].Requests == 1`, list)
	}
	c := b.Counts()
	if list[0].BytesIn < 1000 || list[1].BytesIn != 1000 || list[0].BytesIn+list[1].BytesIn != c.BytesIn || list[0].BytesOut+list[1].BytesOut != c.BytesOut || c.Sent != 3 {
		t.Errorf("got %+v and %+v, want the bytes of both hosts to add up, and three requests sent", list, c)
	}
	// A request whose host was not found is not counted as sent there.
	b.answer = func(int, got) says {
		return says{err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host"}}}
	}
	b.get("https://cdn.example.com/down", "")
	if after := b.Destinations(); !slices.Equal(after, list) {
		t.Errorf("%+v, and before it %+v, want slices.Equal(after, list)", after, list)
	}
}

// RT-26: the learned rate rides the pacing stream's cursor, from run to run, and
// no other's. RT-25.4: without pacing there is none.
func TestLearned(t *testing.T) {
	t.Parallel()
	cursors := map[string][]byte{}
	open := func(change func(*Options)) *bed {
		return newBed(t, func(o *Options) {
			o.Network.Provider, o.Network.PacingStream = nil, "repos"
			o.State = func(stream string) []byte { return cursors[stream] }
			if change != nil {
				change(o)
			}
		})
	}
	declared := []string{"repos", "issues"}
	first := open(nil)
	for range 20 {
		first.get(api, "")
	}
	learned, err := first.Learned("repos", declared, abi.Raw(`{"page":7}`))
	if err != nil || !strings.Contains(string(learned), `"page":7`) || !strings.Contains(string(learned), "pacing_interval_ms") {
		t.Fatalf("got %s %v, want no error && strings.Contains(string(learned), `\"page\":7`) && strings.Contains(string(learned), \"pacing_interval_ms\")", learned, err)
	}
	for _, test := range []struct {
		stream   string
		declared []string
	}{{"issues", declared}, {"repos", []string{"issues"}}, {"", nil}} {
		if same, err := first.Learned(test.stream, test.declared, abi.Raw(`{"a":1}`)); err != nil || string(same) != `{"a":1}` {
			t.Errorf("RT-26.3 %+v: %s %v, want no error && string(same) == `{\"a\":1}`", test, same, err)
		}
	}
	// A cursor that is none stays none: the next run begins anew, and not from an
	// object that says nothing.
	if none, err := first.Learned("repos", declared, abi.Raw(" null")); err != nil || string(none) != " null" {
		t.Errorf(`got %s %v, want no error && string(none) == " null"`, none, err)
	}
	cursors["repos"] = learned
	warm := open(nil)
	if got, want := warm.Rate().CurrentIntervalMS, first.Rate().CurrentIntervalMS; got != want || want >= 1000 {
		t.Errorf("RT-26.1: starts at %v, learned %v, want got == want && want < 1000", got, want)
	}
	stale := open(func(o *Options) { o.Clock = send.NewVirtualClock(epoch.Add(7 * time.Hour)) })
	if got := stale.Rate().CurrentIntervalMS; got != 1000 {
		t.Errorf("RT-26.2: starts at %v, want 1000", got)
	}
	off := open(func(o *Options) { o.Network.Provider = providerOf(`{"discovery_interval_ms":0}`) })
	if off.Rate() != nil {
		t.Errorf("RT-25.4: %+v, want off.Rate() == nil", off.Rate())
	}
	if bare, err := off.Learned("repos", declared, learned); err != nil || string(bare) != `{"page":7}` {
		t.Errorf("RT-25.4: %s %v, want no error && string(bare) == `{\"page\":7}`", bare, err)
	}
}

// RT-20.1, RT-20.3: a call waits at one place, and a second place below it would
// be found.
func TestOneWait(t *testing.T) {
	t.Parallel()
	for gate, want := range map[string]int{"": 0, "a second gate": 4} {
		b := newBed(t, func(o *Options) { o.Network.Provider = nil })
		b.answer = func(_ int, r got) says {
			if gate != "" {
				send.ProbeFrom(r.Context()).Waited(gate, time.Millisecond)
			}
			return says{}
		}
		for range 4 {
			b.get(api, "bearer")
		}
		if got := b.DoubleWaits(); got != want || b.clock.Now().Equal(epoch) {
			t.Errorf("%q: %d attempts were made to wait twice, want %d", gate, got, want)
		}
	}
}

// RT-27, RT-21: an owner sees during a run that it waits and why, and that the rate
// was reduced, but nothing of the content.
func TestEvents(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) { o.Network.Provider = nil })
	b.script(says{status: 429, headers: []string{"Retry-After: 12"}}, says{})
	b.get(api, "bearer")
	b.get(api, "bearer")
	var steps []string
	for _, e := range b.events {
		text := e.Kind
		if e.Kind == "wait" {
			text = fmt.Sprintf("wait %.0f s asked %v", math.Ceil(e.Wait.Seconds()), e.Asked)
		}
		steps = append(steps, text)
	}
	want := []string{"wait 1 s asked false", "rate", "wait 12 s asked true", "rate", "wait 2 s asked false", "rate"}
	if !slices.Equal(steps, want) {
		t.Errorf("got %q, want %q", steps, want)
	}
	for _, e := range b.events {
		if e.Kind == "rate" && (e.Rate.Object != "collection_rate" || e.Rate.CurrentIntervalMS <= 0) {
			t.Errorf(`RT-27.1: %+v, want e.Kind != "rate" || e.Rate.Object == "collection_rate" && e.Rate.CurrentIntervalMS > 0`, e.Rate)
		}
	}
	if b.Rate().LastBackoff == nil || b.Rate().LastBackoff.Reason != send.BackoffRetryAfter {
		t.Errorf("RT-25.3: %+v, want b.Rate().LastBackoff != nil && b.Rate().LastBackoff.Reason == send.BackoffRetryAfter", b.Rate())
	}
	if got := b.clock.Now().Sub(epoch); b.Counts() != (abi.RequestCounts{Sent: 3, Retried: 1, Throttled: 1, Answered: 2, BytesOut: b.Counts().BytesOut, BytesIn: b.Counts().BytesIn}) || got > 16*time.Second {
		t.Errorf("RT-21.1: %+v in %v", b.Counts(), got)
	}
	quiet := newBed(t, nil) // RT-27.2: no controller, no rate
	quiet.get(api, "")
	if len(quiet.events) != 0 {
		t.Errorf("RT-27.2: %+v, want 0", quiet.events)
	}
	other := newBed(t, func(o *Options) { o.Network.Provider = nil })
	other.script(says{status: 502}, says{})
	other.get(api, "")
	if len(other.events) == 0 {
		t.Error("got no event for a failure's wait, want one")
	}
	b.said.Reset() // the guest may know where it asked, the events may not
	b.sweep("canary", "7f3a", "example", "things")
}

// PB-A5: two connectors' sessions share nothing: one that is throttled makes no
// other wait.
func TestBulkhead(t *testing.T) {
	t.Parallel()
	a, b := newBed(t, nil), newBed(t, func(o *Options) { o.Connector = "ynab" })
	a.script(says{status: 429})
	for range 10 {
		a.get(api, "")
	}
	b.get(api, "")
	if !b.clock.Now().Equal(epoch) || b.Counts().Throttled != 0 || a.Counts().Throttled == 0 {
		t.Errorf("got %v %+v %+v, want b.clock.Now().Equal(epoch) && b.Counts().Throttled == 0 && a.Counts().Throttled != 0", b.clock.Now(), a.Counts(), b.Counts())
	}
}

// An unreadable store of secrets is reported, and the report is scrubbed.
func TestSecretsUnavailable(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.get(api, "bearer") // the token is known from here on
	for code, err := range map[abi.Code]error{
		CodeCredentialUnavailable: errors.New("tok-" + canary),
		abi.CodeStoreLocked:       abi.NewError(abi.CodeStoreLocked, "tok-"+canary, "unlock it"),
	} {
		b.vault.locked = err
		for _, slot := range []string{"oauth", "basic"} {
			if r := b.get(api, slot); r.Error.Code != code || r.Error.Hint == "" {
				t.Errorf(`%s: b.get(api, slot): got %+v, want r.Error.Code == code && r.Error.Hint != ""`, slot, r)
			}
		}
	}
	none := newBed(t, func(o *Options) { o.Secrets = nil })
	for _, slot := range []string{"bearer", "oauth", "basic"} {
		if r := none.get(api, slot); r.Error.Code != CodeCredentialMissing {
			t.Errorf("%s: r.Error.Code: got %+v, want %v", slot, r, CodeCredentialMissing)
		}
	}
	if r := none.get(api, strings.Repeat("x", 300)); r.Error.Code != CodeCredentialUnknown || len(r.Error.Message) > 200 {
		t.Errorf(`none.get(api, strings.Repeat("x", 300)): got %+v, want r.Error.Code == CodeCredentialUnknown && len(r.Error.Message) <= 200`, r)
	}
	b.sweep("canary", "7f3a")
}

// A pause of one endpoint does not end the others.
func TestEndpointHeld(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) {
		o.Network.Provider = providerOf(`{"discovery_interval_ms":0,"endpoints":[{"name":"search","path_prefix":"/search"}]}`)
	})
	b.script(says{status: 429, headers: []string{"Retry-After: 7200"}}, says{})
	if r := b.get("https://api.example.com/search", ""); r.Error.Stop != abi.ReasonRateLimited || r.Error.Final {
		t.Errorf(`b.get("https://api.example.com/search", ""): got %+v, want r.Error.Stop == abi.ReasonRateLimited && !r.Error.Final`, r)
	}
	if r := b.get(api, ""); r.Status != 200 {
		t.Errorf("r.Status: got %+v, want 200", r)
	}
	long := newBed(t, func(o *Options) {
		o.Network.Provider = providerOf(`{"discovery_interval_ms":0,"max_inline_wait_ms":10800000,"max_attempts":1}`)
	})
	long.script(says{status: 429, headers: []string{"Retry-After: 7200"}}, says{})
	if r := long.get(api, ""); r.Error.Final || r.Error.NextAttemptAfter == "" {
		t.Errorf(`a pause that the next request sits out: %+v, want !r.Error.Final && r.Error.NextAttemptAfter != ""`, r)
	}
	if r := long.get(api, ""); r.Status != 200 || long.clock.Now().Sub(epoch) != 2*time.Hour {
		t.Errorf("%+v at %v, want r.Status == 200 && long.clock.Now().Sub(epoch) == 2 * time.Hour", r, long.clock.Now())
	}
}

// A cancelled run answers at once, and finally.
func TestCancelled(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	b.answer = func(int, got) says {
		cancel()
		return says{err: context.Canceled}
	}
	for range 2 {
		if r := b.raw(ctx, `{"url":"`+api+`"}`); r.Error.Code != abi.CodeInterrupted || !r.Error.Final {
			t.Errorf("b.raw(ctx, `{\"url\":\"`+api+`\"}`): got %+v, want r.Error.Code == abi.CodeInterrupted && r.Error.Final", r)
		}
	}
}

// Many at once: the race detector's case.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	l := newLogin(b)
	l.access = "at-other"
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			slot := []string{"oauth", "bearer", "query", ""}[i%4]
			decoded(t, answerOf(context.Background(), b.Session, `{"url":"`+api+`","credential":"`+slot+`"}`))
			_, _, _, _ = b.Counts(), b.Destinations(), b.pressed(), b.Rate()
		})
	}
	wg.Wait()
	if l.renewals != 1 {
		t.Errorf("%d renewals, want 1", l.renewals)
	}
}

// RT-21: what a provider asked for stays asked for when a later refusal names no
// moment. Neither a refusal nor a failure counts as an answer, a 404 does.
func TestPressureKeepsItsMoment(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) {
		o.Network.Provider = providerOf(`{"discovery_interval_ms":0,"max_attempts":1,"breaker":{"disabled":true},"endpoints":[{"name":"a","path_prefix":"/a"}]}`)
	})
	b.script(says{status: 429, headers: []string{"Retry-After: 7200"}}, says{status: 503}, says{status: 500}, says{status: 404})
	b.get("https://api.example.com/a", "")
	b.get("https://api.example.com/b", "")
	if reason, next := b.Pressure(); reason != abi.ReasonUpstreamPressure || !next.Equal(epoch.Add(2*time.Hour)) {
		t.Errorf("got %q until %v, want %q until %v", reason, next, abi.ReasonUpstreamPressure, epoch.Add(2*time.Hour))
	}
	b.get("https://api.example.com/b", "")
	if n := b.Counts().Answered; n != 0 {
		t.Errorf("%d answered, want 0", n)
	}
	b.get("https://api.example.com/b", "")
	if n := b.Counts().Answered; n != 1 {
		t.Errorf("%d answered, want 1", n)
	}
}

// A credential that the owner gave anew while the run goes on is used, once the
// provider has refused the one before; a good one is asked for once.
func TestCredentialGivenAnew(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.answer = func(_ int, r got) says {
		if r.Header.Get("Authorization") == "Bearer new-"+canary {
			return says{}
		}
		return says{status: 401}
	}
	if r := b.get(api, "bearer"); r.Status != 401 {
		t.Errorf("r.Status: got %+v, want 401", r)
	}
	b.vault.values["token"] = "new-" + canary
	for range 3 {
		if r := b.get(api, "bearer"); r.Status != 200 {
			t.Errorf("r.Status: got %+v, want 200", r)
		}
	}
	if b.vault.asked != 2 {
		t.Errorf("the vault was asked %d times, want 2", b.vault.asked)
	}
	b.sweep(canary)
}
