package collector

import (
	"context"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// How often the host's state is asked for, and how long a pause in between may be.
// A host that is busy for a moment must not cost a whole run.
const (
	stateAttempts = 4
	shortPause    = 2 * time.Second
	longestPause  = 30 * time.Second
)

// askAgain asks for the state, again where the host says itself that it cannot answer
// now, or gave no answer in time.
func (c *Collector) askAgain(ctx context.Context, ask func() (*device.State, error)) (*device.State, error) {
	for n := 1; ; n++ {
		state, err := ask()
		f, ok := failureOf(err)
		if !ok || n == stateAttempts || f.Class != ClassTransient || !f.answered && f.Word != wordTooMany {
			return state, err
		}
		pause := max(f.RetryAt.Sub(c.deps.Now()), time.Duration(n)*shortPause)
		if pause > longestPause || !sleep(ctx, pause) {
			return state, err
		}
	}
}

// wordTooMany is the word of a host that wants fewer requests.
const wordTooMany = "http_429"

// unrouted reports whether the other end has no such route: its framework said so,
// and not the host, which signs what it refuses.
func unrouted(err error) bool {
	f, ok := failureOf(err)
	return ok && f.Code == "" && f.status == http.StatusNotFound
}
