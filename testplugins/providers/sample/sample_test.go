package sample_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/jellyfin"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asked is a request of each provider that shows its data.
var asked = map[string]struct{ method, path, body, header, value string }{
	"github":   {"GET", "/user/repos", "", "X-Github-Api-Version", "2026-03-10"},
	"jellyfin": {"GET", "/Items?ParentId=films&userId=" + jellyfin.UserID("ana"), "", "Authorization", `MediaBrowser Token="simulated-jellyfin-token"`},
	"notion":   {"POST", "/v1/search", `{"filter":{"property":"object","value":"page"},"sort":{"direction":"descending","timestamp":"last_edited_time"}}`, "Notion-Version", "2025-09-03"},
	"reddit":   {"GET", "/user/me/submitted", "", "", ""},
	"spotify":  {"GET", "/v1/me/tracks", "", "", ""},
	"strava":   {"GET", "/api/v3/athlete/activities", "", "", ""},
	"ynab":     {"GET", "/v1/budgets/00000001-0000-4000-8000-b00000000000/transactions", "", "", ""},
}

func answer(t *testing.T, name string, o sample.Options) (status int, body string) {
	t.Helper()
	o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	s, err := sample.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	q := asked[name]
	r := httptest.NewRequestWithContext(t.Context(), q.method, q.path, strings.NewReader(q.body))
	r.Header.Set("Authorization", "Bearer "+s.Token)
	if q.header != "" {
		r.Header.Set(q.header, q.value)
	}
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// The same seed makes the same data, another one other data, a larger size more.
func TestSeedAndSize(t *testing.T) {
	t.Parallel()
	if len(asked) != len(sample.Names()) {
		t.Fatal("a provider has no sample request")
	}
	for _, name := range sample.Names() {
		status, one := answer(t, name, sample.Options{Seed: 1, Size: 5})
		_, same := answer(t, name, sample.Options{Seed: 1, Size: 5})
		_, other := answer(t, name, sample.Options{Seed: 2, Size: 5})
		_, larger := answer(t, name, sample.Options{Seed: 1, Size: 9})
		if status != http.StatusOK || one != same || one == other || len(larger) < len(one)*5/4 {
			t.Errorf("%s: status %d, same %v, other %v, %d and %d bytes, want 200, true, true and a quarter more\n%s", name, status, one == same, one != other, len(one), len(larger), one)
		}
	}
	if _, err := sample.New("nobody", sample.Options{}); err == nil {
		t.Error("New made a provider with an unknown name")
	}
}
