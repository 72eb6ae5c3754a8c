package spotify_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ask(t *testing.T, h http.Handler, r *http.Request) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return w, answer
}

func get(t *testing.T, h http.Handler, path, token string) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+token)
	return ask(t, h, r)
}

func renew(t *testing.T, h http.Handler, refresh string) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {"secret-client_id"}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/token", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return ask(t, h, r)
}

// An access token lives an hour, a refresh token is good once, and consent can
// be taken back.
func TestTokens(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := spotify.New(spotify.Options{Expire: true, Now: func() time.Time { return clock }})
	if resp, _ := get(t, p, "/v1/me/tracks", "secret-access_token"); resp.Code != 200 {
		t.Fatalf("%v, want 200", resp.Code)
	}
	clock = clock.Add(time.Hour)
	if resp, _ := get(t, p, "/v1/me/tracks", "secret-access_token"); resp.Code != 401 {
		t.Fatalf("%v, want 401", resp.Code)
	}
	_, answer := renew(t, p, "secret-refresh_token")
	token, refresh := answer["access_token"].(string), answer["refresh_token"].(string)
	if resp, _ := get(t, p, "/v1/me/tracks", token); resp.Code != 200 || answer["expires_in"] != 3600.0 || refresh == "secret-refresh_token" {
		t.Fatalf("status %d, %v, want 200, an hour's token and a new refresh token", resp.Code, answer)
	}
	if resp, answer := renew(t, p, "secret-refresh_token"); resp.Code != 400 || answer["error"] != "invalid_grant" {
		t.Errorf("%d %v, want resp.Code = 400 and answer[\"error\"] = invalid_grant", resp.Code, answer)
	}
	p.Revoke()
	if resp, answer := renew(t, p, refresh); resp.Code != 400 || answer["error"] != "invalid_grant" || p.Renewals() != 1 {
		t.Errorf("%d %v, want resp.Code = 400, answer[\"error\"] = invalid_grant and p.Renewals() = 1", resp.Code, answer)
	}
}

// The answer names the account.
func TestMe(t *testing.T) {
	t.Parallel()
	for user, want := range map[string]string{"": "me", "someone": "someone"} {
		resp, answer := get(t, spotify.New(spotify.Options{User: user}), "/v1/me", "secret-access_token")
		if resp.Code != http.StatusOK || answer["id"] != want {
			t.Errorf("%q: %d %v, want resp.Code = %d and answer[\"id\"] = %v", user, resp.Code, answer, http.StatusOK, want)
		}
	}
	if resp, _ := get(t, spotify.New(spotify.Options{}), "/v1/me", "other"); resp.Code != http.StatusUnauthorized {
		t.Errorf("%v, want %v", resp.Code, http.StatusUnauthorized)
	}
}

// Paging is by offset; next leads to where the simulation is asked.
func TestPaging(t *testing.T) {
	t.Parallel()
	p := spotify.New(spotify.Options{})
	for range 60 {
		p.Save(&spotify.Track{ID: "t"})
	}
	_, answer := get(t, p, "http://127.0.0.1:99/v1/me/tracks?limit=50", "secret-access_token")
	if answer["next"] != "http://127.0.0.1:99/v1/me/tracks?limit=50&offset=50" || answer["total"] != 60.0 || len(answer["items"].([]any)) != 50 {
		t.Errorf("%v, want answer[\"next\"] = http://127.0.0.1:99/v1/me/tracks?limit=50&offset=50, answer[\"total\"] = 60.0 and len(answer[\"items\"].([]any)) = 50", answer["next"])
	}
	if resp, _ := get(t, p, "/v1/me/tracks?limit=51", "secret-access_token"); resp.Code != 400 {
		t.Errorf("%v, want 400", resp.Code)
	}
}

// Fifty plays are kept, and after leaves out the time that it names.
func TestPlays(t *testing.T) {
	t.Parallel()
	p := spotify.New(spotify.Options{})
	for i := range 70 {
		p.Play(&spotify.Play{Track: &spotify.Track{ID: "t"}, At: time.UnixMilli(int64(1000 + i))})
	}
	for path, want := range map[string]int{"": 50, "&after=1019": 50, "&after=1060": 9, "&before=1025": 5, "&before=1020": 0} {
		_, answer := get(t, p, "/v1/me/player/recently-played?limit=50"+path, "secret-access_token")
		if n := len(answer["items"].([]any)); n != want {
			t.Errorf("%s: %d plays, want %d", path, n, want)
		}
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := spotify.New(spotify.Options{Limit: 3, Now: func() time.Time { return clock }})
	for range 3 {
		get(t, p, "/v1/me/tracks", "secret-access_token")
		clock = clock.Add(time.Second)
	}
	resp, _ := get(t, p, "/v1/me/tracks", "secret-access_token")
	if resp.Code != http.StatusTooManyRequests || resp.Header().Get("Retry-After") != "27" {
		t.Fatalf("status %d, %v, want 429 with Retry-After 27", resp.Code, resp.Header())
	}
	clock = clock.Add(27 * time.Second)
	if resp, _ := get(t, p, "/v1/me/tracks", "secret-access_token"); resp.Code != 200 {
		t.Errorf("%v, want 200", resp.Code)
	}
}
