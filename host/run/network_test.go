package run

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// fakeSender answers every request with the test's answer, and is a Sending itself.
type fakeSender struct {
	answer    func(request string) string
	pressure  abi.Reason
	until     time.Time // see Sending.Pressure
	stopped   abi.Reason
	trouble   abi.Cause
	rate      *abi.CollectionRate
	throttled int64
	unwell    bool          // every request failed
	stands    storage.Pause // what Standing says
	told      time.Time
	learns    []storage.Pause // told before the first answer
	asleep    bool
	holds     chan struct{} // an answer waits for it; nil: none does
	session   func(context.Context, *url.URL) ([]*http.Cookie, error)

	mu       sync.Mutex
	open     SendRun
	requests []string
	closed   int
}

func (f *fakeSender) Open(_ context.Context, s SendRun) (Sending, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = s
	return f, nil
}

func (f *fakeSender) Do(ctx context.Context, request []byte, reply func([]byte)) {
	f.mu.Lock()
	f.requests = append(f.requests, string(request))
	answer := f.answer(string(request))
	learns, observer := f.learns, f.open.Observer
	f.learns = nil
	f.mu.Unlock()
	for _, p := range learns {
		observer.PauseLearned(p.Until, abi.Reason(p.Reason), p.Learned)
	}
	if f.holds != nil {
		select {
		case <-f.holds:
		case <-ctx.Done():
			answer = `{"error":{"code":"run.interrupted","message":"m"}}`
		}
	}
	reply([]byte(answer))
}

func (f *fakeSender) Counts() abi.RequestCounts {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := int64(len(f.requests))
	c := abi.RequestCounts{Sent: n, Throttled: f.throttled, Answered: n - f.throttled}
	if f.unwell {
		c.Answered = 0
	}
	return c
}

func (f *fakeSender) Destinations() []abi.Destination {
	return []abi.Destination{{Host: "api.example.com:443", Requests: f.Counts().Sent, BytesOut: 5}}
}

func (f *fakeSender) Session(cookies func(context.Context, *url.URL) ([]*http.Cookie, error), _ func(context.Context, *url.URL, []*http.Cookie) (bool, error)) {
	f.session = cookies
}

func (f *fakeSender) Learned(stream string, _ []string, cursor abi.Raw) (abi.Raw, error) {
	if stream != "notes" {
		return cursor, nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(cursor, &fields); err != nil {
		return nil, err
	}
	fields["pacing_interval_ms"] = 300
	return json.Marshal(fields)
}

func (f *fakeSender) Pressure() (abi.Reason, time.Time)                             { return f.pressure, f.until }
func (f *fakeSender) Asleep() bool                                                  { return f.asleep }
func (f *fakeSender) Stopped() abi.Reason                                           { return f.stopped }
func (f *fakeSender) Carry(context.Context, *http.Request, http.RoundTripper) error { return nil }
func (f *fakeSender) Count(context.Context, *http.Request, http.RoundTripper) error { return nil }
func (f *fakeSender) Failure(error) abi.HTTPFailure                                 { return abi.HTTPFailure{} }
func (f *fakeSender) Trouble() (abi.Cause, string)                                  { return f.trouble, "api.example.com" }
func (f *fakeSender) Hosts() []string                                               { return []string{"api.example.com"} }
func (f *fakeSender) Rate() *abi.CollectionRate                                     { return f.rate }

func (f *fakeSender) Standing() (until, told time.Time, reason abi.Reason, learned []byte) {
	return f.stands.Until, f.told, abi.Reason(f.stands.Reason), f.stands.Learned
}

func (f *fakeSender) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
}

