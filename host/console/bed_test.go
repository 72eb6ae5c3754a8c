package console_test

import (
	"compress/gzip"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console"
	"github.com/pdpp-host/pdpp-host/host/console/questions"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

const address = "127.0.0.1:8377"

// bed is the console over a host that serves, and a browser that is signed in.
type bed struct {
	*served.Host

	t      testing.TB
	logs   *logged
	pages  http.Handler
	cookie string
}

// desk returns where apps ask, over the bed's store.
func (b *bed) desk() *desk.Desk {
	b.t.Helper()
	store, err := b.Owner.Store(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return &desk.Desk{Store: store, Now: time.Now, Random: rand.Reader}
}

func newBed(t testing.TB) *bed {
	t.Helper()
	h := served.New(t, "testplugins/guests/scripted", "testplugins/guests/credentialed")
	guard := &web.Guard{As: h.Server.Asks, Listening: netip.MustParseAddrPort(address)}
	b := &bed{Host: h, t: t, logs: new(logged)}
	b.pages = console.New(&site.Site{
		Guard: guard, Now: time.Now, Logger: slog.New(slog.NewTextHandler(b.logs, &slog.HandlerOptions{Level: slog.LevelDebug})), Version: "test", Server: h.Server,
		Asked: questions.Asked, Waiting: questions.Waiting,
	})
	link, err := access.OfferLink(t.Context(), h.Owner)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := access.Claim(t.Context(), h.Owner, link.Code, "four plain words here", "a browser")
	if err != nil {
		t.Fatal(err)
	}
	b.cookie = "pdpp-8377=" + opened.Secret
	return b
}

// logged is what the pages log.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *logged) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// answer is what a page answered.
type answer struct {
	status int
	body   string
	to     string // where it sends the browser
}

func (b *bed) ask(method, path string, form url.Values, header map[string]string) answer {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, "http://"+address+"/", strings.NewReader(form.Encode()))
	u, err := url.ParseRequestURI(path)
	if err != nil {
		b.t.Fatal(err)
	}
	r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.RequestURI = u.Path, u.RawPath, u.RawQuery, path
	r.Header.Set("Cookie", b.cookie)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for k, v := range header {
		if r.Header.Set(k, v); v == "" {
			r.Header.Del(k)
		}
	}
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, r)
	body := w.Body.String()
	if w.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(w.Body)
		if err != nil {
			b.t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			b.t.Fatal(err)
		}
		body = string(plain)
	}
	return answer{w.Code, body, w.Header().Get("Location")}
}

func (b *bed) get(path string) answer {
	b.t.Helper()
	return b.ask(http.MethodGet, path, nil, nil)
}

// done posts a form and wants to be sent to a page that says what was done.
func (b *bed) done(path string, form url.Values, to string) answer {
	b.t.Helper()
	a := b.ask(http.MethodPost, path, form, nil)
	if got, _, _ := strings.Cut(a.to, "?"); a.status != http.StatusSeeOther || got != to {
		b.t.Errorf("POST %s: got %d to %q, want %d to %q: %s", path, a.status, a.to, http.StatusSeeOther, to, problem(a.body))
	}
	return a
}

var (
	alert  = regexp.MustCompile(`(?s)role="alert">(.*?)</(?:section|p)>`)
	hidden = regexp.MustCompile(`name="(\w+)" value="([^"]*)"`)
)

// problem is what a page says went wrong.
func problem(body string) string {
	if m := alert.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// hiddenIn returns the hidden field of a page.
func hiddenIn(body, name string) string {
	for _, m := range hidden.FindAllStringSubmatch(body, -1) {
		if m[1] == name {
			return m[2]
		}
	}
	return ""
}

// events are the operations of audit events by the browser, the newest first.
func (b *bed) events() (list []string) {
	b.t.Helper()
	all, err := b.Owner.AuditEvents(b.t.Context(), ownerQuery())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range all.Events {
		if e.Actor == "session" {
			list = append(list, e.Operation+" "+e.Outcome)
		}
	}
	return list
}
