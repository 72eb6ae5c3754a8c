package github

import (
	"net/http"
	"strconv"
	"time"
)

// window is a documented limit: so many requests until the reset.
type window struct {
	limit int
	per   time.Duration
	used  int
	reset time.Time
}

// take counts one request and reports whether it is within the limit.
func (w *window) take(now time.Time) bool {
	if !now.Before(w.reset) {
		w.used, w.reset = 0, now.Add(w.per)
	}
	if w.used >= w.limit {
		return false
	}
	w.used++
	return true
}

// refund takes a request back: a 304 costs nothing.
func (w *window) refund() { w.used-- }

func (w *window) writeHeaders(h http.Header, resource string) {
	h.Set("X-Ratelimit-Limit", strconv.Itoa(w.limit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(w.limit-w.used))
	h.Set("X-Ratelimit-Used", strconv.Itoa(w.used))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(w.reset.Unix(), 10))
	h.Set("X-Ratelimit-Resource", resource)
}
