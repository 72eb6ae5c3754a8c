package wall

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// dial comes to a site through the wall, with a greeting that offers these protocols.
func dial(t *testing.T, w *Wall, protocols ...string) (*tls.Conn, error) {
	t.Helper()
	conn, err := net.Dial("tcp", w.Address()) //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: "site.example:443"}, Host: "site.example:443", Header: http.Header{}}
	basic := &http.Request{Header: http.Header{}}
	basic.SetBasicAuth(w.Name, w.Password)
	req.Header.Set("Proxy-Authorization", basic.Header.Get("Authorization"))
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req) //nolint:bodyclose // it has none
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v, want a tunnel", resp, err)
	}
	c := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols}) //nolint:gosec // a test's own site
	return c, c.Handshake()                                                             //nolint:noctx // of a test
}

// echo sends n bytes to a site that sends them back.
func echo(c *tls.Conn, n int) error {
	text := strings.Repeat("x", n)
	if _, err := io.WriteString(c, text); err != nil {
		return err
	}
	got := make([]byte, n)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != text {
		return errors.Join(err, fmt.Errorf("got %q", got[:min(n, 20)]))
	}
	return nil
}

// WebSockets pass no gate: they are known by their greeting, are few at once, and carry what a run
// may carry; what is no WebSocket passes beside them (BR-08.3).
func TestSockets(t *testing.T) {
	t.Parallel()
	cert := httptest.NewTLSServer(nil)
	cert.Close()
	site, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: cert.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}}) //nolint:gosec // a test's own site
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := site.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			}()
		}
	}()
	t.Cleanup(func() { _ = site.Close() })
	w := newWall(t, names{"site.example:443": site.Addr().String()})
	var open []*tls.Conn
	for n := range abi.BrowserSockets {
		c, err := dial(t, w, "http/1.1")
		if err == nil {
			err = echo(c, 100)
		}
		if err != nil {
			t.Fatalf("WebSocket %d: got %v, want it", n+1, err)
		}
		open = append(open, c)
	}
	if _, err := dial(t, w, "http/1.1"); err == nil {
		t.Errorf("WebSocket %d: got it, want it refused", abi.BrowserSockets+1)
	}
	if names, _ := w.Refused(); names["site.example"] != 1 {
		t.Errorf("got %v refused, want the one too many among them", names)
	}
	plain, err := dial(t, w, "h2", "http/1.1")
	if err == nil {
		err = echo(plain, 1<<20)
	}
	if err != nil {
		t.Errorf("no WebSocket: got %v, want it to pass", err)
	}
	_ = open[0].Close()
	var c *tls.Conn
	for err = errSpent; err != nil; { // until the wall has seen that the other one is gone
		c, err = dial(t, w, "http/1.1")
	}
	w.budget.Store(10_000)
	if err := echo(c, 1000); err != nil {
		t.Errorf("within what is left: got %v, want it carried", err)
	}
	if err := echo(c, 10_000); err == nil {
		t.Error("beyond that: got it carried, want the WebSocket ended")
	}
	if err := echo(plain, 100_000); err != nil {
		t.Errorf("no WebSocket, beyond that: got %v, want it to pass", err)
	}
}
