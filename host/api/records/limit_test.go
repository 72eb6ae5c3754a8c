package records

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
)

// looks counts how often a token is looked for.
type looks struct {
	read.Callers

	n int
}

func (l *looks) Caller(ctx context.Context, token string) (*read.Caller, error) {
	l.n++
	return l.Callers.Caller(ctx, token)
}

// RD-57: a token asks so often and no more, what it is refused has no effect on others, and
// after a rest it asks again.
func TestRateOfATokens(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	now := time.Unix(1, 0)
	b.server.Now = func() time.Time { return now }
	for token, burst := range map[string]int{"client": burstOfClient, b.owner: wire.OwnersRate} {
		for i := range burst {
			if a := b.get(token, "/v1/streams"); a.status != http.StatusOK {
				t.Fatalf("request %d of %d: got %d %s, want a success", i+1, burst, a.status, a.body)
			}
		}
		a := b.get(token, "/v1/streams")
		if a.status != http.StatusTooManyRequests || a.Error.Code != "rate_limit_exceeded" || a.head.Get("Retry-After") != "1" || a.head.Get("Ratelimit-Remaining") != "0" {
			t.Errorf("request %d: got %d %s %v, want 429 and when to come again", burst+1, a.status, a.body, a.head)
		}
	}
	now = now.Add(time.Second)
	if a := b.get("client", "/v1/streams"); a.status != http.StatusOK {
		t.Errorf("a second later: got %d %s, want a success", a.status, a.body)
	}
}

// RD-57: thirty tokens that are none come from an address in a minute, and no more are looked
// for, from others still.
func TestFailedTokensAreBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	now := time.Unix(1, 0)
	counted := &looks{Callers: b.server.Callers}
	b.server.Now, b.server.Callers = func() time.Time { return now }, counted
	if a := b.get(b.owner, "/v1/streams"); a.status != http.StatusOK {
		t.Errorf("before all guesses: got %d, want a success", a.status)
	}
	counted.n = 0
	for i := range wire.MostGuesses + 3 {
		want := http.StatusUnauthorized
		if i >= wire.MostGuesses {
			want = http.StatusTooManyRequests
		}
		if a := b.get(fmt.Sprint("none", i), "/v1/streams"); a.status != want {
			t.Errorf("token %d: got %d, want %d", i+1, a.status, want)
		}
	}
	if counted.n != wire.MostGuesses {
		t.Errorf("%d tokens were looked for, want %d", counted.n, wire.MostGuesses)
	}
	if a := b.get(b.owner, "/v1/streams"); a.status != http.StatusOK {
		t.Errorf("a token that was good before: got %d, want a success, whoever guesses beside it", a.status)
	}
	if a := b.get("client", "/v1/streams"); a.status != http.StatusTooManyRequests {
		t.Errorf("a token that was not seen before: got %d, want it to wait", a.status)
	}
	if a := b.get("client", "/v1/streams", func(r *http.Request) { r.RemoteAddr = "198.51.100.7:1" }); a.status != http.StatusOK {
		t.Errorf("from another address: got %d, want a success", a.status)
	}
	now = now.Add(time.Minute)
	if a := b.get("client", "/v1/streams"); a.status != http.StatusOK {
		t.Errorf("a minute later: got %d, want a success", a.status)
	}
}

// RD-57: an app whose grant was revoked or whose token is too old asks on and on, and shuts out
// nobody of its address but itself.
func TestAKnownTokenShutsOutNoOther(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.server.Now = func() time.Time { return time.Unix(1, 0) }
	b.server.Knows = func(_ context.Context, token string) bool { return token == "old" }
	for token, want := range map[string]int{"revoked": http.StatusForbidden, "old": http.StatusUnauthorized} {
		for i := range burstOfClient + 1 {
			if i == burstOfClient {
				want = http.StatusTooManyRequests
			}
			if a := b.get(token, "/v1/streams"); a.status != want {
				t.Fatalf("request %d with the token %s: got %d, want %d", i+1, token, a.status, want)
			}
		}
	}
	for _, token := range []string{"client", b.owner} {
		if a := b.get(token, "/v1/streams"); a.status != http.StatusOK {
			t.Errorf("another token of the address: got %d, want %d", a.status, http.StatusOK)
		}
	}
}

// RD-57: four requests of a token run at once, and 32 of all; one that finds no turn waits two
// seconds for it.
func TestRequestsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		known, release := grants{}, make(chan struct{})
		const tokens = mostInAll/mostOfClient + 1
		for i := range tokens {
			known[fmt.Sprint(i)] = &read.Caller{Scope: &read.Scope{}}
		}
		s := New(Deps{
			Guard: &web.Guard{Listening: netip.MustParseAddrPort(at)}, Callers: known, Now: time.Now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
			Reader: func(context.Context) (*read.Reader, error) {
				<-release
				return nil, errors.New("none")
			},
		})
		ask := func(token int) int {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/v1/streams", nil)
			r.Header.Set("Authorization", fmt.Sprint("Bearer ", token))
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w.Code
		}
		var running sync.WaitGroup
		for i := range mostInAll {
			running.Go(func() { ask(i / mostOfClient) })
		}
		synctest.Wait()
		if got := ask(0); got != http.StatusTooManyRequests {
			t.Errorf("the fifth of a token: got %d, want 429", got)
		}
		began := time.Now()
		if got := ask(tokens - 1); got != http.StatusServiceUnavailable || time.Since(began) != waitInAll {
			t.Errorf("the 33rd of all: got %d after %s, want 503 after %s", got, time.Since(began), waitInAll)
		}
		close(release)
		running.Wait()
		if got := ask(0); got != http.StatusInternalServerError {
			t.Errorf("when they have ended: got %d, want it to reach the reader", got)
		}
		if len(s.limits.all) != 0 {
			t.Errorf("%d requests run when all have ended, want none", len(s.limits.all))
		}
	})
}

