package sites

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	hostowner "github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
	visitor "github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pages"
)

// served serves the world's console to its owner's browser, and returns a page of that. Its log
// lies with everything else.
func (w *world) served(t *testing.T, r *handoff.Registry) *visitor.Page {
	t.Helper()
	log, err := os.Create(filepath.Join(w.dir, "console-log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	as := func(a hostowner.Actor) *hostowner.Owner {
		return hostowner.New(hostowner.Deps{
			Now: time.Now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler), Handoffs: r, Actor: a, Vault: vault.Options{Dir: w.dir, Mode: vault.ModeFile},
			Open: func(context.Context) (*storage.Store, error) { return w.store, nil },
		})
	}
	console := pages.Console(t, as, nil, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	v := visitor.Visit(t, console.URL, visitor.Options{})
	v.Give(pages.SignIn(t, as(hostowner.Actor{Face: hostowner.CommandLine}), console))
	return v.Page()
}

// place is where a place of the shop's page is in the window of its owner's browser.
func place(p *visitor.Page, x, y float64) (at [2]float64) {
	var on struct{ Left, Top, Width, Height float64 }
	if err := p.Eval(`(() => { const r = document.getElementById("handoff-page").getBoundingClientRect(); return {Left: r.left, Top: r.top, Width: r.width, Height: r.height}; })()`).Unmarshal(&on); err != nil {
		panic(err) // four numbers
	}
	return [2]float64{on.Left + x*on.Width/1280, on.Top + y*on.Height/720}
}

// T2, OC-17, BR-15: a run asks its owner to hold a button. The owner opens the shop's page in the
// console, types a note and holds the button, all in their own browser; the shop sees a
// person, the page ends by itself, and the run goes on. Nothing keeps what was typed.
func TestHandOffInTheConsole(t *testing.T) {
	t.Parallel()
	visitor.Find(t)
	shop := &Shop{Username: "ana", Password: password, Hold: true, Orders: 2}
	site := Serve(shop)
	t.Cleanup(site.Close)
	w := newWorld(t, site)
	registry := handoff.New(time.Now, rand.Reader)
	w.secrets = map[string]string{"username": "ana", "password": password}
	w.parked(t, registry)
	p := w.served(t, registry)
	results := make(chan *run.Result, 1)
	go func() {
		defer close(results)
		results <- w.collect()
	}()
	t.Cleanup(func() { <-results })

	p.Open("/questions")
	p.ReloadUntil("example_shop asks")
	p.Press("Answer")
	p.At("/questions/")
	p.See(accountsHost, "Show that you are a person")
	p.Press("Open")
	p.At("/handoffs/")
	p.Holds(`document.getElementById("handoff-page").width === 1280`)
	beside := place(p, 200, 240)
	p.Down(beside[0], beside[1])
	p.Up(beside[0], beside[1])
	p.Fill("Text for the page", note)
	p.Press("Type it")
	p.Holds(`document.getElementById("handoff-text").value === ""`)
	on := place(p, 200, 140)
	p.Down(on[0], on[1])
	p.Holds(`(window.heldSince ||= performance.now()) + 4500 < performance.now()`)
	p.Up(on[0], on[1])
	p.See("The page is done, and the run goes on")
	p.Press("What became of the question")
	p.ReloadUntil("It was answered") // which is written once the run has the page's end
	res := <-results
	if res == nil || res.Status != run.StatusSucceeded || res.Records["orders"].Upserted != 2 {
		t.Fatalf("got the run %+v, want two orders", res)
	}
	if got := shop.Notes(); !slices.Equal(got, []string{note}) {
		t.Errorf("the shop got %q, want what the owner typed", got)
	}
	w.unseen(t, password, note)
}
