package call

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// echo answers with what it got, and redirects where /to?... says.
func echo(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/to" {
			http.Redirect(w, r, r.URL.Query().Get("where"), http.StatusTemporaryRedirect)
			return
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s authorization=%q key=%q query=%q body=%q", name, r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.URL.RawQuery, body)
	}
}

// Over real TLS connections, with two servers that say what they got: a
// redirect from the slot's host to another one of the manifest arrives there
// without the secret, and one within the host arrives with it.
func TestRedirectOverTLS(t *testing.T) {
	t.Parallel()
	const secret = "tok-0123456789abcdef"
	seen := make(chan string, 100)
	serve := func(name string) string {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen <- fmt.Sprintf("%s %s %v", name, r.URL, r.Header)
			echo(name)(w, r)
		}))
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	at := map[string]string{"api.example.com:443": serve("api"), "cdn.example.com:443": serve("cdn")}
	line := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: authority(t), ServerName: "example.com", MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, at[address])
		},
	}
	t.Cleanup(line.CloseIdleConnections)
	b := newBed(t, func(o *Options) { o.Transport = line })
	b.vault.values["token"] = secret
	for _, slot := range []string{"bearer", "raw", "query", "basic"} {
		for _, test := range []struct {
			where   string
			carries bool
		}{{"https://cdn.example.com/x", false}, {"/x", true}} {
			r := b.get("https://api.example.com/to?where="+test.where, slot)
			first, second := <-seen, <-seen
			if r.Status != 200 || !carries(first, secret) || carries(second, secret) != test.carries {
				t.Errorf("%s to %s: %+v\n%s\n%s, want r.Status == 200 && carries(first, secret) && carries(second, secret) == test.carries", slot, test.where, r, first, second)
			}
			if redacted := strings.Contains(r.body, "[redacted]"); redacted != test.carries {
				t.Errorf("%s to %s: %s, want %v", slot, test.where, r.body, test.carries)
			}
		}
	}
	b.sweep("0123456789abcdef", strings.TrimRight(basicPair("me", secret), "="))
}

func carries(text, secret string) bool {
	return strings.Contains(text, secret) || strings.Contains(text, basicPair("me", secret))
}

// authority trusts the certificate of httptest's servers.
func authority(t *testing.T) *x509.CertPool {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return pool
}

// A whole run's line with nothing replaced but the authority: governor, guard,
// base_url, credential, scrubbing, sizes.
func TestWholeLine(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(echo("base"))
	t.Cleanup(server.Close)
	host := server.Listener.Addr().String()
	b := newBed(t, func(o *Options) {
		o.Transport, o.TLS = nil, &tls.Config{RootCAs: authority(t), MinVersion: tls.VersionTLS12}
		o.BaseURL, o.AllowPrivate = server.URL, []string{host}
		acceptSlots(o)
		o.Network.Provider = providerOf(`{"discovery_interval_ms":0,"max_attempts":1,"max_response_bytes":10000}`)
	})
	b.vault.values["token"] = "tok-0123456789abcdef"
	r := b.do(abi.HTTPRequest{Method: "POST", URL: server.URL + "/x?a=1", Credential: "body", Headers: map[string]string{"Content-Type": "application/json"}}, `{"b":2}`)
	if want := `base authorization="" key="" query="a=1" body="{\"secret\":\"[redacted]\",\"b\":2}"`; r.body != want {
		t.Errorf("r.body: got %+v, want %v", r, want)
	}
	if r := b.get(server.URL+"/", "bearer"); r.body != `base authorization="Bearer [redacted]" key="" query="" body=""` {
		t.Errorf("r.body: got %+v, want `base authorization=\"Bearer [redacted]\" key=\"\" query=\"\" body=\"\"`", r)
	}
	if r := b.get(strings.Replace(server.URL, host, "127.0.0.1:1", 1), ""); r.Error.Code != egress.CodeHostRefused {
		t.Errorf("r.Error.Code: got %+v, want %v", r, egress.CodeHostRefused)
	}
	if r := b.get(server.URL+"/?"+strings.Repeat("a", 10000), ""); r.Error.Code != egress.CodeTooLarge && r.Error.Code != send.CodeResponseTooLarge {
		t.Errorf(`b.get(server.URL+"/?"+strings.Repeat("a", 10000), ""): got %.300v, want r.Error.Code == egress.CodeTooLarge || r.Error.Code == send.CodeResponseTooLarge`, r)
	}
	d := b.Destinations()
	if len(d) != 1 || d[0].Host != host || d[0].Requests != 3 {
		t.Errorf("got %+v, want len(d) == 1 && d[0].Host == host && d[0].Requests == 3", d)
	}
	b.sweep("0123456789abcdef")
}
