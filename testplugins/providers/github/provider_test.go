package github_test

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

	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func provider(o github.Options, pulls int) *github.Provider {
	if o.Now == nil {
		o.Now = func() time.Time { return start }
	}
	d := github.Data{User: github.User{ID: 1, Login: "me"}}
	for i := range pulls {
		at := start.Add(-time.Duration(i) * time.Hour)
		d.Pulls = append(d.Pulls, github.Pull{Issue: github.Issue{
			ID: int64(i + 1), Number: int64(i + 1), Repo: github.Repo{ID: 9, FullName: "me/r"}, Pull: true, CreatedAt: at, UpdatedAt: at,
		}})
		d.Stars = append(d.Stars, github.Star{Repo: github.Repo{ID: int64(i + 1), FullName: fmt.Sprint("o/", i)}, StarredAt: at})
	}
	return github.New(o, d)
}

// answered is an answer.
type answered struct {
	status int
	header http.Header
}

func get(t *testing.T, p http.Handler, path string, header ...string) (answered, []byte) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.github.com"+path, nil)
	r.Header.Set("X-Github-Api-Version", github.Version)
	r.Header.Set("Authorization", "Bearer t")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return answered{w.Code, w.Header()}, w.Body.Bytes()
}

func TestAuthorization(t *testing.T) {
	t.Parallel()
	p := provider(github.Options{Token: "t"}, 0)
	if r, _ := get(t, p, "/user", "Authorization", "Bearer x"); r.status != http.StatusUnauthorized {
		t.Errorf("%v, want %v", r.status, http.StatusUnauthorized)
	}
	if r, _ := get(t, p, "/user", "X-Github-Api-Version", "2021-01-01"); r.status != http.StatusBadRequest {
		t.Errorf("%v, want %v", r.status, http.StatusBadRequest)
	}
	p.ExpireToken(1)
	if r, _ := get(t, p, "/user"); r.status != http.StatusOK {
		t.Errorf("%v, want %v", r.status, http.StatusOK)
	}
	if r, _ := get(t, p, "/user"); r.status != http.StatusUnauthorized {
		t.Errorf("%v, want %v", r.status, http.StatusUnauthorized)
	}
	p.RenewToken()
	if r, _ := get(t, p, "/user"); r.status != http.StatusOK {
		t.Errorf("%v, want %v", r.status, http.StatusOK)
	}
}

func TestPagesAreLinked(t *testing.T) {
	t.Parallel()
	p := provider(github.Options{}, 5)
	r, body := get(t, p, "/user/starred?per_page=2&sort=created", "Accept", "application/vnd.github.star+json")
	var rows []struct {
		StarredAt time.Time `json:"starred_at"`
		Repo      struct {
			ID int `json:"id"`
		} `json:"repo"`
	}
	if err := json.Unmarshal(body, &rows); err != nil || len(rows) != 2 || rows[0].Repo.ID != 1 || rows[0].StarredAt != start {
		t.Errorf("%v: %+v, want len(rows) = 2, rows[0].Repo.ID = 1 and rows[0].StarredAt = %v", err, rows, start)
	}
	if link := r.header.Get("Link"); !strings.Contains(link, `<https://api.github.com/user/starred?page=2&per_page=2&sort=created>; rel="next"`) ||
		!strings.Contains(link, `page=3`) {
		t.Errorf("%v, want %s in link and page=3 in link", link, `<https://api.github.com/user/starred?page=2&per_page=2&sort=created>; rel="next"`)
	}
	if r, _ := get(t, p, "/user/starred?per_page=2&page=3"); strings.Contains(r.header.Get("Link"), "next") {
		t.Error("a page after the last")
	}
	p.LoopNext("/user/starred")
	if r, _ := get(t, p, "/user/starred?per_page=2&page=2"); !strings.Contains(r.header.Get("Link"), `page=2&per_page=2>; rel="next"`) {
		t.Errorf("%v, want %s in it", r.header.Get("Link"), `page=2&per_page=2>; rel="next"`)
	}
}

