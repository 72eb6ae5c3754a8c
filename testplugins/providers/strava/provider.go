package strava

import (
	"fmt"
	"maps"
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
// tokens never expire and whose limits are not counted.
type Options struct {
	Token        string           // the first access token; default "secret-access_token"
	RefreshToken string           // the first refresh token; default "secret-refresh_token"
	ClientID     string           // default "secret-client_id"
	ClientSecret string           // default "secret-client_secret"
	Athlete      int64            // whose account it is; default 134815
	Now          func() time.Time // default: always 2026-01-02 03:04:05 UTC
	Expire       bool             // access tokens are good for six hours
	Limit        bool             // the documented limits are counted, told and enforced
	Lapsed       bool             // the app's owner has no subscription, which the standard tier needs since June 2026
	Hidden       bool             // activities with a hidden start: midnight and one second (since July 2024), no place
}

// Activity is one activity.
type Activity struct {
	ID        int64
	Name      string
	Sport     string // default "Run"
	Start     time.Time
	Distance  float64 // in metres
	Kudos     int
	Overrides map[string]any // members of the rendered activity
}

// Provider is the account. It is safe for concurrent use.
type Provider struct {
	logbook.Book

	o Options

	mu         sync.Mutex
	activities []*Activity // newest first
	most       int         // rows on a page; 0: as asked
	windows    []window

	access, refresh string
	issued          time.Time
	renewals        int
	revoked         bool
}

// New returns an account without activities.
func New(o Options) *Provider {
	for _, d := range []struct {
		field *string
		value string
	}{{&o.Token, "secret-access_token"}, {&o.RefreshToken, "secret-refresh_token"}, {&o.ClientID, "secret-client_id"}, {&o.ClientSecret, "secret-client_secret"}} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if o.Athlete == 0 {
		o.Athlete = 134815
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	}
	return &Provider{o: o, access: o.Token, refresh: o.RefreshToken, issued: o.Now(), windows: []window{
		{"X-RateLimit", []quota{{200, 15 * time.Minute}, {2000, 24 * time.Hour}}, make([]used, 2)},
		{"X-ReadRateLimit", []quota{{100, 15 * time.Minute}, {1000, 24 * time.Hour}}, make([]used, 2)},
	}}
}

// Add adds activities.
func (p *Provider) Add(list ...*Activity) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.activities = append(p.activities, list...)
	slices.SortStableFunc(p.activities, func(a, b *Activity) int { return b.Start.Compare(a.Start) })
}

// Delete deletes an activity.
func (p *Provider) Delete(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.activities = slices.DeleteFunc(p.activities, func(a *Activity) bool { return a.ID == id })
}

// Change runs f while no request is answered, to change activities that were added.
func (p *Provider) Change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// PageSize bounds the rows of a page below what is asked for, as the API may; 0 does not.
func (p *Provider) PageSize(most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = most
}

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.ServeJSON(w, r, &p.mu, func(header http.Header, body []byte) (int, any) { return p.answer(header, r, body) })
}

func (p *Provider) answer(header http.Header, r *http.Request, body []byte) (int, any) {
	if r.URL.Path == "/api/v3/oauth/token" && r.Method == http.MethodPost {
		return p.token(r, body)
	}
	switch {
	case r.Header.Get("Authorization") != "Bearer "+p.access || p.o.Expire && p.o.Now().Sub(p.issued) >= lifetime:
		return refuse(http.StatusUnauthorized, "Authorization Error", "Athlete", "access_token", "invalid")
	case p.o.Lapsed:
		return refuse(http.StatusForbidden, "Forbidden: the application's owner needs an active Strava subscription.", "Application", "Status", "Inactive")
	case p.o.Limit && !p.admit(header):
		return refuse(http.StatusTooManyRequests, "Rate Limit Exceeded", "Application", "read rate limit", "exceeded")
	case r.Method != http.MethodGet:
	case r.URL.Path == "/api/v3/athlete":
		return http.StatusOK, map[string]any{"id": p.o.Athlete, "resource_state": 2, "username": "marianne", "firstname": "Marianne", "lastname": "T."}
	case r.URL.Path == "/api/v3/athlete/activities":
		return p.list(r.URL.Query())
	}
	return refuse(http.StatusNotFound, "Record Not Found", "resource", "path", "invalid")
}

