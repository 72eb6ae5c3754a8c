package egress

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A document that a stranger names is read as far as it is a small answer 200 of JSON, and from no
// address of the owner's network.
func TestReadDocument(t *testing.T) {
	t.Parallel()
	const good = `{"client_id":"x"}`
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		switch r.URL.Path {
		case "/html":
			w.Header().Set("Content-Type", "text/html")
		case "/special":
			w.Header().Set("Content-Type", "application/cimd+json")
		case "/elsewhere":
			http.Redirect(w, r, "/good", http.StatusFound)
			return
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/large":
			_, _ = w.Write([]byte(`{"a":"` + strings.Repeat("a", mostDocument) + `"}`))
			return
		}
		_, _ = w.Write([]byte(good))
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	o := Options{TLS: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}}
	own := server.Listener.Addr().String()
	for path, want := range map[string]abi.Code{
		"/good": "", "/special": "", "/html": CodeDocumentRefused, "/elsewhere": CodeDocumentRefused, "/missing": CodeDocumentRefused, "/large": CodeTooLarge,
	} {
		got, err := ReadDocument(t.Context(), server.URL+path, o, own)
		if want == "" && (err != nil || string(got) != good) || want != "" && abi.CodeOf(err) != want {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
	}
	for _, address := range []string{server.URL + "/good", "https://localhost/good", "https://169.254.169.254/latest", "https://[::1]/x", "http://example.com/x"} {
		if got, err := ReadDocument(t.Context(), address, o); err == nil || got != nil {
			t.Errorf("%s: got %q, %v, want it refused", address, got, err)
		}
	}
}
