package browser

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/call"
)

// T7: whatever in a page asks the provider, one governor lets it go: at a ceiling of ten a
// second the site never sees more, from a page's loop, a worker, a popup and a service worker
// together; no request waits twice, and none goes past it (BR-07, RT-20, Invariant 10).
func TestOneGovernor(t *testing.T) {
	t.Parallel()
	const each = 8
	shop := newSite(t, map[string]string{
		"/": "<title>shop</title>", "/pop": `<title>pop</title><script>for (let i = 0; i < 8; i++) fetch("/api/popup" + i)</script>`,
		"/worker.js": `for (let i = 0; i < 8; i++) fetch("/api/worker" + i)`,
		"/sw.js":     `self.oninstall = e => self.skipWaiting(); self.onactivate = e => e.waitUntil(clients.claim()); self.onmessage = e => { for (let i = 0; i < 8; i++) fetch("/api/service" + i) }`,
	})
	interval := int64(100)
	session, err := call.Open(call.Options{
		Network:   &abi.NetworkRequirements{Provider: &abi.Provider{DiscoveryMS: &interval, MinIntervalMS: interval}},
		Connector: "shop", Clock: send.SystemClock{}, Random: rand.Float64,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := request(t)
	r.Dialer, r.Trust = shop.known(), []string{shop.key()}
	asks := &abi.BrowserRequirements{StartURL: "https://shop.example/", Hosts: []abi.BrowserHost{{Host: "shop.example", Role: abi.RoleProvider}}}
	b := &bound{Binding: Bind(r, asks, session, nil), t: t}
	t.Cleanup(func() { _ = b.Close() })
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"eval","fn":"async () => { const w = await navigator.serviceWorker.register('/sw.js'); for (; !w.active;) await new Promise(r => setTimeout(r, 20)); w.active.postMessage('go') }"}`)
	began := time.Now()
	b.does(`{"do":"eval","fn":"() => { const s = document.createElement('script'); s.textContent = 'new Worker(\"/worker.js\"); for (let i = 0; i < 8; i++) fetch(\"/api/page\" + i)'; document.body.append(s); ` +
		`const a = document.body.appendChild(document.createElement('a')); a.id = 'pop'; a.href = '/pop'; a.target = '_blank'; a.textContent = 'pop' }"}`)
	b.does(`{"do":"click","selector":"#pop","expect":"popup"}`)
	api := func() (n int) {
		for _, line := range shop.requests() {
			if strings.HasPrefix(line, "GET /api/") {
				n++
			}
		}
		return n
	}
	until(t, "everything was asked", func() bool { return api() == 4*each })
	took := time.Since(began)
	if most := int(took.Milliseconds()/interval) + each/2; api() > most {
		t.Errorf("got %d requests in %s, want at most %d", api(), took, most)
	}
	// The site knows of a request before its answer is back.
	until(t, "the run counts each request of the site once", func() bool { return session.Counts().Sent == int64(len(shop.requests())) })
	if n := session.DoubleWaits(); n != 0 {
		t.Errorf("%d requests waited twice, want none", n)
	}
	t.Logf("%d requests in %s", api(), took.Round(time.Millisecond))
}
