package egress

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestClassify(t *testing.T) {
	t.Parallel()
	for class, list := range map[Class]string{
		Public:     "1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.0.1.0 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111 2a00:1450::1 2001:4860:4860::8888",
		Loopback:   "127.0.0.1 127.255.255.255 ::1",
		Private:    "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 fc00::1 fdff::1",
		LinkLocal:  "169.254.0.1 fe80::1 febf::1",
		Metadata:   "169.254.169.254 168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254",
		Translated: "::ffff:1.1.1.1 ::ffff:127.0.0.1 ::127.0.0.1 64:ff9b::808:808 64:ff9b:1::1 2002:7f00:1::1 2001::1 2a00::5efe:7f00:1 2a00::200:5efe:7f00:1",
		Reserved:   "0.0.0.0 0.1.2.3 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ff02::1 2001:db8::1 2001:10::1 3fff::1 4000::1 fec0::1 5f00::1 100::1 fe80::1%eth0 2606:4700::1%1",
	} {
		for text := range strings.FieldsSeq(list) {
			if got := Classify(netip.MustParseAddr(text)); got != class {
				t.Errorf("%s: %s, want %s", text, got, class)
			}
		}
	}
	if Classify(netip.Addr{}) != Reserved {
		t.Error("an invalid address")
	}
}

// FuzzClassify holds Go's own predicates against the classifier: whatever they
// know to be local is not public, and every address has one class.
func FuzzClassify(f *testing.F) {
	for _, text := range []string{"1.2.3.4", "::ffff:10.0.0.1", "64:ff9b::a00:1", "fe80::1%x", "2002:a00::", ""} {
		f.Add(text, []byte(text))
	}
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		check := func(a netip.Addr) {
			public := Classify(a) == Public
			local := a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() ||
				a.IsInterfaceLocalMulticast() || a.Is4In6() || !a.IsValid() || a.Zone() != ""
			if public && (local || !a.IsGlobalUnicast()) {
				t.Errorf("%v counts as public, want !public || !local && a.IsGlobalUnicast()", a)
			}
			if a.Is4() && !public {
				mapped := netip.AddrFrom16(a.As16())
				if Classify(mapped) == Public {
					t.Errorf("%v counts as public, want Classify(mapped) != Public", mapped)
				}
			}
			if a.Is4() { // whatever carries an IPv4 address is no way around
				b := a.As4()
				for _, prefix := range []string{"64:ff9b::", "::", "::ffff:0:0:0"} {
					wide := netip.MustParseAddr(prefix).As16()
					copy(wide[12:], b[:])
					if Classify(netip.AddrFrom16(wide)) == Public {
						t.Errorf("%v through %s, want Classify(netip.AddrFrom16(wide)) != Public", a, prefix)
					}
				}
				if Classify(netip.AddrFrom16([16]byte{0x20, 2, b[0], b[1], b[2], b[3]})) == Public {
					t.Errorf("%v through 6to4, want Classify(netip.AddrFrom16([16]byte{0x20, 2, b[0], b[1], b[2], b[3]})) != Public", a)
				}
			}
		}
		if a, err := netip.ParseAddr(text); err == nil {
			check(a)
		}
		if a, ok := netip.AddrFromSlice(raw); ok {
			check(a)
		}
	})
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	r, err := Policy{Hosts: []string{"API.example.com"}, AllowPrivate: []string{"localhost:8080", "[::1]:9", "nas.example:443"}}.rules()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]abi.Code{
		"https://api.example.com/x":         "",
		"https://api.example.com:443/":      "",
		"https://API.Example.com./":         "",
		"http://localhost:8080/":            "",
		"https://localhost:8080/":           "",
		"http://[::1]:9/":                   "",
		"https://nas.example/":              "",
		"http://nas.example/":               CodeSchemeRefused, // port 80
		"http://nas.example:443/":           "",
		"http://api.example.com/":           CodeSchemeRefused,
		"ftp://api.example.com/":            CodeSchemeRefused,
		"file:///etc/passwd":                CodeSchemeRefused,
		"https://api.example.com:8443/":     CodeHostRefused,
		"https://evil.example.com/":         CodeHostRefused,
		"https://api.example.com.evil.org/": CodeHostRefused,
		"https://localhost/":                CodeHostRefused,
		"https://localhost:8081/":           CodeHostRefused,
		"https://me@api.example.com/":       CodeHostRefused,
		"https://1.1.1.1/":                  CodeHostRefused,
		"https:///":                         CodeHostRefused,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.check(u); want == "" && got != nil || want != "" && abi.CodeOf(got) != want {
			t.Errorf("%s: %v, want %s", address, got, want)
		}
	}
	for _, bad := range []Policy{
		{Hosts: []string{"1.2.3.4"}}, {Hosts: []string{""}}, {Hosts: []string{"a b"}}, {Hosts: []string{"*.example.com"}},
		{Hosts: []string{"a..b"}}, {Hosts: []string{"127.1"}}, {Hosts: []string{"::1"}}, {AllowPrivate: []string{"localhost"}}, {AllowPrivate: []string{":80"}},
	} {
		if _, err := New(bad, Options{}); abi.CodeOf(err) != CodePolicyInvalid {
			t.Errorf("abi.CodeOf(err): got %+v: %v, want %v", bad, err, CodePolicyInvalid)
		}
	}
}

