package probe

import (
	"net/http"
	"strings"
)

// The paths of the probes.
const (
	PathAlive = "/healthz"
	PathReady = "/readyz"
)

// Check is one thing that a server needs for its work.
type Check struct {
	Name string // a word
	OK   bool
}

// Handler answers the probes, and leaves every other path to next. PathAlive is 200 as long
// as the process answers. PathReady is 200 when all of ready's checks hold, else 503, and
// has a line for each check: "store ok", "scheduler failed". Above them stands the name of the fault
// of the machine for which no run begins, as in "disk_full", where there is one. ready is quick, and
// safe for concurrent use. Anybody who reaches the address may ask, so an answer has these words and
// nothing else.
func Handler(ready func() (fault string, checks []Check), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, text := http.StatusOK, "ok\n"
		if r.URL.Path == PathAlive || r.URL.Path == PathReady {
			r.Pattern = r.URL.Path // for who measures
		}
		switch r.URL.Path {
		case PathAlive:
		case PathReady:
			status, text = report(ready())
		default:
			next.ServeHTTP(w, r)
			return
		}
		head := w.Header()
		head.Set("Content-Type", "text/plain; charset=utf-8")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-store")
		head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			head.Set("Allow", "GET, HEAD")
			status, text = http.StatusMethodNotAllowed, "this path takes GET, HEAD\n"
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text)) // the client may be gone
	})
}

func report(fault string, checks []Check) (status int, text string) {
	status = http.StatusOK
	var b strings.Builder
	if fault != "" {
		status = http.StatusServiceUnavailable
		b.WriteString(fault + "\n")
	}
	for _, c := range checks {
		word := " ok\n"
		if !c.OK {
			status, word = http.StatusServiceUnavailable, " failed\n"
		}
		b.WriteString(c.Name + word)
	}
	return status, b.String()
}