func (h *host) pressure() *storage.SourcePressure {
	h.t.Helper()
	p, err := h.store.SourcePressure(h.t.Context(), "scripted", []string{"rate_limited", "upstream_pressure"})
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

const get = `submit 2 {"method":"GET","url":"https://api.example.com/x"}`

// A run's requests go through its Sending and nothing else; their counts are in the
// result and the ledger, and the learned rate on the cursor of the stream that keeps it
// (RT-26.3).
func TestRequestsGoThroughTheSending(t *testing.T) {
	t.Parallel()
	f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\nhello" }}
	f.rate = &abi.CollectionRate{Object: "collection_rate", CurrentIntervalMS: 1000, EffectiveRatePerMin: 60}
	h := newHost(t, setup{sender: f})
	res := h.succeed("expect \"network\":{}\n" + get + "\nexpect hello\n" + get + slice("notes", `{"at":1}`) + slice("journal", `{"at":2}`) + done(0))
	if res.Requests.Sent != 2 || f.closed != 1 {
		t.Fatalf("got %+v and %d closes, want 2 requests and 1 close", res.Requests, f.closed)
	}
	if len(f.requests) != 2 || !strings.Contains(f.requests[0], "api.example.com") {
		t.Fatalf("got requests %q, want 2 to api.example.com", f.requests)
	}
	if h.cursor("notes") != `{"at":1,"pacing_interval_ms":300}` || h.cursor("journal") != `{"at":2}` {
		t.Fatalf("got cursors %s and %s, want the rate on that of notes alone", h.cursor("notes"), h.cursor("journal"))
	}
	ledger, err := h.store.Destinations(t.Context(), "scripted")
	if err != nil || len(ledger) != 1 || ledger[0].Requests != 2 {
		t.Fatalf("got destinations %+v (%v), want one of 2 requests", ledger, err)
	}
	// The next run's Sending gets the learned rate.
	h.succeed(get + state("notes", `{"at":3}`) + done(0))
	if string(f.open.Cursors["notes"]) != `{"at":1,"pacing_interval_ms":300}` || h.cursor("notes") != `{"at":3,"pacing_interval_ms":300}` {
		t.Fatalf("got cursor %s, then %s; want the rate on both", f.open.Cursors["notes"], h.cursor("notes"))
	}
}

// The failure of a run names the host that did not answer well, and the cause.
func TestFailureKeepsItsCause(t *testing.T) {
	t.Parallel()
	f := &fakeSender{trouble: abi.CauseNameUnresolved, answer: func(string) string { return `{"error":{"code":"send.attempts_exhausted","message":"m"}}` }}
	h := newHost(t, setup{sender: f})
	failed := "\ndone " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"x","message":"m","retryable":true}}`
	res, err := h.play(get + failed)
	if err != nil || res.Error == nil || res.Error.Cause != abi.CauseNameUnresolved || res.Error.Place != "api.example.com" {
		t.Fatalf("got %v %+v, want the cause and its place", err, res.Error)
	}
	kept, err := h.store.Run(t.Context(), res.RunID)
	if err != nil || kept.Error.Cause != abi.CauseNameUnresolved || kept.Error.Place != "api.example.com" {
		t.Fatalf("got %v %+v, want the cause and its place in the store", err, kept.Error)
	}
	if res, err = h.play(get + "\ntrap"); err != nil || res.Error == nil || res.Error.Cause != "" {
		t.Fatalf("got %v, %+v; want no cause, as a crash is no fault of the service", err, res.Error)
	}
}

// Without a Sender there is no network, and the guest's requests are refused.
func TestWithoutASenderThereIsNoNetwork(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.succeed(get + "\nerror binding_not_granted" + done(0))
}

// RT-17, RT-24: pressure arms the cooldown, as a record or through a gap, never
// both; a budget never does; a run that got its answers ends it.
func TestPressureIsKeptForTheNextRun(t *testing.T) {
	t.Parallel()
	next := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	failed := "\ndone " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"scripted_rate_limited","message":"scripted_rate_limited","retryable":true}}`
	gap := func(reason string) string {
		return "\ngap " + `{"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"` + reason + `","retryable":true,"status":"pending","detail_locator":{}}`
	}
	f := &fakeSender{answer: func(string) string { return `{"error":{"code":"send.rate_limited","message":"m"}}` }}
	h := newHost(t, setup{sender: f})

	f.stopped = abi.ReasonRequestCapReached
	res, err := h.play(get + slice("journal", `{"at":9}`) + slice("notes", `{"page":7}`) + gap("retry_exhausted") + failed)
	if err != nil || len(res.KnownGaps) != 1 {
		t.Fatalf("got %v, %+v; want one known gap", err, res)
	}
	// PB-D9: the gap says where the run stands, why, and that it can go on; the whole
	// slice stays committed.
	g := res.KnownGaps[0]
	if g.Reason != "request_cap_reached" || g.Stream != "notes" || string(g.Diagnostics) != `{"cursor":{"page":7}}` || g.Severity != "recoverable" {
		t.Errorf("PB-A2: got %+v, want a recoverable gap at page 7 of notes", g)
	}
	if h.cursor("notes") != `{"pacing_interval_ms":300,"page":7}` {
		t.Errorf("PB-A3: got checkpoint %s, want page 7", h.cursor("notes"))
	}
	if p := h.pressure(); p.Record != nil || len(p.Gaps) != 0 {
		t.Fatalf("got pressure %+v from a budget, want none", p)
	}

	f.stopped, f.pressure, f.until = "", abi.ReasonRateLimited, next
	if _, err := h.play(get + failed); err != nil {
		t.Fatal(err)
	}
	if p := h.pressure(); p.Record == nil || !p.Record.NextAttempt.Equal(next) {
		t.Fatalf("got pressure %+v, want a record until %v", p, next)
	}

	f.pressure, f.unwell = "", true // it was down: that says nothing of what it had asked for
	h.succeed(get + done(0))
	if p := h.pressure(); p.Record == nil {
		t.Fatal("got no pressure after failures, want the record to stay")
	}

	f.unwell = false
	h.succeed(get + done(0))
	if p := h.pressure(); p.Record != nil {
		t.Fatalf("got pressure %+v after answers, want none", p)
	}

	f.pressure = abi.ReasonRateLimited
	h.succeed(get + gap("rate_limited") + done(0))
	p := h.pressure()
	if p.Record != nil || len(p.Gaps) != 1 || !p.Gaps[0].NextAttemptAfter.Equal(next) {
		t.Fatalf("got pressure %+v, want one gap until %v and no record", p, next)
	}
	// The gap waits as long as the provider asked for, unless the owner forces the run.
	h.succeed("submit 4\nexpect \"detail_gaps\":[]" + done(0))
	h.succeed("expect \"record_key\":\"b\""+done(0), func(r *Request) { r.Force = true })
}

