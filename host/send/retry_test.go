package send

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RT-21.1, RT-21.2, PB-D5: Retry-After is slept to the millisecond, once: no
// jitter on top, and no pacing for the same span. The throttle slows all the
// same.
func TestRetryAfterOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	b.script(says{status: 429, headers: "Retry-After: 5", takes: 50 * time.Millisecond}, says{takes: 50 * time.Millisecond})
	b.ok(1)
	if !slices.Equal(b.sent, []float64{1000, 6050}) || !slices.Equal(b.waits, []float64{1000}) || !slices.Equal(b.sleeps, []float64{5000}) {
		t.Errorf("sent %v, waits %v, sleeps %v, want slices.Equal(b.sent, []float64{1000, 6050}) && slices.Equal(b.waits, []float64{1000}) && slices.Equal(b.sleeps, []float64{5000})", b.sent, b.waits, b.sleeps)
	}
	if b.g.Snapshot().LastBackoff.Reason != BackoffRetryAfter {
		t.Error("the throttle did not count")
	}
	before := b.interval()
	b.ok(1)
	if wait := b.waits[1]; wait > before {
		t.Errorf("the next request waits %v, want wait <= before", wait)
	}
}

// RT-21.1: a quota's reset beside a Retry-After does not make its wait longer.
func TestRetryAfterBeforeReset(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	b.script(says{status: 429, headers: "Retry-After: 5\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 7"}, says{})
	b.ok(1)
	if !slices.Equal(b.sent, []float64{1000, 6000}) || len(b.waits) != 1 {
		t.Errorf("sent %v, waits %v, want slices.Equal(b.sent, []float64{1000, 6000}) && len(b.waits) == 1", b.sent, b.waits)
	}
}

