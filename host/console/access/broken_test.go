package access_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// A page that panics is answered with the page of an error, and the log says where it was,
// and nothing of the panic's text, which may hold anything (Invariant 5). One that had begun
// its answer is cut off.
func TestAPageThatPanics(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var log strings.Builder
	s := &site.Site{Guard: b.guard, Now: time.Now, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+local+"/", nil)
	w := httptest.NewRecorder()
	s.Anybody(func(*site.Visit) error { panic(errors.New("hunter2")) }).ServeHTTP(w, r)
	if body := w.Body.String(); w.Code != http.StatusInternalServerError || !strings.Contains(body, words.Broken) || strings.Contains(body, "hunter2") {
		t.Errorf("got %d %s, want 500 and the page of an error", w.Code, body)
	}
	if got := log.String(); !strings.Contains(got, "TestAPageThatPanics") || strings.Contains(got, "hunter2") {
		t.Errorf("the log is %s, want where it was and no text of the panic", got)
	}
	for name, page := range map[string]func(*site.Visit) error{
		"begun": func(v *site.Visit) error {
			v.W.Header().Set("Content-Type", "text/csv")
			_, _ = v.W.Write([]byte("a,b"))
			panic("hunter2")
		},
		"aborted": func(*site.Visit) error { panic(http.ErrAbortHandler) },
	} {
		func() {
			defer func() {
				if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
					t.Errorf("%s: got the panic %v, want that the answer is cut off", name, p)
				}
			}()
			w := httptest.NewRecorder()
			s.Anybody(page).ServeHTTP(w, r)
			t.Errorf("%s: got an answer %d, want that it is cut off", name, w.Code)
		}()
	}
}
