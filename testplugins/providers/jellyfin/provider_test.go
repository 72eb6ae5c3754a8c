package jellyfin

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnswers(t *testing.T) {
	t.Parallel()
	p := New(Options{Users: []string{"ana", "ben"}})
	p.AddLibrary(&Library{ID: "films", Name: "Films", Kind: "movies"})
	for _, id := range []string{"1", "2", "3"} {
		p.Add(&Item{ID: id, Name: "Film " + id, Library: "films"})
	}
	p.Add(&Item{ID: "9", Name: "Evening", Type: "Playlist"})
	ana := UserID("ana")
	for name, c := range map[string]struct {
		path, header, value string
		status, rows, total int
	}{
		"no key":           {"/Items?userId=" + ana, "", "", 401, 0, 0},
		"a wrong key":      {"/Items?userId=" + ana, "X-Emby-Token", "x", 401, 0, 0},
		"MediaBrowser":     {"/Items?userId=" + ana + "&parentId=films", "Authorization", `MediaBrowser Client="x", Token="secret%2Dapi_key"`, 200, 3, 3},
		"bearer":           {"/Items?userId=" + ana, "Authorization", "Bearer secret-api_key", 401, 0, 0},
		"libraries":        {"/UserViews?userid=" + ana, "X-Emby-Token", "secret-api_key", 200, 1, 1},
		"a page":           {"/Items?UserID=" + ana + "&ParentId=films&StartIndex=1&Limit=1", "X-Emby-Token", "secret-api_key", 200, 1, 3},
		"behind the end":   {"/Items?userId=" + ana + "&ParentId=films&StartIndex=7&Limit=1", "X-Emby-Token", "secret-api_key", 200, 0, 3},
		"playlists":        {"/Items?userId=" + ana + "&IncludeItemTypes=Playlist", "X-Emby-Token", "secret-api_key", 200, 1, 1},
		"a bad number":     {"/Items?userId=" + ana + "&StartIndex=x", "X-Emby-Token", "secret-api_key", 400, 0, 0},
		"nobody":           {"/Items?userId=x", "X-Emby-Token", "secret-api_key", 404, 0, 0},
		"an unknown place": {"/System/Info", "X-Emby-Token", "secret-api_key", 404, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			if c.header != "" {
				r.Header.Set(c.header, c.value)
			}
			w := httptest.NewRecorder()
			p.ServeHTTP(w, r)
			var got struct {
				Items            []any `json:"Items"`            //nolint:tagliatelle // the server's names
				TotalRecordCount int   `json:"TotalRecordCount"` //nolint:tagliatelle // as above
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil && w.Code == http.StatusOK {
				t.Fatal(err)
			}
			if w.Code != c.status || len(got.Items) != c.rows || got.TotalRecordCount != c.total {
				t.Errorf("got status %d, %d rows of %d, want %d, %d of %d", w.Code, len(got.Items), got.TotalRecordCount, c.status, c.rows, c.total)
			}
		})
	}
}