// RT-21.1: a date counts from the answer's own Date; zero and the past are now.
func TestRetryAfterForms(t *testing.T) {
	t.Parallel()
	date := epoch.Add(time.Hour).Format(http.TimeFormat)
	for text, want := range map[string]time.Duration{
		"5": 5 * time.Second, "0": 0, "-3": 0, "1.5": 1500 * time.Millisecond, "0.0001": time.Millisecond,
		date: time.Hour, epoch.Add(-time.Hour).Format(http.TimeFormat): 0, "86400": 24 * time.Hour,
	} {
		if got, ok, _ := retryAfter(epoch, http.Header{"Retry-After": {text}}); !ok || got != want {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "NaN", "5s", "0x5z"} {
		if got, ok, believed := retryAfter(epoch, http.Header{"Retry-After": {text}}); ok || !believed {
			t.Errorf("%q: %v, believed %v, want !ok && believed", text, got, believed)
		}
	}
	later := epoch.Add(25 * time.Hour).Format(http.TimeFormat)
	for _, text := range []string{"Infinity", "inf", "+Inf", "1e99", "1e999", "99999999999", "86401", "120000", later} {
		if got, ok, believed := retryAfter(epoch, http.Header{"Retry-After": {text}}); ok || believed {
			t.Errorf("%q: %v, told %v, believed %v; want no pause, disbelieved", text, got, ok, believed)
		}
	}
	theirs := http.Header{"Retry-After": {date}, "Date": {epoch.Add(50 * time.Minute).Format(http.TimeFormat)}}
	if got, _, _ := retryAfter(epoch, theirs); got != 10*time.Minute {
		t.Errorf("with a Date: %v, want %v", got, 10*time.Minute)
	}
}

// A pause that nobody believes is none, and is said: the request goes again after
// its own back-off.
func TestDisbelievedPause(t *testing.T) {
	t.Parallel()
	disbelieved := 0
	var b *bed
	b = newBed(t, named(), func(d *Deps) {
		d.Observe = func(e Event) {
			if e.Kind == EventDisbelieved {
				disbelieved++
			}
			b.observe(e)
		}
	})
	b.script(says{status: 429, headers: "Retry-After: Infinity"}, says{})
	b.ok(1)
	if disbelieved != 1 || !slices.Equal(b.sleeps, []float64{500}) {
		t.Errorf("disbelieved %d times, sleeps %v; want once, and half a second", disbelieved, b.sleeps)
	}
}

// A Retry-After that is too long for a run ends it as source pressure, with the
// moment for the cooldown; it is never shortened.
func TestLongRetryAfterDefers(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	b.script(says{status: 429, headers: "Retry-After: 3600"})
	s := b.stopped()
	if s.Reason != abi.ReasonRateLimited || !s.ArmsCooldown() || s.Attempts != 1 || len(b.sleeps) != 0 {
		t.Errorf("got %+v, want s.Reason == abi.ReasonRateLimited && s.ArmsCooldown() && s.Attempts == 1 && len(b.sleeps) == 0", s)
	}
	if want := b.clock.Now().Add(time.Hour); !s.NextAttempt.Equal(want) {
		t.Errorf("next at %v, want %v", s.NextAttempt, want)
	}
	again := b.stopped()
	if b.calls != 1 || !again.NextAttempt.Equal(s.NextAttempt) || again.Attempts != 0 {
		t.Errorf("another request was sent into the Retry-After: %+v, want b.calls == 1 && again.NextAttempt.Equal(s.NextAttempt) && again.Attempts == 0", again)
	}
	limited := newBed(t, named(), func(d *Deps) { d.Run = NewRunBudget(0, 10*time.Second) })
	limited.script(says{status: 503, headers: "Retry-After: 60"})
	if s := limited.stopped(); s.Reason != abi.ReasonUpstreamPressure || s.NextAttempt.IsZero() {
		t.Errorf("limited.stopped(): got %+v, want s.Reason == abi.ReasonUpstreamPressure && !s.NextAttempt.IsZero()", s)
	}
}

// PB-D5: the back-off without a hint is full jitter.
func TestFullJitter(t *testing.T) {
	t.Parallel()
	for retry, seconds := range []int64{1, 2, 4, 8, 16, 32, 60, 60} {
		most := ms(1000 * seconds)
		if got := jitter(time.Second, time.Minute, retry, 0); got != 0 {
			t.Errorf("retry %d, drawn 0: %v, want 0", retry, got)
		}
		if got := jitter(time.Second, time.Minute, retry, 1); got != most {
			t.Errorf("retry %d, drawn 1: %v, want %v", retry, got, most)
		}
	}
	if got := jitter(time.Second, time.Minute, 1000, 1); got != time.Minute {
		t.Errorf("jitter(time.Second, time.Minute, 1000, 1): got %+v, want got == time.Minute", got)
	}
	b := newBed(t, calm(4), func(d *Deps) { d.Random = func() float64 { return 0.25 } })
	b.script(unwell)
	b.stopped()
	if !slices.Equal(b.sleeps, []float64{250, 500, 1000}) {
		t.Errorf("got %+v, want slices.Equal(b.sleeps, []float64{250, 500, 1000})", b.sleeps)
	}
}

// PB-D5: 429, 408, 5xx and transport errors are sent again, nothing else is,
// and nothing else costs a token.
func TestWhatIsRetried(t *testing.T) {
	t.Parallel()
	for status, again := range map[int]bool{
		200: false, 204: false, 304: false, 400: false, 401: false, 403: false, 404: false, 409: false, 410: false, 422: false,
		408: true, 429: true, 500: true, 502: true, 503: true, 504: true,
	} {
		tokens := NewRetryBudget(10, 0)
		b := newBed(t, calm(3), func(d *Deps) { d.Retries = tokens })
		b.script(says{status: status})
		r, err := b.get("/")
		left, _ := tokens.Remaining()
		if again && (err == nil || b.calls != 3 || left != 8) || !again && (err != nil || r.Status != status || b.calls != 1 || left != 10) {
			t.Errorf("%d: %d calls, %v tokens, %v, want (!again || err != nil && b.calls == 3 && left == 8) && (again || no error && r.Status == status && b.calls == 1 && left == 10)", status, b.calls, left, err)
		}
	}
	b := newBed(t, calm(3), nil)
	b.script(says{err: errReset}, says{status: 200, body: "here"})
	if r, err := b.get("/"); err != nil || string(r.Body) != "here" || r.Attempts != 2 {
		t.Errorf(`got %v %v, want no error && string(r.Body) == "here" && r.Attempts == 2`, r, err)
	}
	b.script(says{status: 403, headers: "X-RateLimit-Remaining: 0"})
	if s := b.stopped(); s.Error() != "github_rate_limited" {
		t.Errorf(`a 403 with nothing remaining: %v, want "github_rate_limited"`, s)
	}
	b.script(says{status: 403, headers: "Retry-After: 3600"})
	if s := b.stopped(); s.Error() != "github_rate_limited" || !s.ArmsCooldown() || s.NextAttempt.IsZero() {
		t.Errorf(`a 403 that says when to come back: %v, want s.Error() == "github_rate_limited" && s.ArmsCooldown() && !s.NextAttempt.IsZero()`, s)
	}
}

// RT-22.1, PB-A4: a used-up retry budget stops like used-up attempts do, before
// them, and is no source pressure.
func TestRetryBudget(t *testing.T) {
	t.Parallel()
	b := newBed(t, calm(5), func(d *Deps) { d.Retries = NewRetryBudget(2, 0) })
	b.script(unwell)
	s := b.stopped()
	if b.calls != 3 || s.Reason != abi.ReasonRetryBudgetExhausted || s.ArmsCooldown() || s.GapReason() != abi.ReasonRetryExhausted {
		t.Errorf("%d calls, %+v, want b.calls == 3 && s.Reason == abi.ReasonRetryBudgetExhausted && !s.ArmsCooldown() && s.GapReason() == abi.ReasonRetryExhausted", b.calls, s)
	}
	all := newBed(t, calm(3), nil)
	all.script(unwell)
	if a := all.stopped(); a.Error() != s.Error() || abi.CodeOf(a) != abi.CodeOf(s) || a.Status != s.Status || a.Attempts != s.Attempts {
		t.Errorf("two shapes: %v, %v, want a.Error() == s.Error() && abi.CodeOf(a) == abi.CodeOf(s) && a.Status == s.Status && a.Attempts == s.Attempts", a, s)
	}
	if left := s.Record.RetryTokensRemaining; left == nil || *left != 0 {
		t.Errorf("s.Record.RetryTokensRemaining: got %+v, want left != nil && *left == 0", s.Record)
	}
	limited := newBed(t, calm(5), func(d *Deps) { d.Retries = NewRetryBudget(1, 0) })
	limited.script(throttled)
	if s := limited.stopped(); s.Error() != "github_rate_limited" || s.ArmsCooldown() {
		t.Errorf(`limited.stopped(): got %+v, want s.Error() == "github_rate_limited" && !s.ArmsCooldown()`, s)
	}
}

// RT-22.2: without a budget the attempts alone bound the retries.
func TestNoRetryBudget(t *testing.T) {
	t.Parallel()
	b := newBed(t, calm(7), func(d *Deps) { d.Retries = RetryBudgetFor(0) })
	b.script(unwell)
	s := b.stopped()
	if b.calls != 7 || s.Reason != abi.ReasonTemporaryUnavailable || s.Record.RetryTokensRemaining != nil {
		t.Errorf("%d calls, %+v, want b.calls == 7 && s.Reason == abi.ReasonTemporaryUnavailable && s.Record.RetryTokensRemaining == nil", b.calls, s)
	}
}

// PB-D5: the budget is a fifth of the run's requests, and successes fill it.
func TestRetryBudgetFills(t *testing.T) {
	t.Parallel()
	for requests, want := range map[int64]float64{1: 1, 5: 1, 10: 2, 100: 20} {
		if got, _ := RetryBudgetFor(requests).Remaining(); got != want {
			t.Errorf("%d requests: %v, want %v", requests, got, want)
		}
	}
	tokens := RetryBudgetFor(40) // as the command builds it
	b := newBed(t, calm(2), func(d *Deps) { d.Retries = tokens })
	b.script(unwell)
	for range 9 {
		b.stopped()
	}
	if left, _ := tokens.Remaining(); left != 0 || b.calls != 17 {
		t.Fatalf("%v tokens, %d calls, want left == 0 && b.calls == 17", left, b.calls)
	}
	b.script(says{})
	b.ok(5)
	b.script(unwell)
	b.stopped()
	if left, _ := tokens.Remaining(); left > 1e-9 || b.calls != 2 {
		t.Errorf("after five successes %d calls and %v tokens left, want 2 and 0: they buy one retry", b.calls, left)
	}
	b.script(says{})
	b.ok(100)
	if left, _ := tokens.Remaining(); left != 8 {
		t.Errorf("more than the capacity: %v, want 8", left)
	}
}

// patterns are the retryable patterns that connectors have.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`(?i)github_malformed_response|rate_limited|ECONN|fetch failed|retryable status \d+`),
	regexp.MustCompile(`(?i)rate_limited|ECONN|ETIMEDOUT|fetch failed|retryable status \d+`),
	regexp.MustCompile(`(?i)rate_limited|ECONN|fetch failed`),
}

