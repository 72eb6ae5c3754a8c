package spotify

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options set up a Provider. The zero Options is an account whose clock stands
// still, whose tokens never expire and whose limits are not enforced.
type Options struct {
	Token        string           // the first access token; default "secret-access_token"
	RefreshToken string           // the first refresh token; default "secret-refresh_token"
	ClientID     string           // default "secret-client_id"
	Now          func() time.Time // default: always 2026-01-02 03:04:05 UTC
	Expire       bool             // access tokens are good for an hour
	Limit        int              // requests in any 30 seconds, above which 429 is answered; 0: no limit
	Modern       bool             // the field names since February 2026
}

// Faults are ways in which paging misbehaves. They hold until changed.
type Faults struct {
	RepeatNext bool   // next is the page itself
	NextHost   string // next leads to this origin
	PageSize   int    // at most so many items a page; 0: as asked
	NullItem   bool   // the first item of each page is null
}

// Request is one request as it arrived.
type Request struct {
	Method, Path string
	Query        url.Values
	Status       int
}

// Provider is the account. It is safe for concurrent use.
type Provider struct {
	o Options

	mu        sync.Mutex
	playlists []*Playlist
	saved     []*Track // newest first
	top       map[string][]*Artist
	plays     []*Play // newest first
	faults    Faults
	before    func(n int, r *http.Request)
	requests  []Request
	recent    []time.Time // of admitted requests

	access, refresh string
	issued          time.Time
	renewals        int
	revoked         bool
}

// New returns an empty account.
func New(o Options) *Provider {
	for _, d := range []struct {
		field *string
		value string
	}{{&o.Token, "secret-access_token"}, {&o.RefreshToken, "secret-refresh_token"}, {&o.ClientID, "secret-client_id"}} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	}
	return &Provider{o: o, top: make(map[string][]*Artist), access: o.Token, refresh: o.RefreshToken, issued: o.Now()}
}

// Misbehave sets the faults.
func (p *Provider) Misbehave(f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
}

// Before sets a function that is called before each request is answered, with
// its number from 1. It may change the library.
func (p *Provider) Before(f func(n int, r *http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = f
}

// Requests returns the requests so far.
func (p *Provider) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Forget empties the list of requests.
func (p *Provider) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = nil
}

// maxBody bounds what is read of a request.
const maxBody = 1 << 20

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	p.mu.Lock()
	n, before := len(p.requests)+1, p.before
	p.requests = append(p.requests, Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query()})
	p.mu.Unlock()
	if before != nil {
		before(n, r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	status, answer := p.answer(w.Header(), r, body)
	if n <= len(p.requests) {
		p.requests[n-1].Status = status
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // a mistake of the test: a value that is no JSON
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func (p *Provider) answer(header http.Header, r *http.Request, body []byte) (int, any) {
	if r.URL.Path == "/api/token" && r.Method == http.MethodPost {
		return p.token(r, body)
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/v1")
	switch {
	case r.Header.Get("Authorization") != "Bearer "+p.access:
		return refuse(http.StatusUnauthorized, "Invalid access token")
	case p.expired():
		return refuse(http.StatusUnauthorized, "The access token expired")
	case !p.admit(header):
		return refuse(http.StatusTooManyRequests, "API rate limit exceeded")
	case !ok || r.Method != http.MethodGet:
		return refuse(http.StatusNotFound, "Service not found")
	}
	switch path {
	case "/me/playlists":
		return p.page(r, len(p.playlists), func(i int) any { return p.playlists[i].render(p.o.Modern) })
	case "/me/tracks":
		return p.page(r, len(p.saved), func(i int) any { return p.saved[i].saved(p.o.Modern) })
	case "/me/top/artists":
		term := r.URL.Query().Get("time_range")
		if term != "short_term" && term != "medium_term" && term != "long_term" {
			return refuse(http.StatusBadRequest, "Invalid time range")
		}
		list := p.top[term]
		return p.page(r, len(list), func(i int) any { return list[i].render(p.o.Modern) })
	case "/me/player/recently-played":
		return p.recentlyPlayed(r)
	}
	return refuse(http.StatusNotFound, "Service not found")
}

// refuse makes the Web API's error object.
func refuse(status int, message string) (int, any) {
	return status, map[string]any{"error": map[string]any{"status": status, "message": message}}
}

// window is the span over which Spotify counts requests.
const window = 30 * time.Second

// admit counts a request against the limit.
func (p *Provider) admit(header http.Header) bool {
	if p.o.Limit == 0 {
		return true
	}
	now := p.o.Now()
	p.recent = slices.DeleteFunc(p.recent, func(t time.Time) bool { return now.Sub(t) >= window })
	if len(p.recent) >= p.o.Limit {
		wait := p.recent[0].Add(window).Sub(now)
		header.Set("Retry-After", fmt.Sprint(int64((wait+time.Second-1)/time.Second)))
		return false
	}
	p.recent = append(p.recent, now)
	return true
}
