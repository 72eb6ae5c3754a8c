package described

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const text = `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a/{key}":{"get":{"operationId":"a",
"parameters":[{"name":"key","in":"path","required":true,"schema":{"type":"string"}}],"responses":{
"200":{"description":"x","headers":{"Request-Id":{"required":true,"schema":{"type":"string","pattern":"^req_"}}},
"content":{"application/json":{"schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}},"additionalProperties":false}}}},
"304":{"description":"x"},"4XX":{"description":"x","content":{"application/json":{"schema":{"type":"object"}}}}}}}}}`

// An answer that is not described is found, by its status, its head and its body.
func TestDocumentsAreHeldTo(t *testing.T) {
	t.Parallel()
	d := New(t, []byte(text), nil)
	for _, c := range []struct {
		path   string
		status int
		media  string
		id     string
		body   string
		wrong  bool
	}{
		{"/a/b%2Fc", 200, "application/json", "req_1", `{"n":1}`, false},
		{"/a/x", 404, "application/json", "", `{}`, false},
		{"/b", 404, "application/json", "", `{"error":{"code":"not_found"}}`, false},
		{"/a/x", 304, "", "", "", false},
		{"/a/x", 201, "application/json", "req_1", `{"n":1}`, true},
		{"/a/x", 500, "application/json", "req_1", `{}`, true},
		{"/a/x", 200, "text/html", "req_1", `<p>`, true},
		{"/a/x", 200, "application/json", "", `{"n":1}`, true},
		{"/a/x", 200, "application/json", "x", `{"n":1}`, true},
		{"/a/x", 200, "application/json", "req_1", `{"n":"1"}`, true},
		{"/a/x", 200, "application/json", "req_1", `{}`, true},
		{"/a/x", 200, "application/json", "req_1", `{"n":1,"more":1}`, true},
		{"/a/x", 200, "application/json", "req_1", `{"n":1`, true},
		{"/b", 200, "application/json", "req_1", `{"n":1}`, true},
	} {
		head := http.Header{"Content-Type": {c.media}}
		if c.id != "" {
			head.Set("Request-Id", c.id)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+c.path, nil)
		if got := d.wrong(r, c.status, head, []byte(c.body)); (len(got) > 0) != c.wrong {
			t.Errorf("%s %d %s: got %s, want wrong %v", c.path, c.status, c.body, strings.Join(got, "; "), c.wrong)
		}
	}
}