// RT-23.1: retries that end in a 429 end in <name>_rate_limited, which the
// retryable patterns know and which arms the cooldown.
func TestTerminalRateLimit(t *testing.T) {
	t.Parallel()
	b := newBed(t, calm(3), nil)
	b.script(throttled)
	s := b.stopped()
	if s.Error() != "github_rate_limited" || b.calls != 3 || s.Reason != abi.ReasonRateLimited || !s.ArmsCooldown() || abi.CodeOf(s) != CodeRateLimited {
		t.Errorf(`%d calls, %+v, want s.Error() == "github_rate_limited" && b.calls == 3 && s.Reason == abi.ReasonRateLimited && s.ArmsCooldown() && abi.CodeOf(s) == CodeRateLimited`, b.calls, s)
	}
	b.script(unwell)
	other := b.stopped()
	if strings.Contains(other.Error(), "rate_limited") || other.ArmsCooldown() || !strings.Contains(other.Error(), "3 attempts") {
		t.Errorf(`got %v, want !strings.Contains(other.Error(), "rate_limited") && !other.ArmsCooldown() && strings.Contains(other.Error(), "3 attempts")`, other)
	}
	b.script(says{err: errReset})
	lost := b.stopped()
	for _, p := range patterns {
		if !p.MatchString(s.Error()) || !p.MatchString(lost.Error()) {
			t.Errorf("%v does not know %q or %q, want p.MatchString(s.Error()) && p.MatchString(lost.Error())", p, s, lost)
		}
	}
	if !errors.Is(lost, errReset) || strings.Contains(lost.Error(), "reset") {
		t.Errorf(`the cause is for the debug log: %v, want errors.Is(lost, errReset) && !strings.Contains(lost.Error(), "reset")`, lost)
	}
}