// A name that is allowed and resolves to an address that is not is refused when
// it is dialled; an exception holds for its host and port, and never for a
// metadata address.
func TestDialledAddress(t *testing.T) {
	t.Parallel()
	r, err := Policy{Hosts: []string{"api.example.com"}, AllowPrivate: []string{"nas.example:8080"}}.rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		hostport, network, address string
		ok                         bool
	}{
		{"api.example.com:443", "tcp4", "1.1.1.1:443", true},
		{"api.example.com:443", "tcp6", "[2606:4700::1111]:443", true},
		{"api.example.com:443", "tcp4", "127.0.0.1:443", false},
		{"api.example.com:443", "tcp4", "169.254.169.254:443", false},
		{"api.example.com:443", "tcp6", "[64:ff9b::7f00:1]:443", false},
		{"api.example.com:443", "tcp6", "[fe80::1%eth0]:443", false},
		{"api.example.com:443", "udp4", "1.1.1.1:443", false},
		{"api.example.com:443", "tcp4", "nonsense", false},
		{"nas.example:8080", "tcp4", "192.168.1.5:8080", true},
		{"NAS.example:8080", "tcp4", "127.0.0.1:8080", true},
		{"nas.example:8080", "tcp4", "169.254.169.254:8080", false},
		{"nas.example:8080", "tcp4", "0.0.0.0:8080", false},
		{"nas.example:8081", "tcp4", "192.168.1.5:8081", false},
	} {
		err := r.admit(test.network, test.hostport, test.address)
		if (err == nil) != test.ok || err != nil && abi.CodeOf(err) != CodeAddressRefused {
			t.Errorf("%s to %s: %v, want (err == nil) == test.ok && (no error || abi.CodeOf(err) == CodeAddressRefused)", test.hostport, test.address, err)
		}
	}
}

