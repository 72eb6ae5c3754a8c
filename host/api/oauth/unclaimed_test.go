package oauth

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// OC-03.1: nothing here is answered before the host has an owner, who is the one to ask.
func TestNothingIsAnsweredBeforeTheClaim(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.ownerless.Store(true)
	for _, rt := range Routes() {
		r := httptest.NewRequestWithContext(t.Context(), rt.Method, origin+strings.NewReplacer("{grant}", "grt_1").Replace(rt.Path), strings.NewReader("{}"))
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if rt.Path == "/" {
			b.face.Index(http.NotFoundHandler()).ServeHTTP(w, r)
		} else {
			b.face.ServeHTTP(w, r)
		}
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "temporarily_unavailable") || w.Header().Get("Retry-After") != "60" {
			t.Errorf("%s %s: got %d %v %s, want 503", rt.Method, rt.Path, w.Code, w.Header(), w.Body)
		}
	}
	clients, err := b.store.Clients(t.Context())
	b.ok(err)
	if len(clients) != 0 {
		t.Errorf("got %+v, want no client to be known", clients)
	}
}
