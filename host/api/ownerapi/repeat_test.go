package ownerapi

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// OC-09.1: a request that comes again within a day makes nothing, another one with its key is
// refused, one that failed may come again, and no secret is kept.
func TestARequestMakesOneThing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	post := func(key, path, body string) answer {
		t.Helper()
		return b.asks(manage, "POST", path, body, "Idempotency-Key", key)
	}
	const start = "/v1/owner/connections/mine/run"
	first, again := post("a", start, `{}`), post("a", start, `{}`)
	if first.status != 202 || again.status != 202 || again.body != first.body || again.head.Get("Idempotent-Replayed") != "true" || len(b.runs.asked) != 1 {
		t.Errorf("got %v, then %v and the runs %q, want one run and the same answer", first, again, b.runs.asked)
	}
	b.want("another body", post("a", start, `{"mode":"full_refresh"}`), 409, "request.key_reused")
	b.runs.fails = errOfRuns
	b.want("a failure", post("b", start, `{}`), 409, "run_already_active")
	b.runs.fails = nil
	b.want("it may come again", post("b", start, `{}`), 202, "")
	const token = `{"name":"x","scope":"read"}`
	b.want("a token", post("c", "/v1/owner/tokens", token), 201, "")
	b.want("its secret is shown once", post("c", "/v1/owner/tokens", token), 409, "request.shown_once")
	b.clock.forward(24 * time.Hour)
	b.want("a day later", post("a", start, `{}`), 202, "")
	if len(b.runs.asked) != 4 {
		t.Errorf("got the runs %q, want another one a day later", b.runs.asked)
	}
}

// OC-09.1: a program that goes away before its run has begun gets that run's answer when it
// comes again, and a second run neither then nor where nobody knows whether one has begun.
func TestWhoeverGoesAwayMakesOneThing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const start = "/v1/owner/connections/mine/run"
	ctx, goAway := context.WithCancel(b.Context())
	b.runs.meanwhile = goAway
	r := b.request("POST", start, `{}`, "Authorization", "Bearer "+b.tokens[manage], "Idempotency-Key", "a")
	b.api.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
	b.runs.meanwhile = nil
	again := b.asks(manage, "POST", start, `{}`, "Idempotency-Key", "a")
	if again.status != 202 || again.head.Get("Idempotent-Replayed") != "true" || len(b.runs.asked) != 1 {
		t.Errorf("got %v and the runs %q, want the answer of the one run", again, b.runs.asked)
	}
	b.runs.fails = context.DeadlineExceeded
	b.want("a run that does not begin in time", b.asks(manage, "POST", start, `{}`, "Idempotency-Key", "b"), 503, "store_busy")
	b.runs.fails = nil
	b.want("it comes again", b.asks(manage, "POST", start, `{}`, "Idempotency-Key", "b"), 409, "request.unanswered")
	if len(b.runs.asked) != 2 {
		t.Errorf("got the runs %q, want no third one", b.runs.asked)
	}
}

// OC-09.3: an edit of what is another one by now is refused, and loses nothing.
func TestAStaleEditLosesNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, tt := range []struct{ read, method, path, first, second, kept string }{
		{"/v1/owner/connections/mine", "PATCH", "/v1/owner/connections/mine", `{"options":{"manner":"a"}}`, `{"unset":["manner"]}`, `"options":["manner"]`},
		{"/v1/owner/connections/mine/schedule", "PUT", "/v1/owner/connections/mine/schedule", `{"mode":"manual"}`, `{"mode":"recommended"}`, `"by":"owner"`},
	} {
		tag := b.asks(read, "GET", tt.read, "").head.Get("ETag")
		first := b.asks(manage, tt.method, tt.path, tt.first, "If-Match", tag)
		b.want("the first edit", first, 200, "")
		b.want("the second one", b.asks(manage, tt.method, tt.path, tt.second, "If-Match", tag), 412, "connection.edited")
		if now := b.asks(read, "GET", tt.read, ""); !strings.Contains(now.body, tt.kept) {
			t.Errorf("%s: got %s, want the first edit kept", tt.path, now.body)
		}
		b.want("a list of tags", b.asks(manage, tt.method, tt.path, tt.second, "If-Match", tag+`, "x"`), 412, "connection.edited")
		b.want("the edit repeated", b.asks(manage, tt.method, tt.path, tt.second, "If-Match", first.head.Get("ETag")), 200, "")
	}
}

// OC-09: lists go on behind the row that was the last one, also when it is gone.
func TestListsStayRight(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := b.asks(manage, "GET", "/v1/owner/tokens?limit=1", "")
	cursor := strings.Trim(first.member("next_cursor"), `"`)
	_, id, _ := strings.Cut(first.body, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	b.want("a row goes", b.asks(manage, "DELETE", "/v1/owner/tokens/"+id, "", "X", "y"), 200, "")
	rest := b.asks(manage, "GET", "/v1/owner/tokens?cursor="+cursor, "")
	if n := strings.Count(rest.body, `"id":`); b.tokens[manage] != "" && rest.status == 200 && n != 2 {
		t.Errorf("got %d tokens behind the first, want 2: %s", n, rest.body)
	}
}

// OC-10, OC-15: what is committed is told to those who watch, and to one who comes back.
func TestEventsAreTold(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := httptest.NewUnstartedServer(b.api)
	s.Start()
	defer s.Close()
	watch := func(after string) (lines func(prefix string) string, stop func()) {
		ctx, cancel := context.WithTimeout(b.Context(), 2*time.Minute)
		r := b.request("GET", "/v1/owner/events", "", "Authorization", "Bearer "+b.tokens[read])
		r = r.WithContext(ctx)
		r.RequestURI, r.URL.Host, r.Host = "", strings.TrimPrefix(s.URL, "http://"), at
		if after != "" {
			r.Header.Set("Last-Event-ID", after)
		}
		res, err := http.DefaultClient.Do(r) //nolint:bodyclose // the server ends it
		b.ok(err)
		in := bufio.NewScanner(res.Body)
		return func(prefix string) string {
			t.Helper()
			for in.Scan() {
				if rest, ok := strings.CutPrefix(in.Text(), prefix); ok {
					return rest
				}
			}
			t.Fatalf("got the end of the stream, want a line with %q", prefix)
			return ""
		}, func() { cancel(); _ = res.Body.Close() }
	}
	line, stop := watch("")
	mark := line("id: ")
	b.want("a change", b.asks(manage, "PUT", "/v1/owner/connections/mine/schedule", `{"mode":"manual"}`), 200, "")
	line("event: connection-")
	if data := line("data: "); !strings.Contains(data, `"connection":"mine"`) {
		t.Errorf("got %s, want it of the connection mine", data)
	}
	stop()
	line, stop = watch(mark)
	line("event: connection-")
	stop()
	line, stop = watch("999999-1")
	if got := line("event: "); got != "reset" {
		t.Errorf("got %q behind a mark that there is not, want reset", got)
	}
	stop()
	http.DefaultClient.CloseIdleConnections()
}
