package send_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/send"
)

// limited is a provider that refuses its second request and asks for five seconds.
type limited struct{ requests int }

func (l *limited) RoundTrip(*http.Request) (*http.Response, error) {
	l.requests++
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}
	if l.requests == 2 {
		answer.StatusCode = http.StatusTooManyRequests
		answer.Header.Set("Retry-After", "5")
	}
	return answer, nil
}

// A governor needs a provider's name, a way to send, and a clock. It waits before each
// request, and sends a refused one again when the provider said that it may.
func ExampleGovernor() {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := send.NewVirtualClock(start) // outside of tests: send.SystemClock{}
	governor, err := send.New(send.Profile{Name: "example"}, send.Deps{
		Transport: &limited{}, Clock: clock, Random: func() float64 { return 0.5 },
	})
	if err != nil {
		panic(err)
	}
	for range 2 {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://api.example.org/notes", http.NoBody)
		if err != nil {
			panic(err)
		}
		answer, err := governor.Do(req.Context(), req)
		if err != nil {
			panic(err) // a *send.Stop says why nothing more is sent, and until when
		}
		fmt.Println(answer.Status, "after", answer.Attempts, "attempts, at", clock.Now().Sub(start))
	}
	// Output:
	// 200 after 1 attempts, at 1s
	// 200 after 2 attempts, at 6.775s
}
