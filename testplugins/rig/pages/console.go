package pages

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/console"
	"github.com/pdpp-host/pdpp-host/host/console/questions"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// Console serves the console and the owner's API on this machine until the test ends. Without a
// server no page begins a run.
func Console(t testing.TB, as func(owner.Actor) *owner.Owner, server *serving.Server, logger *slog.Logger) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	at, known := s.Listener.Addr().(*net.TCPAddr)
	if !known {
		t.Fatal("got no address of the server's")
	}
	guard := &web.Guard{As: as, Listening: netip.AddrPortFrom(at.AddrPort().Addr().Unmap(), at.AddrPort().Port())}
	source, err := live.OpenSource(t.Context(), as(owner.Actor{}))
	if err != nil {
		t.Fatal(err)
	}
	hub := live.New(source, time.Now, logger)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the hub: got %v, want no error", err)
		}
	})
	pages := &site.Site{Guard: guard, Now: time.Now, Logger: logger, Version: "test", Server: server, Asked: questions.Asked, Waiting: questions.Waiting}
	a := ownerapi.New(ownerapi.Deps{Guard: guard, Live: hub, Random: rand.Reader, Logger: logger, Version: "test"})
	mux.Handle("/", console.New(pages))
	mux.Handle(ownerapi.Prefix+"/", a)
	mux.Handle("/events", guard.Handler(a.SessionEvents(), pages.Refuse))
	return s
}

// SignIn claims the host for its owner, and returns the cookie of their browser.
func SignIn(t testing.TB, o *owner.Owner, s *httptest.Server) *http.Cookie {
	t.Helper()
	link, err := access.OfferLink(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := access.Claim(t.Context(), o, link.Code, "four plain words here", "a browser")
	if err != nil {
		t.Fatal(err)
	}
	return &http.Cookie{Name: "pdpp-" + s.URL[strings.LastIndexByte(s.URL, ':')+1:], Value: opened.Secret, HttpOnly: true} //nolint:gosec // given to a browser of the test's
}
