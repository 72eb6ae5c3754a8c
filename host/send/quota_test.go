package send

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/internal/ratelimit"
)

// A window that is used up holds requests until its reset; one of up to two minutes is
// spread over what is left of it; a longer one is not until a quarter is left.
func TestToldWindows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		window ratelimit.Window
		want   time.Duration
	}{
		"used up":      {ratelimit.Window{Limit: 10, Per: time.Hour, Reset: epoch.Add(40 * time.Minute)}, 40 * time.Minute},
		"past":         {ratelimit.Window{Limit: 10, Reset: epoch.Add(-time.Second)}, 0},
		"minute":       {ratelimit.Window{Limit: 10, Remaining: 9, Per: time.Minute, Reset: epoch.Add(30 * time.Second)}, 3 * time.Second},
		"two minutes":  {ratelimit.Window{Limit: 10, Remaining: 9, Per: 2 * time.Minute, Reset: epoch.Add(30 * time.Second)}, 3 * time.Second},
		"longer, full": {ratelimit.Window{Limit: 10, Remaining: 9, Per: 2*time.Minute + time.Second, Reset: epoch.Add(30 * time.Second)}, 0},
		"hour, full":   {ratelimit.Window{Limit: 100, Remaining: 60, Per: time.Hour, Reset: epoch.Add(30 * time.Minute)}, 0},
		"hour, low":    {ratelimit.Window{Limit: 100, Remaining: 24, Per: time.Hour, Reset: epoch.Add(5 * time.Minute)}, 12 * time.Second},
		"day, low":     {ratelimit.Window{Limit: 100, Remaining: 1, Per: 24 * time.Hour, Reset: epoch.Add(5 * time.Hour)}, time.Minute},
		"no limit":     {ratelimit.Window{Remaining: 50, Reset: epoch.Add(time.Hour)}, 0},
		"no limit low": {ratelimit.Window{Remaining: 1, Reset: epoch.Add(time.Minute)}, 30 * time.Second},
	} {
		if got := reportedDelay(&test.window, epoch, epoch); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// An answer that overtook another does not give quota back.
func TestLateAnswerGivesNoQuotaBack(t *testing.T) {
	t.Parallel()
	q := newQuota(nil)
	told := func(remaining string) http.Header {
		return http.Header{"X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {"60"}}
	}
	q.readHeaders(epoch, told("3"), time.Time{})
	q.admit(epoch)
	q.readHeaders(epoch, told("9"), time.Time{})
	if got := q.reported[0].Remaining; got != 2 {
		t.Errorf("%d remain, want 2", got)
	}
	q.readHeaders(epoch.Add(61*time.Second), told("9"), time.Time{})
	if got := q.reported[0].Remaining; got != 9 {
		t.Errorf("a new window: %d remain, want 9", got)
	}
}

// A documented window is never exceeded, in any span.
func TestLoggedWindow(t *testing.T) {
	t.Parallel()
	for _, w := range []abi.ProviderWindow{{Requests: 5, PerMS: 1000}, {Requests: 60, PerMS: 60_000}, {Requests: 200, PerMS: 3_600_000}, {Requests: 30, PerMS: 86_400_000}} {
		p := named()
		p.DiscoveryMS, p.MinIntervalMS, p.Windows, p.MaxInlineWaitMS = new(int64(1)), 1, []abi.ProviderWindow{w}, w.PerMS
		b := newBed(t, p, nil)
		b.ok(int(3*w.Requests + 5))
		for i := int(w.Requests); i < len(b.sent); i++ {
			if span := b.sent[i] - b.sent[i-int(w.Requests)]; span < float64(w.PerMS) {
				t.Fatalf("%+v: %d requests within %v ms, want span >= float64(w.PerMS)", w, w.Requests+1, span)
			}
		}
		if most := 5 * float64(w.PerMS); b.at() > most {
			t.Errorf("%+v: three windows took %v ms, want b.at() <= most", w, b.at())
		}
	}
}

// The headers of answers keep a governor below a limit that it never meets.
func TestHeadersPreventRefusals(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	used, top := 0, epoch
	b.answer = func(int, *http.Request) says {
		if now := b.clock.Now(); now.Sub(top) >= time.Minute {
			top, used = now.Truncate(time.Minute), 0
		}
		if used++; used > 40 {
			return throttled
		}
		return says{headers: fmt.Sprintf("X-RateLimit-Limit: 40\nX-RateLimit-Remaining: %d\nX-RateLimit-Reset: %d", 40-used, top.Add(time.Minute).Unix())}
	}
	b.ok(400)
	if len(b.sleeps) != 0 || b.at() > 11*60_000 {
		t.Errorf("%d refusals in %v ms, want len(b.sleeps) == 0 && b.at() <= 11 * 60_000", len(b.sleeps), b.at())
	}
}

// A provider that names another window with each answer costs no memory for
// each, and a window that is really there is still kept.
func TestToldWindowsAreFew(t *testing.T) {
	t.Parallel()
	q := newQuota(nil)
	now := epoch
	for i := range 1000 {
		now = now.Add(time.Second)
		q.readHeaders(now, http.Header{"Ratelimit": {fmt.Sprintf(`"w%d";r=5;t=3`, i)}}, time.Time{})
	}
	if len(q.reported) > maxReported {
		t.Errorf("%d windows, want len(q.told) <= mostTold", len(q.reported))
	}
	var long quota
	for i := range 1000 {
		long.readHeaders(now, http.Header{"Ratelimit": {fmt.Sprintf(`"w%d";r=5;t=3600`, i)}}, time.Time{})
	}
	if len(long.reported) > maxReported {
		t.Errorf("%d windows, want len(long.told) <= mostTold", len(long.reported))
	}
	q.readHeaders(now, http.Header{"Ratelimit": {`"real";r=0;t=30`}}, time.Time{})
	if d, want := q.delay(now), 30*time.Second+rounded; d != want {
		t.Errorf("waits %v, want %v", d, want)
	}
}

// The profile is checked before it is used, every problem at once.
func TestProfileCheck(t *testing.T) {
	t.Parallel()
	if err := named().Check(); err != nil {
		t.Error(err)
	}
	bad := Profile{Name: "Git Hub", Provider: abi.Provider{DiscoveryMS: new(int64(-1)), Windows: []abi.ProviderWindow{{Requests: 0, PerMS: 1}}}}
	err := bad.Check()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, path := range []string{"name", "discovery_interval_ms", "windows[0].requests"} {
		if !strings.Contains(err.Error(), path+": ") {
			t.Errorf(`%s is not named: %v, want strings.Contains(err.Error(), path+": ")`, path, err)
		}
	}
	if _, err := New(bad, Deps{Clock: NewVirtualClock(epoch)}); err == nil {
		t.Error("New accepts it")
	}
}

// RT-24.1, PB-A3: that what is left of a quota is spread over its window is this
// host's own caution. A run that has no time left for that ends at its deadline,
// and no pause is made of it; a window that is used up is the provider's word.
func TestSpreadIsNoPressure(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		remaining string
		profile   func(*Profile)
		want      abi.Reason
	}{
		"spread":          {"9", func(*Profile) {}, abi.ReasonWallClockDeadline},
		"used up":         {"0", func(*Profile) {}, abi.ReasonRateLimited},
		"documented":      {"", func(p *Profile) { p.Windows = []abi.ProviderWindow{{Requests: 10, PerMS: 60_000}} }, abi.ReasonWallClockDeadline},
		"documented, out": {"", func(p *Profile) { p.Windows = []abi.ProviderWindow{{Requests: 1, PerMS: 60_000}} }, abi.ReasonRateLimited},
	} {
		profile := calm(1)
		test.profile(&profile)
		b := newBed(t, profile, func(d *Deps) { d.Run = NewRunBudget(0, 2*time.Second) })
		first := says{}
		if test.remaining != "" {
			first.headers = "X-RateLimit-Limit: 10\nX-RateLimit-Remaining: " + test.remaining + "\nX-RateLimit-Reset: 60"
		}
		b.script(first)
		b.ok(1)
		s := b.stopped()
		if s.Reason != test.want || s.ArmsCooldown() != (test.want == abi.ReasonRateLimited) {
			t.Errorf("%s: %s, next %s, want s.Reason == test.want && s.ArmsCooldown() == (test.want == abi.ReasonRateLimited)", name, s.Reason, s.NextAttempt)
		}
	}
}
