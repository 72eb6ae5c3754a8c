package access_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api"
	"github.com/pdpp-host/pdpp-host/host/console/assets"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

// changes are the addresses that change something.
var changes = []string{
	"/sign-out", "/settings/look", "/settings/password", "/settings/sessions/end", "/settings/sessions/end-others", "/settings/tokens", "/settings/tokens/revoke",
	"/devices/invite", "/devices/of/x/accept", "/devices/of/x/revoke", "/connectors/install", "/connectors/of/x/accept", "/connectors/of/x/remove",
}

// OC-05, RD-51.3: a change that another site had the owner's browser send is refused, on every
// address, and leaves no event.
func TestForeignChangesAreRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	before := strings.Count(v.get("/audit").body, "<tr>")
	for _, from := range [][]string{{"cross-site"}, {"same-site"}, {"none"}, {"same-origin", "cross-site"}, nil} {
		v.header = http.Header{"Origin": {"https://evil.example"}}
		if from != nil {
			v.header["Sec-Fetch-Site"] = from
		}
		for _, path := range changes {
			v.says(v.post(path), http.StatusForbidden, "web.foreign_request")
		}
	}
	v.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	if after := strings.Count(v.get("/audit").body, "<tr>"); after != before {
		t.Errorf("the audit log has %d rows after that, want %d", after, before)
	}
	// An old browser's form carries its proof; that of an upload stands in its address.
	page := v.get("/settings").body
	_, rest, _ := strings.Cut(page, `name="proof" value="`)
	proof, _, _ := strings.Cut(rest, `"`)
	v.header = http.Header{}
	v.leads(v.post("/settings/look", "proof", proof, "theme", "dark"), "/settings?done=theme_kept")
	v.says(v.do(http.MethodPost, "/connectors/install?proof="+proof, "multipart/form-data; boundary=x", strings.NewReader("--x--")), http.StatusUnprocessableEntity, "No file was sent")
	v.says(v.do(http.MethodPost, "/connectors/install", "multipart/form-data; boundary=x", strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"proof\"\r\n\r\n"+proof+"\r\n--x--")),
		http.StatusForbidden, "web.foreign_request")
	// A token beside the cookie is no way around it.
	v.header = http.Header{"Authorization": {"Bearer x"}, "Sec-Fetch-Site": {"cross-site"}}
	v.says(v.post("/settings/sessions/end-others"), http.StatusUnauthorized, "tokens.refused")
}

// OC-05.1, OC-05.2, OC-07, RD-51.3: every answer confines the browser and opens nothing to another
// origin: pages, redirects, refusals, assets, and what is not there. A name that this host
// was not told of gets no page.
func TestEveryAnswerConfines(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	v.header.Set("Origin", "https://evil.example")
	all := map[string]answer{}
	for _, path := range append(slices.Clone(pages), "/sign-in", "/set-up", "/nowhere", "/audit?since=x", "/set-up?code=x", assets.Path("console.css"), "/assets/x/console.css", "/assets/") {
		all[path] = v.get(path)
		if strings.Contains(all[path].body, "<script>") || strings.Contains(all[path].body, " style=") || strings.Contains(all[path].body, " onclick") {
			t.Errorf("%s has a script or a style of its own", path)
		}
	}
	for _, path := range append(changes, "/", "/nowhere") {
		all["POST "+path] = v.post(path)
	}
	all["OPTIONS"] = v.do(http.MethodOptions, "/settings", "", nil)
	v.host = "evil.example:8377"
	for _, path := range []string{"/", "/settings", "/sign-in"} {
		all["evil "+path] = v.get(path)
		v.says(all["evil "+path], http.StatusMisdirectedRequest, "web.unknown_host")
	}
	for what, a := range all {
		csp := a.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none';") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") {
			t.Errorf("%s: the policy is %q", what, csp)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin"} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", what, name, got, want)
			}
		}
		for name := range a.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: got %s, want CORS closed", what, name)
			}
		}
		if kept := a.header.Get("Cache-Control"); what != assets.Path("console.css") && kept != "no-store" {
			t.Errorf("%s: Cache-Control is %q, want no-store", what, kept)
		}
	}
}

// OC-04: under TLS the cookie has the prefix __Host-, and one without it is none.
func TestCookieUnderTLS(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.visitor()
	v.host = public
	a := v.post("/set-up", "code", b.link(), "password", password, "again", password)
	set := a.header.Get("Set-Cookie")
	if !strings.HasPrefix(set, "__Host-pdpp=") || !strings.Contains(set, "; HttpOnly; Secure; SameSite=Strict") || strings.Contains(set, "Domain") {
		t.Errorf("the cookie is %q", set)
	}
	v.says(v.get("/settings"), http.StatusOK, "Settings")
	v.cookies["pdpp-8377"] = v.cookies["__Host-pdpp"]
	delete(v.cookies, "__Host-pdpp")
	v.leads(v.get("/settings"), "/sign-in?next=%2Fsettings")
}

