package metrics

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bounds are those of the buckets of latencies, in seconds.
var bounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10}

// unending are the types of answers that are not timed.
var unending = []string{"text/event-stream", "application/vnd.pdpp.frames"}

// Timed answers with next, and counts how long that took, by the pattern of the route. A
// pattern is this program's own text. A stream of events or pictures is not timed: it ends when
// its client likes.
func (m *Metrics) Timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now() // elapsed time, not the wall clock
		a := &answer{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			m.requests.GetOrCreateCounter(nameRequests + `{code="` + strconv.Itoa(min(max(a.status/100, 1), 5)) + `xx"}`).Inc()
			if slices.ContainsFunc(unending, func(kind string) bool { return strings.HasPrefix(w.Header().Get("Content-Type"), kind) }) {
				return
			}
			route := r.Pattern
			if route == "" {
				route = "none"
			}
			m.latencies.GetOrCreatePrometheusHistogramExt(nameLatency+"{route="+strconv.Quote(route)+"}", bounds).Update(time.Since(began).Seconds())
		}()
		next.ServeHTTP(a, r)
	})
}

// answer keeps the status of an answer.
type answer struct {
	http.ResponseWriter

	status int
	begun  bool
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if !a.begun && status >= http.StatusOK {
		a.status, a.begun = status, true
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap returns what http.ResponseController works on.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
