package whole

import (
	"net/http"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api/mcp"
	"github.com/pdpp-host/pdpp-host/host/api/oauth"
	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/described"
)

// prefixes begin the paths of faces; the rest are pages and the devices' protocol.
var prefixes = []string{"/v1/", "/oauth/", "/.well-known/", "/agent-connect", "/grants/", "/introspect", "/consent/review", "/consent/approve", "/consent/deny", "/mcp"}

// Transport has every answer of a host's faces that comes by a transport held to the document.
func Transport(t testing.TB, inner http.RoundTripper) http.RoundTripper {
	t.Helper()
	text, err := ownerapi.Document("test", slices.Concat(records.Routes(), oauth.Routes(), []wire.Route{mcp.Route()}))
	return described.New(t, text, err).Transport(t, inner, prefixes...)
}
