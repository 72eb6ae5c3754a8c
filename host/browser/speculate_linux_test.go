package browser

import (
	"slices"
	"testing"
)

// A page that asks the browser to fetch or to build other pages ahead of time has none of them asked for
// past the governor (BR-07, Invariant 10).
func TestNothingIsFetchedAhead(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>", "/ahead": "<title>ahead</title>", "/built": "<title>built</title>", "/last": "last"})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"eval","fn":"async () => { const s = document.createElement('script'); s.type = 'speculationrules'; ` +
		`s.textContent = JSON.stringify({prefetch: [{urls: ['/ahead'], eagerness: 'immediate'}], prerender: [{urls: ['/built'], eagerness: 'immediate'}]}); document.head.append(s); ` +
		`for (let i = 0; i < 20; i++) await (await fetch('/last', {cache: 'no-store'})).text() }","timeout_ms":300000}`)
	b.f.lock.Lock()
	defer b.f.lock.Unlock()
	for _, path := range []string{"GET /ahead", "GET /built"} {
		if slices.Contains(shop.requests(), path) && !slices.Contains(b.f.sent, path) {
			t.Errorf("%s: got it past the governor, want it governed or not sent", path)
		}
	}
}
