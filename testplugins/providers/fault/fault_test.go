package fault_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var provider = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Own", "1")
	_, _ = io.WriteString(w, `{"name":"value"}`)
})

// answered is an answer.
type answered struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, h http.Handler, path string) answered {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return answered{rec.Code, rec.Header(), rec.Body.String()}
}

func TestRules(t *testing.T) {
	t.Parallel()
	i := fault.New(provider, fault.Env{})
	i.Add(fault.Rule{Match: fault.Path("/a"), After: 1, Times: 2, Fault: fault.Throttle("7")})
	var got []int
	for _, path := range []string{"/a", "/b", "/a", "/a", "/a"} {
		got = append(got, ask(t, i, path).status)
	}
	for n, want := range []int{200, 200, 429, 429, 200} {
		if got[n] != want {
			t.Errorf("request %d: %d, want %d", n, got[n], want)
		}
	}
	if i.Fired() != 2 {
		t.Errorf("fired %d times, want 2", i.Fired())
	}
	i.Add(fault.Rule{Times: -1, Fault: fault.Status(503, "")})
	for range 3 {
		if ask(t, i, "/").status != 503 {
			t.Error("a rule without an end ended")
		}
	}
	i.Clear()
	if ask(t, i, "/").status != 200 {
		t.Error("a rule outlived Clear")
	}
}

// The same seed spoils the same requests.
func TestChance(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) (pattern string) {
		i := fault.New(provider, fault.Env{Rand: rand.New(rand.NewPCG(seed, 0))})
		i.Add(fault.Rule{Times: -1, Chance: 0.5, Fault: fault.Throttle("")})
		for range 64 {
			if ask(t, i, "/").status == 429 {
				pattern += "x"
			} else {
				pattern += "."
			}
		}
		return pattern
	}
	if a, b := run(1), run(1); a != b {
		t.Errorf("two runs with one seed differ:\n%s\n%s", a, b)
	}
	if run(1) == run(2) {
		t.Error("the seed changes nothing")
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	one := func(f fault.Fault) answered {
		i := fault.New(provider, fault.Env{})
		i.Add(fault.Rule{Fault: f})
		return ask(t, i, "/")
	}
	if r := one(fault.Throttle("7")); r.status != 429 || r.header.Get("Retry-After") != "7" {
		t.Errorf("status %d, %v, want 429 with Retry-After 7", r.status, r.header)
	}
	if r := one(fault.Throttle("")); r.status != 429 || r.header.Get("Retry-After") != "" {
		t.Errorf("status %d, %v, want 429 without Retry-After", r.status, r.header)
	}
	if r := one(fault.Exhausted(5000, time.Unix(1234, 0))); r.status != 403 || r.header.Get("X-Ratelimit-Remaining") != "0" ||
		r.header.Get("X-Ratelimit-Reset") != "1234" {
		t.Errorf("status %d, %v, want 403 with an empty quota until 1234", r.status, r.header)
	}
	if r := one(fault.BrokenJSON()); r.body != `{"name":` {
		t.Error("the JSON is not broken")
	}
	if r := one(fault.Replace(`"value"`, "5")); r.body != `{"name":5}` {
		t.Error("the body did not change")
	}
	if r := one(fault.ContentType("text/html")); r.header.Get("Content-Type") != "text/html" || r.body != `{"name":"value"}` {
		t.Errorf("%v, want header.Get(\"Content-Type\") = text/html and body = %s", r.header, `{"name":"value"}`)
	}
	if r := one(fault.Header("X-Own", "", "X-More", "2")); r.header.Get("X-Own") != "" || r.header.Get("X-More") != "2" {
		t.Errorf("%v, want header.Get(\"X-Own\") = \"\" and header.Get(\"X-More\") = 2", r.header)
	}
	if r := one(fault.Truncated()); r.header.Get("Content-Length") != "16" || r.body != `{"name":` {
		t.Errorf("%v, want header.Get(\"Content-Length\") = 16 and body = %s", r.header, `{"name":`)
	}
}

func TestSlowWaitsOnTheGivenClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := fault.New(provider, fault.Env{Sleep: func(ctx context.Context, d time.Duration) {
			select {
			case <-ctx.Done():
			case <-time.After(d):
			}
		}})
		i.Add(fault.Rule{Fault: fault.Slow(time.Minute)})
		began := time.Now()
		if r := ask(t, i, "/"); r.body != `{"name":"value"}` || time.Since(began) != time.Minute {
			t.Errorf("%v, want body = %s and time.Since(began) = %v", time.Since(began), `{"name":"value"}`, time.Minute)
		}
	})
}

// Over a real connection a client sees a short answer and a cut as errors.
func TestOverAConnection(t *testing.T) {
	t.Parallel()
	i := fault.New(provider, fault.Env{})
	server := httptest.NewServer(i)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func() error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = r.Body.Close() }()
		_, err = io.ReadAll(r.Body)
		return err
	}
	i.Add(fault.Rule{Fault: fault.Truncated()})
	if err := get(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("short answer: %v, want %v", err, io.ErrUnexpectedEOF)
	}
	i.Add(fault.Rule{Times: -1, Fault: fault.Reset()})
	if err := get(); !errors.Is(err, io.EOF) {
		t.Errorf("cut connection: %v, want %v", err, io.EOF)
	}
}
