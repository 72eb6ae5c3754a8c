package web_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/web"
)

// A browser that came by TLS to a name's usual port is told to speak nothing else to it. Others are
// told nothing: another port's program, or who came in the clear.
func TestDoorKeepsToTLS(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		origin, asked string
		told          bool
	}{
		{"https://pdpp.example.org", "https://pdpp.example.org", true},
		{"https://pdpp.example.org", "http://pdpp.example.org", true}, // its proxy speaks TLS
		{"https://pdpp.example.org:443", "http://pdpp.example.org:443", true},
		{"https://pdpp.example.org:8443", "http://pdpp.example.org:8443", false},
		{"https://pdpp.example.org", "http://127.0.0.1:8377", false},
		{"https://pdpp.example.org", "https://evil.example", false},
		{"http://pdpp.example.org", "http://pdpp.example.org", false},
		{"", "http://127.0.0.1:8377", false},
	} {
		g := &web.Guard{Origin: tc.origin, Listening: netip.MustParseAddrPort("127.0.0.1:8377")}
		w := httptest.NewRecorder()
		g.Door(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, tc.asked+"/x", http.NoBody))
		if got := w.Header().Get("Strict-Transport-Security"); (got == "max-age=31536000") != tc.told || !tc.told && got != "" {
			t.Errorf("%s of %q: got %q, want told %v", tc.asked, tc.origin, got, tc.told)
		}
	}
}

// A request whose length is told in two ways ends its connection: the bytes behind it are no request.
func TestDoorEndsATwofoldLength(t *testing.T) {
	t.Parallel()
	var asked []string
	g := &web.Guard{}
	s := httptest.NewServer(g.Door(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked = append(asked, r.URL.Path)
		_, _ = io.WriteString(w, "answered")
	})))
	defer s.Close()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const sent = "POST /one HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
		"GET /two HTTP/1.1\r\nHost: h\r\n\r\n"
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	if _, err := conn.Read(make([]byte, 1)); err == nil || !answer.Close || string(text) != "answered" {
		t.Errorf("got %v, close %v, %q, want the connection to end behind the answer", err, answer.Close, text)
	}
	s.Close()
	if len(asked) != 1 {
		t.Errorf("got %v asked, want what follows not to be read", asked)
	}
}

// OC-05.1: a face without a form of its own refuses in text, which is no word of the protocol of
// devices, and takes the address that the connection has come to.
func TestNamed(t *testing.T) {
	t.Parallel()
	g := &web.Guard{Origin: "https://pdpp.example.org", Listening: netip.MustParseAddrPort("[::]:8377")}
	to := func(addr string) *net.TCPAddr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)) }
	for _, tc := range []struct {
		host  string
		came  *net.TCPAddr
		taken bool
	}{
		{"pdpp.example.org", to("10.0.0.7:8377"), true}, {"127.0.0.1:8377", to("127.0.0.1:8377"), true},
		{"10.0.0.7:8377", to("10.0.0.7:8377"), true}, {"10.0.0.7:8377", to("[::ffff:10.0.0.7]:8377"), true},
		{"[fd00::7]:8377", to("[fd00::7]:8377"), true}, {"10.0.0.7", to("10.0.0.7:80"), true},
		{"10.0.0.7:8377", to("10.0.0.8:8377"), false}, {"10.0.0.7:8377", to("10.0.0.7:8378"), false}, {"10.0.0.7:8377", nil, false},
		{"evil.example:8377", to("10.0.0.7:8377"), false}, {"evil.example", to("10.0.0.7:80"), false}, {"", to("10.0.0.7:80"), false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.Host = tc.host
		if tc.came != nil {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, tc.came))
		}
		w := httptest.NewRecorder()
		g.Named(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })).ServeHTTP(w, r)
		want := http.StatusMisdirectedRequest
		if tc.taken {
			want = http.StatusOK
		}
		if w.Code != want || strings.Contains(w.Body.String(), "{") {
			t.Errorf("%q at %v: got %d %s, want %d and no JSON", tc.host, tc.came, w.Code, w.Body, want)
		}
	}
}
