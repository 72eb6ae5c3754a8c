package browser

import (
	"strings"
	"testing"
)

// says has a page, a worker, a shared worker and a service worker say who they are.
const says = `async () => {
	const who = "({agent: navigator.userAgent, brands: (navigator.userAgentData?.brands ?? []).map(b => b.brand + ' ' + b.version).join()})";
	const kind = {page: eval(who), marked: navigator.webdriver};
	kind.worker = await new Promise(r => { new Worker("/worker.js").onmessage = e => r(e.data) });
	kind.shared = await new Promise(r => { new SharedWorker("/shared.js").port.onmessage = e => r(e.data) });
	const sw = await navigator.serviceWorker.register("/sw.js");
	for (; !sw.active;) await new Promise(r => setTimeout(r, 20));
	kind.service = await new Promise(r => { navigator.serviceWorker.onmessage = e => r(e.data); sw.active.postMessage("go") });
	return JSON.stringify(kind) }`

// A browser without a window says that it is the browser that it is, from its first request on,
// and its hints agree; whether pages see that a program drives it is its owner's choice (BR-20).
func TestSaysWhatItIs(t *testing.T) {
	t.Parallel()
	const who = `{agent: navigator.userAgent, brands: (navigator.userAgentData?.brands ?? []).map(b => b.brand + " " + b.version).join()}`
	shop := newSite(t, map[string]string{
		"/": "<title>shop</title>", "/data": "x",
		"/worker.js": `fetch("/data?worker").then(() => postMessage(` + who + `))`,
		"/shared.js": `onconnect = e => fetch("/data?shared").then(() => e.ports[0].postMessage(` + who + `))`,
		"/sw.js": `self.oninstall = () => self.skipWaiting(); self.onactivate = e => e.waitUntil(clients.claim());
			self.onmessage = e => fetch("/data?service").then(() => e.source.postMessage(` + who + `))`,
	})
	for _, unmarked := range []bool{false, true} {
		r := request(t)
		r.Dialer, r.Trust, r.Unmarked = shop.known(), []string{shop.key()}, unmarked
		b := acquire(t, r)
		version := major(b.Product) // as in Chrome/156.
		p := b.open(t, "https://shop.example/")
		got, _ := p.eval(t, "("+says+")()").(string)
		if strings.Contains(strings.ToLower(got), "headless") || strings.Count(got, version) != 4 {
			t.Errorf("got %s, want %s in each of the four, and headless in none", got, version)
		}
		if brand := strings.Trim(strings.TrimPrefix(version, "Chrome/"), "."); strings.Count(got, " "+brand) < 2 {
			t.Errorf("got %s, want its version %s among the brands of page and worker", got, brand)
		}
		if want := `"marked":` + map[bool]string{false: "true", true: "false"}[unmarked]; !strings.Contains(got, want) {
			t.Errorf("unmarked %v: got %s, want %s", unmarked, got, want)
		}
		if err := b.Close(); err != nil {
			t.Errorf("closing: got %v, want nil", err)
		}
	}
	said := shop.said()
	for _, a := range said {
		if strings.Contains(strings.ToLower(a), "headless") || !strings.Contains(a, "Chrome/") {
			t.Errorf("a site got %s, want the browser's own name", a)
		}
	}
	if len(said) < 2*(1+3+3) { // the first page, three scripts, and what each asks for
		t.Errorf("got %d requests, want those of pages and workers", len(said))
	}
}

// A program that became another one since it was asked is asked again (BR-20).
func TestAgentOfAnUpdate(t *testing.T) {
	t.Parallel()
	r := request(t)
	agents.Store(r.Program, "Mozilla/5.0 Chrome/1.0.0.0")
	b := acquire(t, r)
	if known, _ := agents.Load(r.Program); !strings.Contains(known.(string), major(b.Product)) {
		t.Errorf("got the agent %v, want that of %s", known, b.Product)
	}
}
