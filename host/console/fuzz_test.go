package console_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
)

// FuzzDataQuery: no question about stored records breaks a page, and none comes back as markup.
func FuzzDataQuery(f *testing.F) {
	b := newBed(f)
	b.stored("mail", letters(3))
	for _, q := range []string{"", "q=spring", "q=%22%3Cb%3E%26", "col=%3Cb%3E%26&field=n&op=gte&value=1e999", "cursor=AAAA&order=asc", "key=k001", "key=%00%ff", "year=99999999999&from=1", "field=at&op=lt&value=2025"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/", http.NoBody)
		r.Header.Set("Cookie", b.cookie)
		r.URL.RawQuery = q
		for _, r.URL.Path = range []string{"/data", "/data/search", "/data/mail/letters", "/data/mail/letters/record"} {
			w := httptest.NewRecorder()
			if b.pages.ServeHTTP(w, r); w.Code >= http.StatusInternalServerError || strings.Contains(w.Body.String(), "<b>&") {
				t.Errorf("%s?%s: got %d, want an answer without markup of others", r.URL.Path, q, w.Code)
			}
		}
	})
}

// FuzzRoutes: no address and no form makes a page panic, or answers an internal error, whoever
// asks; and what came by the address stands in no page as markup.
func FuzzRoutes(f *testing.F) {
	for _, path := range []string{"/", "/?name=<b>&state=red&after=x&done=run_started", "/runs/%00", "/connections/../x/run", "/connections/%2e%2e/part", "/add/%ff", "/sign-in?next=//evil",
		"/data?year=x&from=-1", "/data/search?q=%ff&cursor=x", "/data/x/y?col=<b>&field=a&op=gte&value=%00&order=asc&cursor=_", "/data/%2e%2e/y/record?key=%00<b>", "/data/x/y/export?format=csv"} {
		f.Add(true, path, "way=every&number=1&unit=0&again=x&field=token&value=v&mark=m&allow=a&root:x=y&option:y=z")
		f.Add(false, path, "%zz;;=")
	}
	store, err := storage.Open(context.Background(), storage.Options{Path: filepath.Join(f.TempDir(), "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = store.Close() })
	guard := &web.Guard{Listening: netip.MustParseAddrPort(address), As: func(a owner.Actor) *owner.Owner {
		return owner.New(owner.Deps{Open: func(context.Context) (*storage.Store, error) { return store, nil }, Actor: a, Now: time.Now, Random: rand.Reader})
	}}
	pages := console.New(&site.Site{Guard: guard, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, post bool, path, form string) {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			return
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/", strings.NewReader(form))
		if post {
			r.Method = http.MethodPost
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.RequestURI = u.Path, u.RawPath, u.RawQuery, path
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError || strings.Contains(w.Body.String(), "<b>&") {
			t.Errorf("%s %q with %q: got %d, want an answer without markup of others", r.Method, path, form, w.Code)
		}
	})
}
