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

// A request is noted with what it asked and how it was answered; what Before set
// runs in between and may use the book.
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
			t.Errorf("before request %d: %+v", n, b.Requests())
		}
		order = append(order, "before")
	})
	w := serve()
	if w.Code != http.StatusTeapot || w.Body.String() != `{"n":1}` || w.Header().Get("X-Own") != "1" || strings.Join(order, ",") != "before,answer {}" {
		t.Errorf("%d %s %v", w.Code, w.Body, order)
	}
	got := b.Requests()[0]
	if got.Method != http.MethodPost || got.URL != "https://api.example/list?page=2" || got.Path != "/list" || got.Query.Get("page") != "2" ||
		got.ETag != "tag" || got.Body != "{}" || got.Status != http.StatusTeapot {
		t.Errorf("%+v", got)
	}
	// A request that is forgotten before its answer is not there any more.
	b.Before(func(int, *http.Request) { b.Forget() })
	if serve(); len(b.Requests()) != 0 {
		t.Errorf("%+v", b.Requests())
	}
	b.Before(nil)
	if serve(); len(b.Requests()) != 1 {
		t.Errorf("%+v", b.Requests())
	}
}
