package device

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// LC-01.2, LC-04.2, LC-06: whatever happens to a request or its answer, a repeated
// request is not applied twice, and nothing is committed before its records. The way
// itself checks the end of every run against its batches.
func TestTheWayFails(t *testing.T) {
	t.Parallel()
	ways := map[string]func(http.ResponseWriter, *hop){
		"the answer is lost":    lose,
		"the answer is torn":    tear,
		"the connection is cut": cut,
		"500":                   refuse(500, "internal_error", ""),
		"503 with Retry-After":  refuse(503, "device_ingest_retryable", "1"),
		"503, a while":          refuse(503, "device_ingest_retryable", "3600"),
		"502 of a stranger":     func(w http.ResponseWriter, _ *hop) { http.Error(w, "<html>bad gateway", http.StatusBadGateway) },
		"200 of a stranger":     func(w http.ResponseWriter, _ *hop) { fmt.Fprint(w, "<html>sign in to the hotel") },
		"a redirect of a stranger": func(w http.ResponseWriter, h *hop) {
			http.Redirect(w, h.r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		},
		"a late answer":             delay(300 * time.Millisecond),
		"429":                       refuse(429, "too_many_attempts", "2"),
		"200 that acknowledges nil": func(w http.ResponseWriter, _ *hop) { fmt.Fprint(w, "{}") },
	}
	kinds := []string{ingest, commit, readState, manifest, heartbeat, putState}
	// A batch meets them all; of other requests these are the ones that differ.
	few := map[string]bool{"the answer is lost": true, "the connection is cut": true, "500": true, "503, a while": true, "200 of a stranger": true}
	short := map[string]bool{"the answer is lost": true, "500": true}
	// Each kind of request has a separate machine and meets every trouble once.
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if kind != ingest && kind != commit {
				long(t)
			}
			s, m := newHost(t), newMachine(t)
			fill(t, m.folder, 8, 60_000)
			w := newWay(t, s)
			l := m.enroll(w.server.URL, s.invite())
			l.runs(done)
			seed := uint64(100)
			for what, do := range ways {
				if testing.Short() && !short[what] || kind != ingest && !few[what] {
					continue
				}
				seed++
				grow(t, m.folder, seed, 90_000)
				if kind == manifest { // it is put once, by each that enrols
					l = m.enroll(w.server.URL, s.invite())
				}
				w.clearAccount()
				w.addTrouble(trouble{kind: kind, do: do})
				first := l.runs(either)
				met := len(w.account(kind)) > 0
				w.clears()
				if !met {
					t.Errorf("%s: the way met no %s", what, kind)
				}
				if first.status == 4 && (first.problem == nil || first.problem.Hint == "") {
					t.Errorf("%s: the output has no advice\n%s", what, first.text)
				}
				last := l.drains(4)
				if last.Outcome != "complete" {
					t.Errorf("%s: %+v, want last.Outcome = complete", what, last)
				}
				if t.Failed() {
					t.Fatalf("%s: %s\n%s", kind, what, first.text)
				}
			}
			s.holds(l, found(t, m.folder))
			s.onceEach(l)
			if got := s.sql("SELECT count(*) FROM runs WHERE status = 'running'"); got[0] != "0" {
				t.Errorf("%s runs never ended, want 0", got[0])
			}
			s.healthy(s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0])
			intact(t, s.file())
			intact(t, l.file())
		})
	}
}
