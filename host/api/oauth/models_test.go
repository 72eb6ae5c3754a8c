package oauth

import (
	"net/http"
	"strings"
	"testing"
)

// RD-38, RD-58.1, RD-27.7: the host of a model finds where its access is asked for, by the
// document of the path that it speaks to; both documents say how a search is asked for.
func TestModelsFindTheWay(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for path, want := range map[string]string{PathResource: origin, PathResourceMCP: origin + "/mcp"} {
		got := b.sends(http.MethodGet, path, "")
		if got.status != http.StatusOK || got.string("resource") != want || !strings.Contains(got.text, `"authorization_servers":["`+origin+`"]`) || !strings.Contains(got.text, `"scopes_supported":["pdpp:read"]`) ||
			!strings.Contains(got.text, `"lexical_retrieval":{"supported":true,"endpoint":"/v1/search"`) {
			t.Errorf("%s: got %d %s, want the resource %s", path, got.status, got.text, want)
		}
	}
}
