package logbook_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/logbook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A request is noted with its content and answer; the function that Before set runs in
// between and may use the book.
func TestServeJSON(t *testing.T) {
	t.Parallel()
	var b logbook.Book
	var mu sync.Mutex
	var order []string
	serve := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.example/list?page=2", strings.NewReader("{}"))
		r.Header.Set("If-None-Match", "tag")
		b.ServeJSON(w, r, &mu, func(h http.Header, body []byte) (int, any) {
			order = append(order, "answer "+string(body))
			h.Set("X-Own", "1")
			return http.StatusTeapot, map[string]int{"n": 1}
		})
		return w
	}
	b.Before(func(n int, _ *http.Request) {
		if n != 1 || len(b.Requests()) != 1 || b.Requests()[0].Status != 0 {
			t.Errorf("before request %d: %+v, want n = 1, len(b.Requests()) = 1 and b.Requests()[0].Status = 0", n, b.Requests())
		}
		order = append(order, "before")
	})
	w := serve()
	if w.Code != http.StatusTeapot || w.Body.String() != `{"n":1}` || w.Header().Get("X-Own") != "1" || strings.Join(order, ",") != "before,answer {}" {
		t.Errorf("%d %s %v, want Code = %d, Body.String() = %s, Header().Get(\"X-Own\") = 1 and order = before,answer {}", w.Code, w.Body, order, http.StatusTeapot, `{"n":1}`)
	}
	got := b.Requests()[0]
	if got.Method != http.MethodPost || got.URL != "https://api.example/list?page=2" || got.Path != "/list" || got.Query.Get("page") != "2" ||
		got.ETag != "tag" || got.Body != "{}" || got.Status != http.StatusTeapot {
		t.Errorf("%+v, want Method = %v, URL = https://api.example/list?page=2, Path = /list, Query.Get(\"page\") = 2, ETag = tag, Body = {} and Status = %v", got, http.MethodPost, http.StatusTeapot)
	}
	// A request that is forgotten before its answer is no longer in the book.
	b.Before(func(int, *http.Request) { b.Forget() })
	if serve(); len(b.Requests()) != 0 {
		t.Errorf("%+v, want len(b.Requests()) = 0", b.Requests())
	}
	b.Before(nil)
	if serve(); len(b.Requests()) != 1 {
		t.Errorf("%+v, want len(b.Requests()) = 1", b.Requests())
	}
}