// RD-57: searches and aggregates of a grant have a limit of their own, which its other reads
// and the owner's do not share.
func TestCostlyReadsAreFewer(t *testing.T) {
	t.Parallel()
	b := filled(t)
	b.server.Now = func() time.Time { return time.Unix(1000, 0) }
	for i := range burstOfCostly + 1 {
		path := []string{"/v1/search?q=a", "/v1/streams/notes/aggregate?metric=count"}[i%2]
		want := http.StatusOK
		if i == burstOfCostly {
			want = http.StatusTooManyRequests
		}
		if a := b.get("client", path); a.status != want {
			t.Errorf("request %d: got %d %s, want %d", i, a.status, a.body, want)
		}
		if a := b.get(b.owner, path); a.status != http.StatusOK {
			t.Errorf("request %d of the owner: got %d, want %d", i, a.status, http.StatusOK)
		}
	}
	if a := b.get("client", "/v1/streams"); a.status != http.StatusOK {
		t.Errorf("got %d %s for streams, want %d", a.status, a.body, http.StatusOK)
	}
}

// RD-57: what another process read under a grant counts as well, within a minute, so that as
// many processes as a model's host starts read no more than one.
func TestOtherProcessesCount(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	now, had, asked := time.Unix(100_000, 0), int64(0), 0
	since := now.Add(-time.Hour)
	b.server.Now = func() time.Time { return now }
	b.server.Spent = func(_ context.Context, grant string, from time.Time) (int64, error) {
		if asked++; grant != "g" || !from.Equal(since) {
			t.Errorf("got the grant %s since %s, want g since %s", grant, from, since)
		}
		since = now
		return had, nil
	}
	caller, err := b.server.Callers.Caller(t.Context(), "client")
	b.ok(err)
	caller.Bytes = 10_000
	reads := func(name string, want, looks int) {
		t.Helper()
		if a := b.get("client", "/v1/streams"); a.status != want || asked != looks {
			t.Errorf("%s: got %d and %d looks, want %d and %d", name, a.status, asked, want, looks)
		}
	}
	reads("at first, an hour back", http.StatusOK, 1)
	had = 12_000
	reads("within the minute", http.StatusOK, 1)
	now = now.Add(learnedAgain)
	reads("after it", http.StatusTooManyRequests, 2)
	had = 0
	now = now.Add(30 * time.Minute)
	reads("half an hour later", http.StatusOK, 3)
}

// learnedAgain is how often a process learns what others read.
const learnedAgain = time.Minute

// RD-57: while as many readers as there are turns stop in the middle of their answers, a run stores
// what it collects: it waits for none of them.
func TestReadersHoldUpNoRun(t *testing.T) {
	t.Parallel()
	b := filled(t)
	client, err := b.server.Callers.Caller(t.Context(), "client")
	b.ok(err)
	known := grants{}
	for i := range mostInAll / mostOfClient {
		one := *client
		one.Grant = fmt.Sprint(i)
		known[one.Grant] = &one
	}
	paths := []string{"/v1/streams/notes/records", b.keep("one", "large", "title", "text/plain", strings.Repeat("x", 2*storage.BlobPartBytes))}
	b.server.Callers = known
	stopped, released := make(chan int, mostInAll), make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	var readers sync.WaitGroup
	defer func() { release(); readers.Wait() }()
	for i := range mostInAll {
		readers.Go(func() {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+paths[i%len(paths)], nil)
			r.Header.Set("Authorization", fmt.Sprint("Bearer ", i/mostOfClient))
			w := httptest.NewRecorder()
			b.server.ServeHTTP(&cutting{ResponseWriter: w, cut: func() { stopped <- w.Code; <-released }}, r)
		})
	}
	for range mostInAll {
		if got := <-stopped; got != http.StatusOK {
			t.Errorf("a reader that stops: got %d, want %d", got, http.StatusOK)
		}
	}
	late := time.AfterFunc(2*time.Minute, release) // so that a run that waits for them ends
	for i := range 10 {
		b.put("one", "notes", fmt.Sprint("meanwhile", i), `{"id":"x"}`)
	}
	if !late.Stop() {
		t.Error("the runs ended behind the readers, want them to wait for none")
	}
	if got, err := b.store.Streams(t.Context(), "one"); err != nil || got[0].Live < 10 {
		t.Errorf("got %+v, %v, want what the runs collected", got, err)
	}
}

// RD-57: the tests of limits go by these figures, which are those that were agreed on.
func TestFiguresOfLimits(t *testing.T) {
	t.Parallel()
	got := []float64{rateOfClient, burstOfClient, mostOfClient, wire.OwnersRate, wire.OwnersAtOnce, rateOfCostly, burstOfCostly, wire.MostGuesses, mostInAll, waitInAll.Seconds()}
	if want := []float64{20, 60, 4, 100, 16, 5, 15, 30, 32, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
