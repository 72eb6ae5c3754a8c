package web_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/web"
)

// OC-03: a passkey is made for the name that the host was told of. An address of digits is
// none, nor is a name in the clear beyond this machine; the owner is told where there is one.
func TestPartyIsAName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listening, origin, host string
		tls                     bool
		id, at, named           string
	}{
		{"127.0.0.1:8377", "", "localhost:8377", false, "localhost", "http://localhost:8377", ""},
		{"127.0.0.1:8377", "", "LocalHost:8377", false, "localhost", "http://localhost:8377", ""},
		{"127.0.0.1:8377", "", "127.0.0.1:8377", false, "", "", "http://localhost:8377"},
		{"[::1]:8377", "", "[::1]:8377", false, "", "", "http://localhost:8377"},
		{"127.0.0.1:8443", "", "127.0.0.1:8443", true, "", "", "https://localhost:8443"},
		{"127.0.0.1:80", "", "localhost", false, "localhost", "http://localhost", ""},
		{"127.0.0.1:8377", "https://pdpp.example.org", "pdpp.example.org", false, "pdpp.example.org", "https://pdpp.example.org", ""},
		{"127.0.0.1:8377", "https://PDPP.example.org:443", "pdpp.example.org:443", false, "pdpp.example.org", "https://pdpp.example.org", ""},
		{"127.0.0.1:8377", "https://pdpp.example.org:8443", "127.0.0.1:8377", false, "", "", "https://pdpp.example.org:8443"},
		{"127.0.0.1:8377", "http://pdpp.example.org", "pdpp.example.org", false, "", "", ""},
		{"192.0.2.1:443", "", "192.0.2.1", true, "", "", ""},
		{"192.0.2.1:8443", "https://192.0.2.1:8443", "192.0.2.1:8443", true, "", "", ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+c.host+"/", nil)
		r.Host = c.host
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		p, named := (&web.Guard{Listening: netip.MustParseAddrPort(c.listening), Origin: c.origin}).Party(r)
		if p.ID != c.id || p.Origin != c.at || named != c.named {
			t.Errorf("%s told of %q, asked as %s: got %+v and %q, want %s, %s and %q", c.listening, c.origin, c.host, p, named, c.id, c.at, c.named)
		}
	}
}
