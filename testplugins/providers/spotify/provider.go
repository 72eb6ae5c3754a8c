package spotify

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/logbook"
)

// Options set up a Provider. The zero Options is an account whose clock never moves,
// whose tokens never expire and whose limits are not enforced.
type Options struct {
	Token        string           // the first access token; default "secret-access_token"
	RefreshToken string           // the first refresh token; default "secret-refresh_token"
	ClientID     string           // default "secret-client_id"
	User         string           // whose account it is; default "me"
	Now          func() time.Time // default: always 2026-01-02 03:04:05 UTC
	Expire       bool             // access tokens are good for an hour
	Limit        int              // requests in any 30 seconds, above which 429 is answered; 0: no limit
	Modern       bool             // the field names since February 2026
	Lapsed       bool             // the app's owner has no Premium, which apps in development mode need since February 2026
	Withdrawn    string           // a path that is not there any more, as Spotify has withdrawn some in November 2024 and February 2026
}

// Faults are ways in which paging misbehaves. They last until changed.
type Faults struct {
	RepeatNext bool   // next is the page itself
	NextHost   string // next leads to this origin
	PageSize   int    // at most so many items a page; 0: as asked
	NullItem   bool   // the first item of each page is null
}

// Provider is the account. It is safe for concurrent use.
type Provider struct {
	logbook.Book

	o Options

	mu        sync.Mutex
	playlists []*Playlist
	saved     []*Track // newest first
	top       map[string][]*Artist
	plays     []*Play // newest first
	faults    Faults
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
	}{{&o.Token, "secret-access_token"}, {&o.RefreshToken, "secret-refresh_token"}, {&o.ClientID, "secret-client_id"}, {&o.User, "me"}} {
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

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.ServeJSON(w, r, &p.mu, func(header http.Header, body []byte) (int, any) { return p.answer(header, r, body) })
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
	case p.o.Lapsed:
		return refuse(http.StatusForbidden, "Active premium subscription required for the owner of the app.")
	case path == p.o.Withdrawn && ok:
		return refuse(http.StatusNotFound, "Service not found")
	case !ok || r.Method != http.MethodGet:
		return refuse(http.StatusNotFound, "Service not found")
	}
	switch path {
	case "/me":
		return http.StatusOK, map[string]any{"id": p.o.User, "type": "user", "uri": "spotify:user:" + p.o.User, "display_name": p.o.User}
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
