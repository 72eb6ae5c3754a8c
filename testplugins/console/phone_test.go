package console

import (
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-13: every place of the navigation stands within the window of a phone, where nothing says
// that more is beside it.
func TestAPhoneShowsEveryPlace(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	for _, width := range []int{390, 320} {
		p := signedIn(t, bed.New(t), browser.Options{Width: width, Height: 844})
		p.Open("/")
		out := p.Eval(`[...document.querySelectorAll("nav a, nav button")].filter((e) => {
			const r = e.getBoundingClientRect();
			return r.width === 0 || r.left < 0 || r.right > innerWidth || r.bottom > innerHeight / 3;
		}).map((e) => e.innerText).join(", ")`).Str()
		if out != "" {
			t.Errorf("a window of %d: got %s outside of its upper third, want every place in it", width, out)
		}
	}
}

// OC-13: the page of the API looks like the others, on a phone too. The browser finds an icon
// where it looks for one by itself.
func TestTheReferenceIsAPage(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	browser.NeedAxe(t)
	owner := bed.New(t)
	cookie := owner.Claim()
	for look, o := range looks {
		v := browser.Visit(t, owner.Origin(), o)
		v.Give(cookie)
		p := v.Page()
		p.Open("/api-reference")
		p.See("GET /v1/owner/passkeys", "Sign out")
		if got := p.Eval(`getComputedStyle(document.body).margin`).Str(); got != "0px" {
			t.Errorf("%s: got a margin of %s, want the console's style", look, got)
		}
		sound(t, p, "/api-reference")
	}
	answer, err := http.Get(owner.Origin() + "/favicon.ico") //nolint:noctx // the test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // read-only
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || kind != "image/svg+xml" {
		t.Errorf("/favicon.ico: got %s of %q, want an SVG picture", answer.Status, kind)
	}
}
