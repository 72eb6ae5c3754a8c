package send

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// hourly is a provider of 200 requests an hour, of which 20 may go at once.
func hourly() Profile {
	p := named()
	p.DiscoveryMS, p.MinIntervalMS, p.Burst = new(int64(20_000)), 20_000, 20
	p.Windows = []abi.ProviderWindow{{Requests: 200, PerMS: 3_600_000}}
	return p
}

// A burst goes at once behind the first request, and again after a rest; the window takes it with all that follows, so that
// nothing waits for its end, in a run as in the next.
func TestBurstWithinAWindow(t *testing.T) {
	t.Parallel()
	b := newBed(t, hourly(), nil)
	b.ok(21)
	if at := b.sent[19]; at != 20_000 || b.sent[20] != 40_000 {
		t.Errorf("the twentieth went at %v ms and the next at %v, want 20000 and 40000", at, b.sent[20])
	}
	b.clock.Advance(2 * time.Hour)
	from := b.at()
	b.ok(380)
	if at := b.sent[21+19]; at != from || b.sent[21+20] != from+20_000 {
		t.Errorf("after a rest at %v: the twentieth went at %v ms and the next at %v, want %v and 20 s later", from, at, b.sent[21+20], from)
	}
	for i := 200; i < len(b.sent); i++ {
		if span := b.sent[i] - b.sent[i-200]; span < 3_600_000 {
			t.Fatalf("201 requests within %v ms, want an hour", span)
		}
	}
	if took := b.sent[400] - b.sent[21]; took != 360*20_000 {
		t.Errorf("380 requests took %v ms, want the pace alone", took)
	}
	again := second(t, b, hourly(), time.Minute)
	again.ok(20)
	hour := again.clock.Now().Add(-time.Hour)
	n := len(again.sent)
	for _, at := range b.sent {
		if epoch.Add(time.Duration(at) * time.Millisecond).After(hour) {
			n++
		}
	}
	if n > 200 {
		t.Errorf("%d requests of two runs within an hour, want 200 at most", n)
	}
}

// A refusal ends the burst: what is slower than the ceiling has no credit for one.
func TestRefusalEndsTheBurst(t *testing.T) {
	t.Parallel()
	b := newBed(t, hourly(), nil)
	b.ok(2)
	b.script(throttled, says{})
	b.ok(2)
	i := len(b.sent) - 1
	if gap := b.sent[i] - b.sent[i-1]; gap < 20_000 {
		t.Errorf("behind a refusal the next went after %v ms, want 20000 or more", gap)
	}
}

// A manifest's burst must fit into its windows, and an endpoint's own limit has none.
func TestBurstFits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Profile)
		fits   bool
	}{
		"it does":       {func(*Profile) {}, true},
		"one too many":  {func(p *Profile) { p.Burst = 21 }, false},
		"without any":   {func(p *Profile) { p.Windows = nil }, false},
		"without pace":  {func(p *Profile) { p.MinIntervalMS = 0 }, false},
		"a second":      {func(p *Profile) { p.Windows = append(p.Windows, abi.ProviderWindow{Requests: 22, PerMS: 60_000}) }, false},
		"a second does": {func(p *Profile) { p.Windows = append(p.Windows, abi.ProviderWindow{Requests: 23, PerMS: 60_000}) }, true},
		"below zero":    {func(p *Profile) { p.Burst = -1 }, false},
	} {
		p := hourly()
		c.change(&p)
		if err := p.Check(); (err == nil) != c.fits {
			t.Errorf("%s: %v, want it refused: %v", name, err, !c.fits)
		}
	}
	p := hourly()
	p.Endpoints = []abi.ProviderEndpoint{{Name: "slow", PathPrefix: "/", MinIntervalMS: 20_000}}
	b := newBed(t, p, nil)
	b.ok(3)
	if gap := b.sent[2] - b.sent[1]; gap < 20_000 {
		t.Errorf("two requests of an endpoint went %v ms apart, want 20000 or more", gap)
	}
	p = hourly()
	p.Burst = 0
	b = newBed(t, p, nil)
	b.ok(3)
	if gap := b.sent[2] - b.sent[1]; gap != 20_000 {
		t.Errorf("two requests without a burst went %v ms apart, want 20000", gap)
	}
}
