package access_test

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/console"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

const (
	local    = "127.0.0.1:8377"
	public   = "pdpp.example.org"
	password = "four plain words here"
)

// bed is a console over a real store, with a clock that the test moves.
type bed struct {
	t     testing.TB
	us    atomic.Int64
	owner *owner.Owner
	guard *web.Guard
	face  http.Handler
	dir   string
	from  string // who asks next
}

func newBed(t testing.TB) *bed {
	t.Helper()
	b := &bed{t: t, dir: t.TempDir(), from: "192.0.2.7:4444"}
	b.us.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	now := func() time.Time { return time.UnixMicro(b.us.Load()) }
	store, err := storage.Open(t.Context(), storage.Options{Path: fresh.Store(t, filepath.Join(b.dir, "pdpp.sqlite")), Now: now})
	b.ok(err)
	t.Cleanup(func() { _ = store.Close() })
	c, err := config.Load(config.Source{File: os.DevNull, Home: b.dir, Environ: []string{"PDPP_DATA_DIR=" + b.dir, "PDPP_LIMITS_MODULE_SIZE=8MiB"}})
	b.ok(err)
	b.guard = &web.Guard{Listening: netip.MustParseAddrPort(local), Origin: "https://" + public}
	b.guard.As = func(a owner.Actor) *owner.Owner {
		return owner.New(owner.Deps{
			Config: c, Open: func(context.Context) (*storage.Store, error) { return store, nil }, Actor: a, Now: now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
			Engine: func(use func(*plugin.Engine) error) error {
				e, err := plugin.NewEngine(plugin.Options{Isolation: config.IsolationInline, Limits: plugin.DefaultLimits(), Logger: slog.New(slog.DiscardHandler)})
				if err != nil {
					return err
				}
				defer e.Close() //nolint:errcheck // it keeps nothing
				return use(e)
			},
		})
	}
	b.owner = b.guard.As(owner.Actor{Face: owner.CommandLine})
	b.face = console.New(&site.Site{Guard: b.guard, Now: now, Logger: slog.New(slog.DiscardHandler), Version: "test"})
	return b
}

func (b *bed) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) forward(d time.Duration) { b.us.Add(d.Microseconds()) }

// visitor is a browser, with the cookies that it was given.
type visitor struct {
	*bed

	host    string
	cookies map[string]string
	header  http.Header // of each request
}

func (b *bed) visitor() *visitor {
	return &visitor{bed: b, host: local, cookies: map[string]string{}, header: http.Header{"Sec-Fetch-Site": {"same-origin"}}}
}

// answer is what a browser got.
type answer struct {
	status int
	header http.Header
	body   string
}

func (v *visitor) do(method, path, kind string, body io.Reader) answer {
	v.t.Helper()
	r := httptest.NewRequestWithContext(v.t.Context(), method, "http://"+v.host+path, body)
	r.RemoteAddr = v.from
	r.Header = v.header.Clone()
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	v.face.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		v.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		}
	}
	return answer{w.Code, w.Header(), w.Body.String()}
}

func (v *visitor) get(path string) answer {
	v.t.Helper()
	return v.do(http.MethodGet, path, "", nil)
}

func (v *visitor) post(path string, pairs ...string) answer {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return v.do(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// leads reports where an answer sends the browser.
func (v *visitor) leads(a answer, to string) {
	v.t.Helper()
	if got := a.header.Get("Location"); a.status != http.StatusSeeOther || got != to {
		v.t.Errorf("got %d to %q, want 303 to %q: %s", a.status, got, to, a.body)
	}
}

func (v *visitor) says(a answer, status int, text string) {
	v.t.Helper()
	if a.status != status || !strings.Contains(a.body, text) {
		v.t.Errorf("got %d %s, want %d with %q", a.status, a.body, status, text)
	}
}

func (b *bed) link() string {
	b.t.Helper()
	link, err := access.OfferLink(b.t.Context(), b.owner)
	b.ok(err)
	return link.Code
}

// owned is a browser of the owner, who has just claimed the host.
func (b *bed) owned() *visitor {
	b.t.Helper()
	v := b.visitor()
	v.leads(v.post("/set-up", "code", b.link(), "password", password, "again", password), "/?done=password_set")
	return v
}
