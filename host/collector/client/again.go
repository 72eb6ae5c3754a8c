package client

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

// AskAgain asks for the state, again where the host says itself that it cannot answer
// now, or gave no answer in time.
func (c *Client) AskAgain(ctx context.Context, ask func() (*device.State, error)) (*device.State, error) {
	for n := 1; ; n++ {
		state, err := ask()
		f, ok := FailureOf(err)
		if !ok || n == stateAttempts || f.Class != ClassTransient || !f.Answered && f.Word != wordTooMany {
			return state, err
		}
		pause := max(f.RetryAt.Sub(c.now()), time.Duration(n)*shortPause)
		if pause > longestPause || !Sleep(ctx, pause) {
			return state, err
		}
	}
}

// wordTooMany is the word of a host that wants fewer requests.
const wordTooMany = "http_429"

// Unrouted reports whether the other end has no such route: its framework said so,
// and not the host, which signs what it refuses.
func Unrouted(err error) bool {
	f, ok := FailureOf(err)
	return ok && f.Code == "" && f.status == http.StatusNotFound
}

// Sleep reports whether ctx did not end meanwhile.
func Sleep(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
