package console

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/console"
	"github.com/pdpp-host/pdpp-host/host/console/questions"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

// looksOn serves the console of an owner's data and schedules nothing. It returns its origin.
func looksOn(t *testing.T, o *bed.Owner) string {
	t.Helper()
	own := served.Owner(t, o.Data, nil)
	if _, err := own.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", o.Origin()[len("http://"):]) //nolint:noctx // no name is resolved
	if err != nil {
		t.Fatal(err)
	}
	guard := &web.Guard{Listening: netip.MustParseAddrPort(l.Addr().String()), As: func(a owner.Actor) *owner.Owner { return own.As(a, nil) }}
	logger := slog.New(slog.DiscardHandler)
	source, err := live.OpenSource(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	hub := live.New(source, time.Now, logger)
	ctx, stop := context.WithCancel(context.Background())
	var hubs sync.WaitGroup
	hubs.Go(func() { _ = hub.Run(ctx) })
	api := ownerapi.New(ownerapi.Deps{Guard: guard, Live: hub, Random: rand.Reader, Logger: logger, Version: "test"})
	pages := &site.Site{
		Guard: guard, Now: time.Now, Logger: logger, Version: "test", Server: &serving.Server{Owner: own}, Asked: questions.Asked, Waiting: questions.Waiting,
	}
	mux := http.NewServeMux()
	mux.Handle("/", console.New(pages))
	mux.Handle("/events", guard.Handler(api.SessionEvents(), pages.Refuse))
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}}
	s.Start()
	t.Cleanup(func() {
		stop()
		hubs.Wait()
		s.Close()
		if err := own.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.URL
}

// HL-28.1, HL-28.2, OC-17: the ninth story. The scheduler is dead, and the console goes on: it
// says so once, where the connections are listed and where one is shown. The connection that
// needed its owner before raises no alarm beside that, and keeps its pill.
func TestTheSchedulerIsDead(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := collected(t)
		owner.Says(0, "connections", "add", "unsigned", "github", "--accept")
		_ = owner.Command("run", "unsigned", "--no-input").Run() // without its credential
		cookie := owner.Claim()
		before := browser.Visit(t, owner.Origin(), o)
		before.Give(cookie)
		p := before.Page()
		p.Open("/")
		p.See("One thing needs you", "unsigned: Sign in")
		p.Away(true)
		owner.Kill()
		v := browser.Visit(t, looksOn(t, owner), o)
		v.Give(cookie)
		p = v.Page()
		const fault = "The scheduler has stopped; nothing is collected until it runs again."
		p.Open("/")
		p.See("Nothing needs you", fault, "github", "claude_code", "Healthy", "unsigned")
		text := p.Text()
		if n := strings.Count(text, "scheduler"); n != 1 {
			t.Errorf("the overview speaks of the scheduler %d times, want once: %s", n, text)
		}
		if n := p.Eval(`[...document.querySelectorAll(".do, .notice")].filter((e) => e.checkVisibility()).length`).Int(); n != 1 {
			t.Errorf("the overview has %d alarms, want the scheduler's alone: %s", n, text)
		}
		if n := p.Eval(`document.querySelectorAll(".row .pill.bad").length`).Int(); n != 1 {
			t.Errorf("the overview shows %d connections that cannot collect, want the one that could not before", n)
		}
		p.PressOne("link", "Healthy")
		p.At("/connections/")
		p.See(fault, "Healthy")
	})
}
