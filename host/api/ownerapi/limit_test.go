package ownerapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// RD-57: a token of the owner's asks 100 times a second and no more, is told when it may again,
// and is no hindrance to another one.
func TestRateOfTheOwnersTokens(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range wire.OwnersRate {
		if a := b.asks(read, "GET", "/v1/owner/settings", ""); a.status != 200 {
			t.Fatalf("request %d: got %d %s, want 200", i+1, a.status, a.body)
		}
	}
	a := b.asks(read, "GET", "/v1/owner/settings", "")
	b.want("one more", a, 429, "rate_limit_exceeded")
	for name, want := range map[string]string{"Ratelimit-Limit": "100", "Ratelimit-Remaining": "0", "Ratelimit-Reset": "1", "Retry-After": "1"} {
		if got := a.head.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	b.want("another token", b.asks(run, "GET", "/v1/owner/settings", ""), 200, "")
}

// RD-57: 16 requests of a token run at once, and another one when one of them has ended.
func TestTheOwnersRequestsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	release, arrived, ended := make(chan struct{}), make(chan struct{}), make(chan int)
	slow := ask(http.MethodGet, "/settings", read, "", "", nil, func(*call) (*object, error) {
		arrived <- struct{}{}
		<-release
		return &object{}, nil
	})
	asks := func() int {
		w := httptest.NewRecorder()
		b.api.handle(&slow).ServeHTTP(w, b.request("GET", "/v1/owner/settings", "", "Authorization", "Bearer "+b.tokens[read]))
		return w.Code
	}
	for range wire.OwnersAtOnce {
		go func() { ended <- asks() }()
		<-arrived
	}
	if got := asks(); got != 429 {
		t.Errorf("the 17th: got %d, want 429", got)
	}
	close(release)
	for range wire.OwnersAtOnce {
		if got := <-ended; got != 200 {
			t.Errorf("one of 16: got %d, want 200", got)
		}
	}
	b.want("when they have ended", b.asks(read, "GET", "/v1/owner/settings", ""), 200, "")
}

// RD-57: thirty tokens that are none come from an address, and no more are looked for there; a
// token that was good is not shut out by them, nor one from elsewhere.
func TestTokensThatAreNoneAreBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	looked := 0
	b.api.Client = func(context.Context, string) bool { looked++; return false }
	b.want("before all guesses", b.asks(read, "GET", "/v1/owner/settings", ""), 200, "")
	guess := func(secret string, change ...func(*http.Request)) answer {
		r := b.request("GET", "/v1/owner/settings", "", "Authorization", "Bearer "+secret)
		for _, fn := range change {
			fn(r)
		}
		return b.send(r)
	}
	for i := range wire.MostGuesses {
		b.want("a guess", guess(fmt.Sprint("none", i)), 401, string(access.CodeTokenRefused))
	}
	b.want("one guess more", guess("none"), 429, "rate_limit_exceeded")
	if looked != wire.MostGuesses {
		t.Errorf("%d tokens were looked for, want %d", looked, wire.MostGuesses)
	}
	b.want("a token that was good before", b.asks(read, "GET", "/v1/owner/settings", ""), 200, "")
	b.want("a token that was not seen before", b.asks(run, "GET", "/v1/owner/settings", ""), 429, "rate_limit_exceeded")
	b.want("from elsewhere", guess(b.tokens[run], func(r *http.Request) { r.RemoteAddr = "198.51.100.9:1" }), 200, "")
}

// RD-55.1: a token that was made to read changes nothing: each route that changes something
// refuses it, and so does each that only a browser may ask.
func TestAReadOnlyTokenChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	changes := 0
	for _, rt := range b.api.table {
		if rt.method == http.MethodGet {
			continue
		}
		changes++
		if a := b.asks(read, rt.method, strings.NewReplacer("{", "", "}", "").Replace(rt.path), "{}"); a.status != 403 {
			t.Errorf("%s %s: got %d %s, want 403", rt.method, rt.path, a.status, a.body)
		}
	}
	if changes < 30 {
		t.Errorf("got %d routes that change something, want all of them", changes)
	}
}