// RT-23.2: one attempt is one call and an immediate terminal; more attempts
// honour Retry-After and end in the same terminal.
func TestOneAttemptOneCall(t *testing.T) {
	t.Parallel()
	one := newBed(t, calm(1), nil)
	one.script(says{status: 429, headers: "Retry-After: 7"})
	s := one.stopped()
	if one.calls != 1 || s.Error() != "github_rate_limited" || len(one.sleeps) != 0 || one.at() != 0 {
		t.Errorf(`%d calls, %v, sleeps %v, want one.calls == 1 && s.Error() == "github_rate_limited" && len(one.sleeps) == 0 && one.at() == 0`, one.calls, s, one.sleeps)
	}
	two := newBed(t, calm(2), nil)
	two.script(says{status: 429, headers: "Retry-After: 7"})
	if s := two.stopped(); s.Error() != "github_rate_limited" || !slices.Equal(two.sleeps, []float64{7000}) || two.calls != 2 {
		t.Errorf(`%d calls, %v, sleeps %v, want s.Error() == "github_rate_limited" && slices.Equal(two.sleeps, []float64{7000}) && two.calls == 2`, two.calls, s, two.sleeps)
	}
}

// A body goes out again only when it can be had again.
func TestBodies(t *testing.T) {
	t.Parallel()
	b := newBed(t, calm(3), nil)
	b.script(unwell)
	post := func(rewind bool) int {
		b.calls = 0
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.example/search", strings.NewReader("{}"))
		if !rewind {
			req.GetBody = nil
		}
		_, _ = b.g.Do(t.Context(), req) // always a stop
		return b.calls
	}
	if once, often := post(false), post(true); once != 1 || often != 3 {
		t.Errorf("%d and %d calls, want once == 1 && often == 3", once, often)
	}
}

