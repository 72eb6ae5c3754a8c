package notion_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const query = `{"page_size":2,"filter":{"property":"object","value":"page"},"sort":{"direction":"descending","timestamp":"last_edited_time"}`

// ask sends one request; header is name, value, name, value.
func ask(t *testing.T, h http.Handler, method, path, body string, header ...string) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer secret-token")
	r.Header.Set("Notion-Version", notion.Version)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return w, answer
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p := notion.New(notion.Options{})
	id := p.AddPage("a", nil)
	for code, c := range map[string]struct {
		method, path, body string
		header             []string
	}{
		"unauthorized":        {"POST", "/v1/search", query + "}", []string{"Authorization", "Bearer other"}},
		"missing_version":     {"POST", "/v1/search", query + "}", []string{"Notion-Version", "2020-01-01"}},
		"invalid_json":        {"POST", "/v1/search", "{", nil},
		"validation_error":    {"POST", "/v1/search", strings.Replace(query, "2", "101", 1) + "}", nil},
		"object_not_found":    {"GET", "/v1/data_sources/" + id, "", nil}, // a page is no database
		"invalid_request_url": {"GET", "/v1/users", "", nil},
	} {
		if resp, answer := ask(t, p, c.method, c.path, c.body, c.header...); answer["code"] != code || answer["object"] != "error" || resp.Code < 400 {
			t.Errorf("%s: status %d, %v, want an error object with this code", code, resp.Code, answer)
		}
	}
}

// The answer names the token's bot, and its workspace when it is known.
func TestMe(t *testing.T) {
	t.Parallel()
	for workspace, want := range map[string]any{"": nil, "w": "w"} {
		resp, answer := ask(t, notion.New(notion.Options{Bot: "b", Workspace: workspace}), "GET", "/v1/users/me", "")
		bot, _ := answer["bot"].(map[string]any)
		if resp.Code != http.StatusOK || answer["id"] != "b" || answer["type"] != "bot" || bot["workspace_id"] != want {
			t.Errorf("%q: %d %v, want resp.Code = %d, answer[\"id\"] = b, answer[\"type\"] = bot and bot[\"workspace_id\"] = %v", workspace, resp.Code, answer, http.StatusOK, want)
		}
	}
	if resp, _ := ask(t, notion.New(notion.Options{}), "GET", "/v1/users/me", "", "Authorization", "Bearer other"); resp.Code != http.StatusUnauthorized {
		t.Errorf("%v, want %v", resp.Code, http.StatusUnauthorized)
	}
}

// A cursor continues behind the listed objects, though the workspace changed.
func TestCursor(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := notion.New(notion.Options{Now: func() time.Time { return clock }})
	var ids []string
	for range 4 {
		ids = append(ids, p.AddPage("p", nil))
		clock = clock.Add(time.Minute)
	}
	_, first := ask(t, p, "POST", "/v1/search", query+"}")
	p.Trash(ids[3])
	p.Edit(ids[1], "moved to the top")
	_, second := ask(t, p, "POST", "/v1/search", query+`,"start_cursor":"`+first["next_cursor"].(string)+`"}`)
	list := second["results"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["id"] != ids[0] || second["has_more"] != false {
		t.Errorf("%v, want len(list) = 1, list[0].(map[string]any)[\"id\"] = ids[0] and second[\"has_more\"] = false", second)
	}
}

// Three requests a second on average: a refusal names the time to wait, and
// after it the next request is answered.
func TestLimit(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := notion.New(notion.Options{Limit: true, Now: func() time.Time { return clock }})
	served := 0
	for range 60 * 10 {
		resp, _ := ask(t, p, "POST", "/v1/search", query+"}")
		if resp.Code == http.StatusOK {
			served++
		} else if resp.Header().Get("Retry-After") != "1" {
			t.Fatalf("%v, want resp.Header().Get(\"Retry-After\") = 1", resp.Header())
		}
		clock = clock.Add(100 * time.Millisecond)
	}
	if served < 180 || served > 192 {
		t.Errorf("%d requests in a minute, want served at least 180 and served at most 192", served)
	}
}
