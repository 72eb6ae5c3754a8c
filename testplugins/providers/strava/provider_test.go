package strava_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/strava"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ask(t *testing.T, h http.Handler, r *http.Request, answer any) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), answer); err != nil {
		t.Fatal(err)
	}
	return w
}

func get(t *testing.T, h http.Handler, path, token string, answer any) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v3"+path, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+token)
	return ask(t, h, r, answer)
}

func renew(t *testing.T, h http.Handler, refresh, secret string, answer any) *httptest.ResponseRecorder {
	t.Helper()
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {"secret-client_id"}, "client_secret": {secret}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v3/oauth/token", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return ask(t, h, r, answer)
}

// An access token lives six hours, a refresh token is replaced, and consent can be taken back.
func TestTokens(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := strava.New(strava.Options{Expire: true, Now: func() time.Time { return clock }})
	var answer any
	for _, c := range []struct{ pass, status int }{{0, 200}, {6, 401}} {
		clock = clock.Add(time.Duration(c.pass) * time.Hour)
		if resp := get(t, p, "/athlete", "secret-access_token", &answer); resp.Code != c.status {
			t.Fatalf("after %d hours: status %d, want %d", c.pass, resp.Code, c.status)
		}
	}
	var token struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
		ExpiresIn    int    `json:"expires_in"`
	}
	if resp := renew(t, p, "secret-refresh_token", "wrong", &answer); resp.Code != 401 {
		t.Errorf("a wrong secret: status %d, want 401", resp.Code)
	}
	renew(t, p, "secret-refresh_token", "secret-client_secret", &token)
	if resp := get(t, p, "/athlete", token.AccessToken, &answer); resp.Code != 200 || token.ExpiresIn != 21600 {
		t.Fatalf("status %d, %+v, want 200 and a token for six hours", resp.Code, token)
	}
	if resp := renew(t, p, "secret-refresh_token", "secret-client_secret", &answer); resp.Code != 400 {
		t.Errorf("the refresh token again: status %d, want 400", resp.Code)
	}
	p.Revoke()
	if resp := renew(t, p, token.RefreshToken, "secret-client_secret", &answer); resp.Code != 400 || p.Renewals() != 1 {
		t.Errorf("without consent: status %d after %d renewals, want 400 and 1", resp.Code, p.Renewals())
	}
}

// Activities are listed newest first, in numbered pages that may be short, between times.
func TestPages(t *testing.T) {
	t.Parallel()
	p := strava.New(strava.Options{})
	for i := range 70 {
		p.Add(&strava.Activity{ID: int64(i), Start: time.Unix(int64(1000+i), 0)})
	}
	list := func(query string) (ids []int64) {
		var rows []struct{ ID int64 }
		get(t, p, "/athlete/activities"+query, "secret-access_token", &rows)
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		return ids
	}
	for query, want := range map[string]struct {
		n     int
		first int64
	}{"": {30, 69}, "?page=3": {10, 9}, "?page=4": {}, "?per_page=50&page=2": {20, 19}, "?before=1010": {10, 9}, "?after=1065": {4, 69}} {
		if got := list(query); len(got) != want.n || want.n > 0 && got[0] != want.first {
			t.Errorf("%s: %v, want %d from %d on", query, got, want.n, want.first)
		}
	}
	p.PageSize(49)
	if a, b := list("?per_page=50"), list("?per_page=50&page=2"); len(a) != 49 || len(b) != 21 || b[0] != a[48]-1 {
		t.Errorf("short pages: %v and %v, want 49 and 21 without a hole", a, b)
	}
	p.Delete(69)
	if got := list(""); got[0] != 68 {
		t.Errorf("after a deletion: %v, want 68 first", got)
	}
	var answer any
	for path, want := range map[string]int{"/athlete/activities?page=0": 400, "/athlete/koms": 404} {
		if resp := get(t, p, path, "secret-access_token", &answer); resp.Code != want {
			t.Errorf("%s: status %d, want %d", path, resp.Code, want)
		}
	}
}

// A hundred reads fit between two quarters of an hour, a thousand into a day (UTC). A
// request that is refused counts as well.
func TestLimits(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 14, 0, 0, time.UTC)
	p := strava.New(strava.Options{Limit: true, Now: func() time.Time { return clock }})
	var answer any
	asked := func() *httptest.ResponseRecorder { return get(t, p, "/athlete", "secret-access_token", &answer) }
	for range 100 {
		asked()
	}
	resp := asked()
	if got := resp.Header().Get("X-Readratelimit-Limit") + " " + resp.Header().Get("X-Readratelimit-Usage"); resp.Code != 429 || got != "100,1000 101,101" {
		t.Fatalf("request 101: status %d, %q, want 429 and 100,1000 101,101", resp.Code, got)
	}
	clock = clock.Add(time.Minute)
	if resp := asked(); resp.Code != 200 || resp.Header().Get("X-Ratelimit-Usage") != "1,102" {
		t.Errorf("in the next quarter: status %d, %q, want 200 and 1,102", resp.Code, resp.Header().Get("X-Ratelimit-Usage"))
	}
	for range 899 {
		asked()
	}
	clock = clock.Add(15 * time.Minute)
	if resp := asked(); resp.Code != 429 {
		t.Errorf("request 1002 of the day: status %d, want 429", resp.Code)
	}
	clock = clock.Add(24 * time.Hour)
	if resp := asked(); resp.Code != 200 {
		t.Errorf("on the next day: status %d, want 200", resp.Code)
	}
}