// A run that ends gives up its open requests and does not wait for them.
func TestRequestsEndWithTheRun(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	b := &blockingSender{fakeSender: &fakeSender{}, started: started}
	h := newHost(t, setup{sender: b})
	h.succeed("pending 2 {\"url\":\"https://api.example.com/\"}" + done(0)) // or it would never end
	<-started
}

type blockingSender struct {
	*fakeSender

	started chan struct{}
}

func (b *blockingSender) Open(context.Context, SendRun) (Sending, error) { return b, nil }

func (b *blockingSender) Do(ctx context.Context, _ []byte, reply func([]byte)) {
	close(b.started)
	<-ctx.Done()
	reply([]byte(`{"error":{"code":"run.interrupted","message":"m"}}`))
}

// RT-21: a moment that the provider names after the run's gap was stored is kept in the
// outcome.
func TestLaterPressureIsKeptBesideItsGap(t *testing.T) {
	t.Parallel()
	next := time.Now().Add(3 * time.Hour).UTC().Truncate(time.Microsecond)
	f := &fakeSender{pressure: abi.ReasonRateLimited}
	f.answer = func(request string) string {
		if strings.Contains(request, "/later") {
			f.until = next
		}
		return `{"error":{"code":"send.rate_limited","message":"m"}}`
	}
	h := newHost(t, setup{sender: f})
	gap := "\ngap " + `{"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{}}`
	h.succeed(get + gap + "\n" + strings.Replace(get, "/x", "/later", 1) + done(0))
	if p := h.pressure(); len(p.Gaps) != 1 || p.Record == nil || !p.Record.NextAttempt.Equal(next) {
		t.Fatalf("got pressure %+v, want one gap and a record until %v", p, next)
	}
}

// A breaker that changes with each request does not fill the store with events.
func TestCircuitChangesAreFew(t *testing.T) {
	t.Parallel()
	f := &fakeSender{}
	f.answer = func(string) string {
		for range 10 * maxChanges {
			f.open.Observer.CircuitChanged(abi.Raw(`{"object":"x"}`))
		}
		return `{"status":200,"url":"u","headers":{}}` + "\n"
	}
	h := newHost(t, setup{sender: f})
	res := h.succeed(get + done(0))
	events, err := h.store.Events(t.Context(), res.RunID, 0, 10_000)
	if n := len(events); err != nil || n < maxChanges || n > maxChanges+20 {
		t.Fatalf("got %d events (%v), want about %d", n, err, maxChanges)
	}
}
