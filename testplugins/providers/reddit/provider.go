package reddit

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/logbook"
)

// Options set up a Provider. The zero Options is an account whose clock never moves, whose
// tokens never expire and whose limit is not counted.
type Options struct {
	Token        string           // the first access token; default "secret-access_token"
	RefreshToken string           // default "secret-refresh_token"
	ClientID     string           // default "secret-client_id"
	ClientSecret string           // default "secret-client_secret"
	User         string           // whose account it is; default "me"
	Now          func() time.Time // default: always 2026-01-02 03:04:05 UTC
	Expire       bool             // access tokens are good for an hour
	Limit        int              // requests between two multiples of ten minutes; 0: not counted
	Blocked      bool             // every request is turned away with a page, as from a network or an agent that Reddit blocks
}

// Provider is the account. It is safe for concurrent use.
type Provider struct {
	logbook.Book

	o Options

	mu     sync.Mutex
	lists  map[string][]*Thing // newest first
	used   int                 // requests since
	since  time.Time
	access string
	issued time.Time

	renewals int
	revoked  bool
}

// New returns an empty account.
func New(o Options) *Provider {
	for _, d := range []struct {
		field *string
		value string
	}{
		{&o.Token, "secret-access_token"}, {&o.RefreshToken, "secret-refresh_token"}, {&o.ClientID, "secret-client_id"},
		{&o.ClientSecret, "secret-client_secret"}, {&o.User, "me"},
	} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	}
	return &Provider{o: o, lists: make(map[string][]*Thing), access: o.Token, issued: o.Now()}
}

// Put puts things on top of a list: submitted, comments, saved, upvoted, downvoted or hidden.
func (p *Provider) Put(list string, things ...*Thing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range things {
		p.lists[list] = slices.Insert(p.lists[list], 0, one)
	}
}

// Take takes a thing out of a list, by its name.
func (p *Provider) Take(list, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lists[list] = slices.DeleteFunc(p.lists[list], func(t *Thing) bool { return t.Name() == name })
}

// Change runs f while no request is answered, to change things that were put.
func (p *Provider) Change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.o.Blocked {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte("<html><head><title>Blocked</title></head><body><h1>whoa there, pardner!</h1><p>Your request has been blocked due to a network policy.</p></body></html>"))
		return
	}
	p.ServeJSON(w, r, &p.mu, func(header http.Header, body []byte) (int, any) { return p.answer(header, r, body) })
}

func (p *Provider) answer(header http.Header, r *http.Request, body []byte) (int, any) {
	if r.URL.Path == "/api/v1/access_token" && r.Method == http.MethodPost {
		return p.token(r, body)
	}
	switch {
	case r.Header.Get("Authorization") != "Bearer "+p.access || p.o.Expire && p.o.Now().Sub(p.issued) >= lifetime:
		return refuse(http.StatusUnauthorized, "Unauthorized")
	case !p.admit(header):
		return refuse(http.StatusTooManyRequests, "Too Many Requests")
	case r.Method != http.MethodGet:
		return refuse(http.StatusNotFound, "Not Found")
	case r.URL.Path == "/api/v1/me":
		return http.StatusOK, map[string]any{"id": "id" + p.o.User, "name": p.o.User, "created_utc": 1.1e9, "link_karma": 3}
	}
	user, list, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/user/"), "/")
	_, known := lists[list]
	switch {
	case !known || !strings.HasPrefix(r.URL.Path, "/user/"):
		return refuse(http.StatusNotFound, "Not Found")
	case user != p.o.User:
		return refuse(http.StatusForbidden, "Forbidden")
	}
	return p.listing(list, r.URL.Query())
}

// refuse makes the API's error object.
func refuse(status int, message string) (int, any) {
	return status, map[string]any{"message": message, "error": status}
}

// lists are the lists of a person, and whether they have comments and posts.
var lists = map[string]struct{}{"submitted": {}, "comments": {}, "saved": {}, "upvoted": {}, "downvoted": {}, "hidden": {}}

const (
	listed   = 1000 // entries of a list, the newest
	maxLimit = 100  // entries on a page
	lifetime = time.Hour
	span     = 10 * time.Minute
)

// listing is a page of a list, behind an entry.
func (p *Provider) listing(name string, q url.Values) (int, any) {
	list := p.lists[name]
	list = list[:min(len(list), listed)]
	limit, from := 25, 0
	if n, err := strconv.Atoi(q.Get("limit")); err == nil && n > 0 {
		limit = min(n, maxLimit)
	}
	if after := q.Get("after"); after != "" {
		from = slices.IndexFunc(list, func(t *Thing) bool { return t.Name() == after }) + 1
		if from == 0 { // nobody knows where that was
			from = len(list)
		}
	}
	to := min(from+limit, len(list))
	children := make([]any, 0, limit)
	for _, t := range list[from:to] {
		children = append(children, map[string]any{"kind": t.kind(), "data": t.render(q.Get("raw_json") == "1")})
	}
	var after any
	if to < len(list) {
		after = list[to-1].Name()
	}
	return http.StatusOK, map[string]any{"kind": "Listing", "data": map[string]any{
		"after": after, "before": nil, "dist": len(children), "modhash": nil, "geo_filter": "", "children": children,
	}}
}

// admit counts a request against the limit.
func (p *Provider) admit(header http.Header) bool {
	if p.o.Limit == 0 {
		return true
	}
	now := p.o.Now().UTC()
	if begin := now.Truncate(span); !p.since.Equal(begin) {
		p.since, p.used = begin, 0
	}
	p.used++
	header.Set("X-Ratelimit-Used", strconv.Itoa(p.used))
	header.Set("X-Ratelimit-Remaining", fmt.Sprintf("%d.0", max(0, p.o.Limit-p.used)))
	header.Set("X-Ratelimit-Reset", strconv.Itoa(int(p.since.Add(span).Sub(now)/time.Second)))
	return p.used <= p.o.Limit
}

// token renews an access token. The refresh token of a permanent consent stays.
func (p *Provider) token(r *http.Request, body []byte) (int, any) {
	form, err := url.ParseQuery(string(body))
	pair := base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(p.o.ClientID) + ":" + url.QueryEscape(p.o.ClientSecret)))
	switch {
	case r.Header.Get("Authorization") != "Basic "+pair:
		return refuse(http.StatusUnauthorized, "Unauthorized")
	case err != nil || form.Get("grant_type") != "refresh_token":
		return http.StatusOK, map[string]any{"error": "unsupported_grant_type"}
	case form.Get("refresh_token") != p.o.RefreshToken || p.revoked:
		return refuse(http.StatusBadRequest, "Bad Request")
	}
	p.renewals++
	p.access, p.issued = fmt.Sprintf("access-%d", p.renewals), p.o.Now()
	return http.StatusOK, map[string]any{
		"access_token": p.access, "token_type": "bearer", "expires_in": int(lifetime / time.Second), "scope": "history identity",
	}
}

// ExpireNow ends the access token, as when an hour passed in the middle of a run.
func (p *Provider) ExpireNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.access = "(expired)"
}

// Revoke withdraws the owner's consent: no token is renewed from then on.
func (p *Provider) Revoke() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked, p.access = true, "(revoked)"
}

// Renewals returns how often a token was renewed.
func (p *Provider) Renewals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.renewals
}
