package wall

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"net/http/httptest"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// names is a Dialer that knows where some names are.
type names map[string]string

func (n names) Dial(ctx context.Context, hostport string) (net.Conn, error) {
	at := n[hostport]
	if at == "" {
		return nil, abi.NewError(abi.CodeBrowserRefused, "unknown", "")
	}
	return new(net.Dialer).DialContext(ctx, "tcp", at)
}

func newWall(t *testing.T, d Dialer) *Wall {
	t.Helper()
	w, err := New(d, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// through is a client behind the wall.
func through(w *Wall, site *httptest.Server, user *url.Userinfo) *http.Client {
	c := site.Client()
	tr := c.Transport.(*http.Transport).Clone()
	tr.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: w.Address(), User: user})
	tr.DisableKeepAlives = true
	return &http.Client{Transport: tr}
}

func get(t *testing.T, c *http.Client, to string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// Port 443 of known hosts is reached, and nothing else; what is refused is counted (BR-08).
func TestWall(t *testing.T) {
	t.Parallel()
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer site.Close()
	w := newWall(t, names{"example.com:443": site.Listener.Addr().String(), "example.com:8443": site.Listener.Addr().String()})
	c := through(w, site, url.UserPassword(w.Name, w.Password))
	if got, err := get(t, c, "https://example.com/"); got != "hello" || err != nil {
		t.Errorf("a known host: got %q, %v, want hello", got, err)
	}
	for _, to := range []string{"https://other.example/", "https://example.com:8443/", "https://" + site.Listener.Addr().String() + "/"} {
		if got, err := get(t, c, to); err == nil || !strings.Contains(err.Error(), "Forbidden") {
			t.Errorf("%s: got %q, %v, want Forbidden", to, got, err)
		}
	}
	// An answer to plain http would read as the site's own.
	if got, err := get(t, c, "http://example.com/"); !errors.Is(err, io.EOF) {
		t.Errorf("plain http: got %q, %v, want a closed connection", got, err)
	}
	refused, others := w.Refused()
	if want := map[string]int{"other.example": 1, "example.com": 2, "127.0.0.1": 1}; !maps.Equal(refused, want) || others != 0 {
		t.Errorf("got %v and %d others, want %v", refused, others, want)
	}
}

// Another program of the machine gets nothing from the wall.
func TestOnlyItsBrowserIsKnown(t *testing.T) {
	t.Parallel()
	site := httptest.NewTLSServer(http.NotFoundHandler())
	defer site.Close()
	w := newWall(t, names{"example.com:443": site.Listener.Addr().String()})
	other := newWall(t, names{})
	for _, user := range []*url.Userinfo{nil, url.UserPassword(w.Name, ""), url.UserPassword(w.Name, other.Password), url.User(w.Name)} {
		for _, to := range []string{"https://example.com/", "http://example.com/"} {
			got, err := get(t, through(w, site, user), to)
			if to[:5] == "https" && (err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required")) || to[:5] == "http:" && got != "" {
				t.Errorf("%s as %v: got %q, %v, want to be asked who it is", to, user, got, err)
			}
		}
	}
	if refused, others := w.Refused(); len(refused) != 0 || others != 0 {
		t.Errorf("strangers left %v and %d others, want nothing", refused, others)
	}
}

// At most 64 names are kept, however many a page makes up (BR-08.1).
func TestRefusedNamesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWall(t, names{})
	for i := range 1000 {
		w.refuse(fmt.Sprintf("%d.example", i))
		w.refuse("0.example")
	}
	w.refuse(strings.Repeat("x", 70<<10))
	refused, others := w.Refused()
	if len(refused) != abi.BrowserRefusals || refused["0.example"] != 1001 || others != 1001-abi.BrowserRefusals {
		t.Errorf("got %d names, 0.example %d times, %d others, want %d, 1001, %d", len(refused), refused["0.example"], others, abi.BrowserRefusals, 1001-abi.BrowserRefusals)
	}
	if longest := slices.MaxFunc(slices.Collect(maps.Keys(refused)), func(a, b string) int { return len(a) - len(b) }); len(longest) > longestName {
		t.Errorf("got a name of %d bytes, want at most %d", len(longest), longestName)
	}
	if err := w.Refuses(t.Context(), "0.example"); err != nil {
		t.Errorf("awaiting what was refused: got %v, want nil", err)
	}
}

// The end of the wall is the end of its tunnels.
func TestCloseEndsTunnels(t *testing.T) {
	t.Parallel()
	far, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	w := newWall(t, names{"example.com:443": far.Addr().String()})
	near, err := new(net.Dialer).DialContext(t.Context(), "tcp", w.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	req := http.Request{Method: http.MethodConnect, Host: "example.com:443", URL: &url.URL{Opaque: "example.com:443"}, Header: http.Header{}}
	req.SetBasicAuth(w.Name, w.Password)
	fmt.Fprintf(near, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nProxy-Authorization: %s\r\n\r\nfirst", req.Header.Get("Authorization"))
	conn, err := far.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got := make([]byte, 5)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "first" {
		t.Errorf("what came with the request: got %q, %v, want first", got, err)
	}
	if line, err := bufio.NewReader(near).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Errorf("got %q, %v, want 200", line, err)
	}
	ended := make(chan error, 1)
	go func() { _, err := conn.Read(got); ended <- err }()
	if err := w.Close(); err != nil {
		t.Errorf("closing: got %v, want nil", err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the tunnel goes on, want its end")
		}
	case <-time.After(time.Minute):
		t.Error("the tunnel goes on, want its end")
	}
}