// An answer above the limit fails loudly, and is not asked for again.
func TestResponseSize(t *testing.T) {
	t.Parallel()
	p := calm(3)
	p.MaxResponseBytes = 10
	b := newBed(t, p, nil)
	b.script(says{body: "0123456789"})
	b.ok(1)
	b.script(says{body: "0123456789a"})
	if _, err := b.get("/"); abi.CodeOf(err) != CodeResponseTooLarge || b.calls != 1 {
		t.Errorf("%d calls, %v, want abi.CodeOf(err) == CodeResponseTooLarge && b.calls == 1", b.calls, err)
	}
}

// Redirects are requests of their own, and secrets stay with their origin.
func TestRedirects(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	var seen []string
	b.answer = func(n int, req *http.Request) says {
		seen = append(seen, req.URL.String()+" "+req.Header.Get("Authorization"))
		return []says{{status: 302, headers: "Location: /b"}, {status: 301, headers: "Location: https://other.example/c"}, {body: "c"}}[n-1]
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example/a", http.NoBody)
	req.Header.Set("Authorization", "secret")
	r, err := b.g.Do(t.Context(), req)
	if err != nil || string(r.Body) != "c" {
		t.Fatalf(`got %+v, %+v, want no error && string(r.Body) == "c"`, r, err)
	}
	want := []string{"https://api.example/a secret", "https://api.example/b secret", "https://other.example/c "}
	if !slices.Equal(seen, want) || b.sent[2]-b.sent[1] < 250 {
		t.Errorf("%q at %v, want slices.Equal(seen, want) && b.sent[2] - b.sent[1] >= 250", seen, b.sent)
	}
	b.script(says{status: 302, headers: "Location: /again"})
	if _, err := b.get("/"); abi.CodeOf(err) != CodeRedirectRefused || b.calls != 6 {
		t.Errorf("%d calls, %v, want abi.CodeOf(err) == CodeRedirectRefused && b.calls == 6", b.calls, err)
	}
	b.script(says{status: 302, headers: "Location: ftp://other.example/"})
	if _, err := b.get("/"); abi.CodeOf(err) != CodeRedirectRefused {
		t.Errorf(`b.get("/"): got %+v, want abi.CodeOf(err) == CodeRedirectRefused`, err)
	}
}

// An address that a redirect led to and that is not reached is the provider's fault: nobody is told to allow it.
func TestRedirectsToWhatIsRefused(t *testing.T) {
	t.Parallel()
	for _, code := range []abi.Code{"egress.address_refused", "egress.scheme_refused"} {
		b := newBed(t, named(), nil)
		refused := abi.NewError(code, "it is private", "add it to network.allow_private")
		b.answer = func(n int, _ *http.Request) says {
			return []says{{status: 302, headers: "Location: /b"}, {err: refused}, {err: refused}}[n-1]
		}
		if _, err := b.get("/"); abi.CodeOf(err) != CodeRedirectRefused || strings.Contains(err.Error(), "allow_private") {
			t.Errorf("led there: got %v, want %s, and no word of an exception", err, CodeRedirectRefused)
		}
		if _, err := b.get("/"); abi.CodeOf(err) != code {
			t.Errorf("asked for: got %v, want %s", err, code)
		}
	}
}