// OC-05: after sign-in a browser goes to a page of this host, whatever the address said.
func TestNextStaysHere(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/settings": "/settings", "/audit?by=token": "/audit?by=token", "": "/", "settings": "/", "//evil.example": "/", "https://evil.example/": "/", "/\\evil.example": "/",
		"\\\\evil.example": "/", "javascript:alert(1)": "/", "/\t/evil.example": "/", " //evil.example": "/", "/%0d%0aSet-Cookie:x": "/%0d%0aSet-Cookie:x", "///evil.example": "/",
		"http:evil.example": "/", "/\r\nX: y": "/", "?next=//evil.example": "/",
	} {
		if got := site.Local(next); got != want {
			t.Errorf("%q: got %q, want %q", next, got, want)
		}
	}
}

// FuzzLocal holds the same of any text: what a browser makes of it is on this host.
func FuzzLocal(f *testing.F) {
	for _, text := range []string{"/", "//x", "/\\x", "https://x", "/a?b#c", "\x00//x"} {
		f.Add(text)
	}
	here, err := url.Parse("http://" + local + "/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := site.Local(text)
		// Browsers take a backslash for a slash, and drop tabs and line ends.
		seen := strings.NewReplacer("\\", "/", "\t", "", "\n", "", "\r", "").Replace(strings.TrimLeft(got, " \x00\x1f"))
		u, err := url.Parse(seen)
		if err != nil || here.ResolveReference(u).Host != local || !strings.HasPrefix(got, "/") {
			t.Errorf("%q leads to %q (%v), want this host", text, got, err)
		}
	})
}

// OC-07: what a theme's cookie says reaches the page only as one of three words.
func TestThemeIsAWord(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	v.leads(v.post("/settings/look", "theme", "dark"), "/settings?done=theme_kept")
	v.says(v.get("/settings"), http.StatusOK, `data-theme="dark"`)
	v.leads(v.post("/settings/look", "theme", `"><script>x`), "/settings?done=theme_kept")
	session := v.cookies["pdpp-8377"]
	v.cookies = nil
	for _, evil := range []string{`dark"onload="x`, `"dark><script>"`, "DARK", "dark light", ""} {
		v.header.Set("Cookie", "pdpp-theme="+evil+"; pdpp-8377="+session)
		v.says(v.get("/settings"), http.StatusOK, `data-theme="auto"`)
	}
}

// OC-05: headers of more than 16 KiB are refused before a page sees them.
func TestLargeHeaders(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	l, err := listen.Open(t.Context(), listen.Options{Address: "127.0.0.1:0"})
	b.ok(err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- api.Serve(ctx, l, b.face, slog.New(slog.DiscardHandler)) }()
	for size, want := range map[int]int{4 << 10: http.StatusMisdirectedRequest, 64 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Addr().String()+"/", nil)
		b.ok(err)
		r.Header.Set("Cookie", strings.Repeat("a", size))
		r.Close = true
		got, err := http.DefaultTransport.RoundTrip(r)
		b.ok(err)
		if b.ok(got.Body.Close()); got.StatusCode != want {
			t.Errorf("%d bytes of headers: got %d, want %d", size, got.StatusCode, want)
		}
	}
	stop()
	b.ok(<-ended)
}

// OC-07: a form larger than any of ours is refused, read no further than that.
func TestHugeForms(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	sent := &endless{}
	a := v.do(http.MethodPost, "/settings/tokens", "application/x-www-form-urlencoded", sent)
	if a.status < 400 || sent.n > 4<<20 {
		t.Errorf("got %d after %d bytes, want a refusal within 4 MiB", a.status, sent.n)
	}
	v.header = http.Header{} // its proof is looked for in the form
	sent = &endless{}
	if a := v.do(http.MethodPost, "/settings/tokens", "application/x-www-form-urlencoded", sent); a.status != http.StatusForbidden || sent.n > 4<<20 {
		t.Errorf("without proof: got %d after %d bytes, want 403 within 4 MiB", a.status, sent.n)
	}
	sent = &endless{}
	if a := v.do(http.MethodPost, "/settings/tokens", "multipart/form-data; boundary=x", sent); a.status != http.StatusForbidden || sent.n > 0 {
		t.Errorf("a multipart form without proof: got %d after %d bytes, want 403 and none read", a.status, sent.n)
	}
}

// endless is a body that does not end.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	e.n += len(p)
	return len(p), nil
}
