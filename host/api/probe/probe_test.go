package probe

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// The process is alive as long as it answers, and ready when all of its checks hold and no fault of
// the machine keeps runs from beginning, which is said first.
func TestProbes(t *testing.T) {
	t.Parallel()
	failing, fault := false, ""
	h := Handler(func() (string, []Check) { return fault, []Check{{"store", true}, {"scheduler", !failing}} }, http.NotFoundHandler())
	for _, c := range []struct {
		method, path string
		failing      bool
		status       int
		body         string
	}{
		{"GET", "/healthz", false, 200, "ok\n"},
		{"GET", "/healthz", true, 200, "ok\n"},
		{"GET", "/readyz", false, 200, "store ok\nscheduler ok\n"},
		{"HEAD", "/readyz", true, 503, "store ok\nscheduler failed\n"},
		{"GET", "/readyz", true, 503, "store ok\nscheduler failed\n"},
		{"POST", "/readyz", false, 405, "this path takes GET, HEAD\n"},
		{"GET", "/readyz/", false, 404, "404 page not found\n"},
		{"GET", "/v1/devices", false, 404, "404 page not found\n"},
	} {
		failing = c.failing
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, c.path, nil))
		if w.Code != c.status || w.Body.String() != c.body {
			t.Errorf("%s %s, failing %v: got %d %q, want %d %q", c.method, c.path, c.failing, w.Code, w.Body, c.status, c.body)
		}
		if c.status != 404 && w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got Cache-Control %q, want no-store", c.method, c.path, w.Header().Get("Cache-Control"))
		}
	}
	failing, fault = false, "disk_full"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, PathReady, nil))
	if want := "disk_full\nstore ok\nscheduler ok\n"; w.Code != http.StatusServiceUnavailable || w.Body.String() != want {
		t.Errorf("on a full disk: got %d %q, want 503 %q", w.Code, w.Body, want)
	}
}