// refuse makes the API's error object.
func refuse(status int, message, resource, field, code string) (int, any) {
	return status, map[string]any{"message": message, "errors": []any{map[string]any{"resource": resource, "field": field, "code": code}}}
}

// list is a page of the activities, newest first.
func (p *Provider) list(q url.Values) (int, any) {
	number := map[string]int{"page": 1, "per_page": 30, "before": 0, "after": 0}
	for name := range number {
		if text := q.Get(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return refuse(http.StatusBadRequest, "Bad Request", "Application", name, "invalid")
			}
			number[name] = n
		}
	}
	size := min(number["per_page"], 200)
	if p.most > 0 {
		size = min(size, p.most)
	}
	var rows []any
	for _, a := range p.activities {
		at := int(a.Start.Unix())
		if (number["before"] == 0 || at < number["before"]) && at > number["after"] {
			rows = append(rows, a.render(p.o.Athlete, p.o.Hidden))
		}
	}
	from := min((number["page"]-1)*size, len(rows))
	return http.StatusOK, append([]any{}, rows[from:min(from+size, len(rows))]...)
}

// day is that of a hidden start.
const day = 24 * time.Hour

func (a *Activity) render(athlete int64, hidden bool) map[string]any {
	sport := a.Sport
	if sport == "" {
		sport = "Run"
	}
	m := map[string]any{
		"resource_state": 2, "id": a.ID, "name": a.Name, "type": sport, "sport_type": sport, "athlete": map[string]any{"id": athlete, "resource_state": 1},
		"start_date": a.Start.UTC().Format(time.RFC3339), "start_date_local": a.Start.UTC().Add(time.Hour).Format(time.RFC3339),
		"timezone": "(GMT+01:00) Europe/Berlin", "utc_offset": 3600, "distance": a.Distance, "moving_time": 1800, "elapsed_time": 1900,
		"total_elevation_gain": 12.5, "average_speed": 2.8, "max_speed": 4.1, "has_heartrate": true, "average_heartrate": 141.2, "max_heartrate": 178,
		"kudos_count": a.Kudos, "comment_count": 1, "achievement_count": 0, "athlete_count": 1, "start_latlng": []any{52.5, 13.4}, "end_latlng": []any{},
		"map": map[string]any{"id": fmt.Sprint("a", a.ID), "summary_polyline": "ki{eFvqfiV", "resource_state": 2}, "private": false, "visibility": "everyone",
	}
	if hidden {
		midnight := a.Start.UTC().Truncate(day).Add(time.Second).Format(time.RFC3339)
		m["start_date"], m["start_date_local"], m["start_latlng"], m["end_latlng"] = midnight, midnight, []any{}, []any{}
	}
	maps.Copy(m, a.Overrides)
	return m
}

// lifetime is how long an access token is good.
const lifetime = 6 * time.Hour

// token renews an access token. The refresh token is replaced, and the one before is invalid.
func (p *Provider) token(r *http.Request, body []byte) (int, any) {
	form, err := url.ParseQuery(string(body))
	switch {
	case err != nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") || form.Get("grant_type") != "refresh_token":
		return refuse(http.StatusBadRequest, "Bad Request", "Application", "grant_type", "invalid")
	case form.Get("client_id") != p.o.ClientID:
		return refuse(http.StatusBadRequest, "Bad Request", "Application", "client_id", "invalid")
	case form.Get("client_secret") != p.o.ClientSecret:
		return refuse(http.StatusUnauthorized, "Authorization Error", "Application", "", "invalid")
	case form.Get("refresh_token") != p.refresh || p.revoked:
		return refuse(http.StatusBadRequest, "Bad Request", "RefreshToken", "refresh_token", "invalid")
	}
	p.renewals++
	p.access, p.refresh = fmt.Sprintf("access-%d", p.renewals), fmt.Sprintf("refresh-%d", p.renewals)
	p.issued = p.o.Now()
	return http.StatusOK, map[string]any{
		"token_type": "Bearer", "access_token": p.access, "refresh_token": p.refresh,
		"expires_at": p.issued.Add(lifetime).Unix(), "expires_in": int(lifetime / time.Second),
	}
}

// ExpireNow ends the access token, as when six hours passed in the middle of a run.
func (p *Provider) ExpireNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.access = "(expired)"
}

// Revoke withdraws the athlete's consent: no token is renewed from then on.
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