func TestConditionalRequestsCostNothing(t *testing.T) {
	t.Parallel()
	p := provider(github.Options{}, 3)
	r, _ := get(t, p, "/user/starred")
	left := r.header.Get("X-Ratelimit-Remaining")
	etag := r.header.Get("ETag")
	if r, body := get(t, p, "/user/starred", "If-None-Match", etag); r.status != http.StatusNotModified || len(body) > 0 {
		t.Errorf("%v, want status = %v and len(body) = 0", r.status, http.StatusNotModified)
	}
	p.Edit(func(d *github.Data) { d.Stars[0].Description = "x" })
	r, _ = get(t, p, "/user/starred", "If-None-Match", etag)
	if r.status != http.StatusOK || left != "4999" || r.header.Get("X-Ratelimit-Remaining") != "4998" {
		t.Errorf("status %d, %s left and then %s, want 4999 and 4998", r.status, left, r.header.Get("X-Ratelimit-Remaining"))
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	now := start
	p := provider(github.Options{Enforce: true, Now: func() time.Time { return now }}, 1)
	path := "/search/issues?q=" + url.QueryEscape("is:pr author:me")
	for range 30 {
		if r, _ := get(t, p, path); r.status != http.StatusOK {
			t.Fatalf("%v, want %v", r.status, http.StatusOK)
		}
	}
	r, _ := get(t, p, path)
	if r.status != http.StatusForbidden || r.header.Get("X-Ratelimit-Remaining") != "0" || r.header.Get("X-Ratelimit-Resource") != "search" {
		t.Errorf("status %d, %v, want 403 and the search quota used up", r.status, r.header)
	}
	if r, _ := get(t, p, "/user"); r.status != http.StatusOK {
		t.Error("the search limit also stops other requests")
	}
	now = now.Add(time.Minute)
	if r, _ := get(t, p, path); r.status != http.StatusOK {
		t.Errorf("%v, want %v", r.status, http.StatusOK)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	p := provider(github.Options{}, 10)
	count := func(q string) (total, items int, incomplete bool) {
		_, body := get(t, p, "/search/issues?sort=updated&order=desc&per_page=100&q="+url.QueryEscape(q))
		var v struct {
			Total      int   `json:"total_count"`
			Incomplete bool  `json:"incomplete_results"`
			Items      []any `json:"items"`
		}
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		return v.Total, len(v.Items), v.Incomplete
	}
	at := func(hours int) string { return start.Add(time.Duration(-hours) * time.Hour).Format(time.RFC3339) }
	for q, want := range map[string]int{
		"is:pr author:me":                                        10,
		"type:pr author:me updated:>=" + at(3):                   4,
		"is:pr author:me updated:" + at(5) + ".." + at(3):        3,
		"is:pr author:me created:<=" + at(9):                     1,
		"is:pr author:me updated:2026-01-02":                     4,
		"is:pr author:me created:2026-01-01..2026-01-02":         10,
		"is:pr author:me updated:>2026-01-01 updated:<=" + at(2): 8,
	} {
		if total, items, _ := count(q); total != want || items != want {
			t.Errorf("%s: %d of %d, want %d", q, items, total, want)
		}
	}
	p.TimeOutSearches(1)
	if total, items, incomplete := count("is:pr author:me"); total != 10 || items != 5 || !incomplete {
		t.Errorf("total %v, %v items, incomplete %v, want 10, 5 and true", total, items, incomplete)
	}
	if _, items, incomplete := count("is:pr author:me"); items != 10 || incomplete {
		t.Errorf("%v items, incomplete %v, want 10 and false", items, incomplete)
	}
	for _, q := range []string{"author:me", "is:pr author:you", "is:pr author:me color:red"} {
		if r, _ := get(t, p, "/search/issues?q="+url.QueryEscape(q)); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d, want %d", q, r.status, http.StatusUnprocessableEntity)
		}
	}
}

func TestRequestsAreKept(t *testing.T) {
	t.Parallel()
	p := provider(github.Options{}, 1)
	calls := 0
	p.Before(func(n int, _ *http.Request) { calls += n })
	get(t, p, "/user", "If-None-Match", "x")
	get(t, p, "/nothing")
	log := p.Requests()
	if len(log) != 2 || calls != 3 || log[0].ETag != "x" || log[0].Status != 200 || log[1].Status != 404 {
		t.Errorf("%+v, %d, want len(log) = 2, calls = 3, log[0].ETag = x, log[0].Status = 200 and log[1].Status = 404", log, calls)
	}
	p.Forget()
	if len(p.Requests()) != 0 {
		t.Error("requests stay after Forget")
	}
}
