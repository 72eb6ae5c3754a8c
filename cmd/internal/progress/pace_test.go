package progress

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// RT-27.1, RT-27.2: the pace is shown, and no rate at all when pacing is off.
func TestPace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	paced := &abi.CollectionRate{EffectiveRatePerMin: 60, CeilingRatePerMin: 240}
	for want, u := range map[string]run.Update{
		"": {},
		"52 requests, 1.0 a second (ceiling 4.0 a second)": {Requests: abi.RequestCounts{Sent: 52}, Rate: paced, Now: now},
		"52 requests": {Requests: abi.RequestCounts{Sent: 52}, Now: now},
		"1 request, 3 a minute (ceiling 3 a minute), waiting 17 s: to keep the pace":              {Requests: abi.RequestCounts{Sent: 1}, Rate: &abi.CollectionRate{EffectiveRatePerMin: 3, CeilingRatePerMin: 3}, Now: now, WaitUntil: now.Add(17 * time.Second)},
		"0 requests, 1.0 a second (ceiling 4.0 a second), waiting 12 s: the service asked for it": {Rate: paced, Now: now, WaitUntil: now.Add(12 * time.Second), WaitAsked: true},
		"9 requests, 2 throttled": {Requests: abi.RequestCounts{Sent: 9, Throttled: 2}, Now: now, WaitUntil: now.Add(time.Second)},
	} {
		if got := pace(u); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
