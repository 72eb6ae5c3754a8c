package browser

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// page is a page of a test's browser.
type page struct {
	b       *Browser
	target  proto.TargetTargetID
	session proto.TargetSessionID
}

// open opens a page, and returns when it has loaded.
func (b *Browser) open(t testing.TB, address string) *page {
	t.Helper()
	on := b.line.On(t.Context(), "")
	made, err := proto.TargetCreateTarget{URL: "about:blank"}.Call(on)
	if err != nil {
		t.Fatal(err)
	}
	attached, err := proto.TargetAttachToTarget{TargetID: made.TargetID, Flatten: true}.Call(on)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{b, made.TargetID, attached.SessionID}
	loaded := b.line.Queue("Page.loadEventFired", 100)
	if err := (proto.PageEnable{}).Call(b.line.On(t.Context(), p.session)); err != nil {
		t.Fatal(err)
	}
	got, err := proto.PageNavigate{URL: address}.Call(b.line.On(t.Context(), p.session))
	if err != nil || got.ErrorText != "" {
		t.Fatalf("%s: got %v, %v, want the page", address, got, err)
	}
	for {
		select {
		case e := <-loaded:
			if e.Session == p.session {
				return p
			}
		case <-b.Ended():
			t.Fatalf("the browser is gone: %v", b.line.Err())
		}
	}
}

// eval runs an expression in a page, waits for its promise, and returns its value.
func (p *page) eval(t testing.TB, expression string) any {
	t.Helper()
	got, err := proto.RuntimeEvaluate{Expression: expression, AwaitPromise: true, ReturnByValue: true, UserGesture: true}.Call(p.b.line.On(t.Context(), p.session))
	if err != nil {
		t.Fatalf("%.80s: %v", expression, err)
	}
	if got.ExceptionDetails != nil {
		t.Fatalf("%.80s: %s", expression, got.ExceptionDetails.Exception.Description)
	}
	return got.Result.Value.Val()
}

// site is shop.example: what it has by path, and what it was asked for.
type site struct {
	*httptest.Server

	pages map[string]string                             // by path
	other func(http.ResponseWriter, *http.Request) bool // answers what no page does; nil: nothing

	lock   sync.Mutex
	asked  []string
	agents []string // by request, with the brands that it names
}

func newSite(t testing.TB, pages map[string]string) *site {
	t.Helper()
	s := serve(pages)
	t.Cleanup(s.Close)
	return s
}

// serve starts a site. Close it.
func serve(pages map[string]string) *site {
	s := &site{pages: pages}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.lock.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.agents = append(s.agents, r.Method+" "+r.URL.Path+" "+r.UserAgent()+" "+r.Header.Get("Sec-Ch-Ua"))
		s.lock.Unlock()
		text, ok := pages[r.URL.Path]
		if !ok && s.other != nil && s.other(w, r) {
			return
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		} else {
			w.Header().Set("Content-Type", "text/html")
		}
		fmt.Fprint(w, text)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // the browser hangs up on a certificate before it is told to take it
	s.EnableHTTP2 = true                           // one connection, whose certificate is taken once: that of a service worker's script never is
	s.StartTLS()
	return s
}

// known returns a Dialer that reaches the site as shop.example.
func (s *site) known() sites { return sites{"shop.example:443": s.Listener.Addr().String()} }

func (s *site) requests() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return append([]string(nil), s.asked...)
}

// said are the requests so far, with their agents.
func (s *site) said() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return append([]string(nil), s.agents...)
}

// trust has a browser take the certificates of the test's own sites.
func (b *Browser) trust(t testing.TB) {
	t.Helper()
	if err := (proto.SecuritySetIgnoreCertificateErrors{Ignore: true}).Call(b.line.On(t.Context(), "")); err != nil {
		t.Fatal(err)
	}
}
