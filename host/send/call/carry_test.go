package call

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// BR-07.2, BR-07.3, BR-07.4: a paused request goes once, whatever is answered, and to the address
// that it names. Its answer teaches the governor: the pause of a 429 is waited for once, by the
// next request. A request that the run's bound refuses is not sent, and the refusal reads like
// that of a request of its own.
func TestCarry(t *testing.T) {
	t.Parallel()
	answers := []struct {
		status  int
		headers http.Header
		fails   bool
	}{
		{http.StatusServiceUnavailable, nil, true},
		{http.StatusTooManyRequests, http.Header{"Retry-After": {"30"}}, true},
		{http.StatusFound, http.Header{"Location": {"https://api.example.com/elsewhere"}}, false},
		{http.StatusOK, nil, false},
	}
	b := newBed(t, func(o *Options) {
		o.Network.Provider = providerOf(`{"discovery_interval_ms":0,"breaker":{"disabled":true}}`)
		o.Run = send.NewRunBudget(int64(len(answers)), 0)
	})
	var sent []time.Time
	carry := func() error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, api, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		return b.Carry(t.Context(), req, transport(func(*http.Request) (*http.Response, error) {
			a := answers[len(sent)]
			sent = append(sent, b.clock.Now())
			if a.headers == nil {
				a.headers = http.Header{}
			}
			return &http.Response{StatusCode: a.status, Header: a.headers, Body: io.NopCloser(strings.NewReader("")), Request: req}, nil
		}))
	}
	for i, a := range answers {
		if err := carry(); (err != nil) != a.fails || len(sent) != i+1 {
			t.Fatalf("%d: got %v and %d requests, want a failure %v and %d", a.status, err, len(sent), a.fails, i+1)
		}
	}
	if pause := sent[2].Sub(sent[1]); pause != 30*time.Second {
		t.Errorf("got %s behind the 429, want the 30 s that it named", pause)
	}
	if waited := sent[3].Sub(sent[2]); waited >= 30*time.Second || b.DoubleWaits() != 0 {
		t.Errorf("got %s until the next one, and %d requests that waited twice, want the pause once", waited, b.DoubleWaits())
	}
	err := carry()
	if stop := (*send.Stop)(nil); !errors.As(err, &stop) || len(sent) != len(answers) {
		t.Fatalf("got %v and %d requests, want a stop, and no more than %d", err, len(sent), len(answers))
	}
	got, want := b.Failure(err), b.get(api, "bearer").Error
	if got.Stop != abi.ReasonRequestCapReached || got.Stop != want.Stop || got.Code != want.Code || got.GapReason != want.GapReason {
		t.Errorf("got %+v, want what a request of its own reads: %+v", got, want)
	}
}
