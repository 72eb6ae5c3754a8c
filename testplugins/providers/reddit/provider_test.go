package reddit_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listing is a page of a list.
type listing struct {
	Data struct {
		After    string
		Dist     int
		Children []struct {
			Kind string
			Data map[string]any
		}
	}
}

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
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+token)
	return ask(t, h, r, answer)
}

func renew(t *testing.T, h http.Handler, refresh, secret string, answer any) *httptest.ResponseRecorder {
	t.Helper()
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/access_token", strings.NewReader(form.Encode()))
	r.SetBasicAuth("secret-client_id", secret)
	return ask(t, h, r, answer)
}

// An access token lives an hour, a refresh token stays good, and consent can be taken back.
func TestTokens(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := reddit.New(reddit.Options{Expire: true, Now: func() time.Time { return clock }})
	var me struct{ ID, Name string }
	if resp := get(t, p, "/api/v1/me", "secret-access_token", &me); resp.Code != 200 || me.Name != "me" || me.ID != "idme" {
		t.Fatalf("status %d, %+v, want 200 and me", resp.Code, me)
	}
	var answer any
	clock = clock.Add(time.Hour)
	if resp := get(t, p, "/api/v1/me", "secret-access_token", &answer); resp.Code != 401 {
		t.Fatalf("after an hour: status %d, want 401", resp.Code)
	}
	if resp := renew(t, p, "secret-refresh_token", "wrong", &answer); resp.Code != 401 {
		t.Errorf("a wrong secret: status %d, want 401", resp.Code)
	}
	for range 2 {
		var token struct {
			AccessToken string `json:"access_token"`
			ExpiresIn   int    `json:"expires_in"`
		}
		renew(t, p, "secret-refresh_token", "secret-client_secret", &token)
		if resp := get(t, p, "/api/v1/me", token.AccessToken, &answer); resp.Code != 200 || token.ExpiresIn != 3600 {
			t.Fatalf("status %d, %+v, want 200 and a token for an hour", resp.Code, token)
		}
	}
	p.Revoke()
	if resp := renew(t, p, "secret-refresh_token", "secret-client_secret", &answer); resp.Code != 400 || p.Renewals() != 2 {
		t.Errorf("without consent: status %d after %d renewals, want 400 and 2", resp.Code, p.Renewals())
	}
}

// A list has a thousand entries, in pages behind the last entry; behind one that is gone there
// is nothing.
func TestListing(t *testing.T) {
	t.Parallel()
	p := reddit.New(reddit.Options{})
	for i := range 1100 {
		p.Put("saved", &reddit.Thing{ID: fmt.Sprint(i), Comment: i%2 == 1})
	}
	rows, after, pages := 0, "", 0
	for {
		var l listing
		get(t, p, "/user/me/saved?limit=100&after="+after, "secret-access_token", &l)
		if rows, pages = rows+len(l.Data.Children), pages+1; pages == 1 && (l.Data.Children[0].Kind != "t1" || l.Data.Dist != 100) {
			t.Errorf("the first page begins with %s of %d, want t1 of 100", l.Data.Children[0].Kind, l.Data.Dist)
		}
		if after = l.Data.After; after == "" {
			break
		}
	}
	if rows != 1000 || pages != 10 {
		t.Errorf("%d entries on %d pages, want 1000 on 10", rows, pages)
	}
	p.Take("saved", "t1_1001")
	for query, want := range map[string]int{"": 25, "?limit=1000": 100, "?after=t1_1001": 0, "?after=t3_1000": 25} {
		var l listing
		if get(t, p, "/user/me/saved"+query, "secret-access_token", &l); len(l.Data.Children) != want {
			t.Errorf("%s: %d entries, want %d", query, len(l.Data.Children), want)
		}
	}
	var answer any
	for path, want := range map[string]int{"/user/other/saved": 403, "/user/me/friends": 404, "/saved": 404} {
		if resp := get(t, p, path, "secret-access_token", &answer); resp.Code != want {
			t.Errorf("%s: status %d, want %d", path, resp.Code, want)
		}
	}
}

// Texts come as they are where raw_json is asked for.
func TestRawJSON(t *testing.T) {
	t.Parallel()
	p := reddit.New(reddit.Options{})
	p.Put("submitted", &reddit.Thing{ID: "a", Title: "1 < 2 & 3"})
	for query, want := range map[string]string{"": "1 &lt; 2 &amp; 3", "?raw_json=1": "1 < 2 & 3"} {
		var l listing
		get(t, p, "/user/me/submitted"+query, "secret-access_token", &l)
		if got := l.Data.Children[0].Data["title"]; got != want {
			t.Errorf("%q: title %v, want %v", query, got, want)
		}
	}
}

// Requests are counted between two multiples of ten minutes.
func TestLimit(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 8, 0, 0, time.UTC)
	p := reddit.New(reddit.Options{Limit: 2, Now: func() time.Time { return clock }})
	var answer any
	for _, want := range []string{"200 1 1.0 120", "200 2 0.0 120", "429 3 0.0 120"} {
		resp := get(t, p, "/api/v1/me", "secret-access_token", &answer)
		h := resp.Header()
		if got := fmt.Sprint(resp.Code, " ", h.Get("X-Ratelimit-Used"), " ", h.Get("X-Ratelimit-Remaining"), " ", h.Get("X-Ratelimit-Reset")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	clock = clock.Add(2 * time.Minute)
	if resp := get(t, p, "/api/v1/me", "secret-access_token", &answer); resp.Code != 200 {
		t.Errorf("ten minutes later: status %d, want 200", resp.Code)
	}
}