// served is a Guard in front of a local server.
func served(t *testing.T, options Options, handler http.HandlerFunc) (*Guard, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	g, err := New(Policy{AllowPrivate: []string{address}}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g, server.URL
}

// got is an answer whose body was read and closed.
type got struct {
	status   int
	encoding string
}

func get(t *testing.T, g *Guard, address string) (got, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := g.RoundTrip(req)
	if err != nil {
		return got{}, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return got{resp.StatusCode, resp.Header.Get("Content-Encoding")}, string(b), err
}

// A whole exchange: gzip is undone, a redirect is an answer, and the same server
// is out of reach without the exception.
func TestGuard(t *testing.T) {
	t.Parallel()
	g, address := served(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write([]byte(strings.Repeat("a", 1000)))
			_ = z.Close()
		case "/redirect":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
		case "/empty":
			w.Header().Set("Content-Encoding", "gzip")
		default:
			_, _ = io.WriteString(w, r.Header.Get("Accept-Encoding"))
		}
	})
	if _, body, err := get(t, g, address+"/"); err != nil || body != "gzip" {
		t.Errorf(`got %q %v, want no error && body == "gzip"`, body, err)
	}
	if resp, body, err := get(t, g, address+"/gzip"); err != nil || len(body) != 1000 || resp.encoding != "" {
		t.Errorf(`%d bytes, %v, want no error && len(body) == 1000 && resp.encoding == ""`, len(body), err)
	}
	if resp, _, err := get(t, g, address+"/redirect"); err != nil || resp.status != http.StatusFound {
		t.Errorf("got %v %v, want no error && resp.status == http.StatusFound", resp, err)
	}
	if _, _, err := get(t, g, address+"/brotli"); abi.CodeOf(err) != CodeEncodingRefused {
		t.Errorf(`get(t, g, address+"/brotli"): got %+v, want abi.CodeOf(err) == CodeEncodingRefused`, err)
	}
	if _, body, err := get(t, g, address+"/empty"); err != nil || body != "" {
		t.Errorf(`got %q %v, want no error && body == ""`, body, err)
	}
	if _, _, err := get(t, g, "http://169.254.169.254/"); abi.CodeOf(err) != CodeSchemeRefused {
		t.Errorf(`get(t, g, "http://169.254.169.254/"): got %+v, want abi.CodeOf(err) == CodeSchemeRefused`, err)
	}
	closed, err := New(Policy{Hosts: []string{"localhost"}}, Options{TLS: &tls.Config{MinVersion: tls.VersionTLS12}})
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	if _, _, err := get(t, closed, "https://localhost/"); abi.CodeOf(err) != CodeAddressRefused {
		t.Errorf("a host that resolves to this machine: %v, want %v", err, CodeAddressRefused)
	}
}

// Sizes hold before and after decompression, and fail loudly.
func TestSizes(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	g, address := served(t, Options{MaxWireBytes: 2000, MaxWholeBytes: 5000}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/chunks":
			for range 30 {
				_, _ = w.Write(make([]byte, 100))
				w.(http.Flusher).Flush()
			}
		case "/announced":
			_, _ = w.Write(make([]byte, 2001))
		default:
			_, _ = w.Write(make([]byte, 2000))
		}
	})
	if _, body, err := get(t, g, address+"/"); err != nil || len(body) != 2000 {
		t.Errorf("%d bytes, %v, want no error && len(body) == 2000", len(body), err)
	}
	for _, path := range []string{"/bomb", "/chunks", "/announced"} {
		if _, body, err := get(t, g, address+path); abi.CodeOf(err) != CodeTooLarge || len(body) > 5000 {
			t.Errorf("%s: %d bytes, %v, want abi.CodeOf(err) == CodeTooLarge && len(body) <= 5000", path, len(body), err)
		}
	}
}

func TestCheckHeaders(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]abi.Code{
		"Accept": "", "X-Api-Version": "", "If-None-Match": "", "Authorization": "",
		"host": CodeHeaderReserved, "Content-Length": CodeHeaderReserved, "proxy-authorization": CodeHeaderReserved,
		"Sec-Fetch-Site": CodeHeaderReserved, "Cookie": CodeHeaderReserved, "metadata-flavor": CodeHeaderReserved,
		"": CodeHeaderInvalid, "a b": CodeHeaderInvalid, "a:": CodeHeaderInvalid, "ä": CodeHeaderInvalid,
	} {
		err := CheckHeaders(http.Header{name: {"v"}})
		if want == "" && err != nil || want != "" && abi.CodeOf(err) != want {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	for _, v := range []string{"a\r\nHost: b", "a\x00", strings.Repeat("a", maxHeaderValue+1)} {
		if err := CheckHeaders(http.Header{"X-A": {v}}); abi.CodeOf(err) != CodeHeaderInvalid || strings.Contains(err.Error(), v) {
			t.Errorf(`CheckHeaders(http.Header{"X-A": {v}}): got %+v, want abi.CodeOf(err) == CodeHeaderInvalid && !strings.Contains(err.Error(), v)`, err)
		}
	}
	many := http.Header{"X-A": make([]string, maxHeaders+1)}
	if err := CheckHeaders(many); err == nil {
		t.Error("too many headers")
	}
}
