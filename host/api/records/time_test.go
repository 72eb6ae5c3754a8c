package records

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// stuck is a resource server whose store answers nobody until their time is over.
func stuck(entered chan<- struct{}, ended chan<- error) *Server {
	return New(Deps{
		Guard: &web.Guard{Listening: netip.MustParseAddrPort(at)}, Callers: grants{"client": {Scope: read.OwnerScope()}}, Now: time.Now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		Reader: func(ctx context.Context) (*read.Reader, error) {
			entered <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		},
	})
}

// RD-07: work on a request ends after 20 seconds, on a search and an aggregate after ten, with 503
// and when to come again, whichever face has asked.
func TestWorkEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		entered, ended := make(chan struct{}, 1), make(chan error, 1)
		s := stuck(entered, ended)
		for path, want := range map[string]time.Duration{
			records: workTime, records + "/a": workTime, records + "?changes_since=beginning": workTime, "/v1/streams": workTime, "/v1/schema": workTime, "/v1/connectors": workTime,
			"/v1/connections": workTime, "/v1/blobs/a": workTime, "/v1/search?q=a": 10 * time.Second, "/v1/streams/notes/aggregate?metric=count": 10 * time.Second,
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+path, nil)
			r.Header.Set("Authorization", "Bearer client")
			w := httptest.NewRecorder()
			began := time.Now()
			s.ServeHTTP(w, r)
			<-entered
			if err := <-ended; w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || time.Since(began) != want {
				t.Errorf("%s: got %d %s and %v after %s, want 503 with Retry-After after %s", path, w.Code, w.Body, err, time.Since(began), want)
			}
		}
		began := time.Now()
		got := s.Ask(t.Context(), &read.Caller{Scope: read.OwnerScope()}, []string{"v1", "search"}, url.Values{"q": {"a"}})
		<-entered
		if err := <-ended; got.Status != http.StatusServiceUnavailable || time.Since(began) != 10*time.Second {
			t.Errorf("another face: got %d %s and %v after %s, want 503 after ten seconds", got.Status, got.Body, err, time.Since(began))
		}
	})
}

// RD-07: a client that leaves ends what was begun for it.
func TestAClientThatLeaves(t *testing.T) {
	t.Parallel()
	entered, ended := make(chan struct{}, 1), make(chan error, 1)
	server := httptest.NewServer(stuck(entered, ended))
	t.Cleanup(server.Close)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+records, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = at
	r.Header.Set("Authorization", "Bearer client")
	go func() {
		<-entered
		leave()
	}()
	if answer, err := server.Client().Do(r); err == nil {
		_ = answer.Body.Close()
		t.Fatalf("got %d, want the client to leave without an answer", answer.StatusCode)
	}
	if err := <-ended; err != context.Canceled { //nolint:errorlint // a context's own
		t.Errorf("the work ended by %v, want %v: before its time", err, context.Canceled)
	}
}
