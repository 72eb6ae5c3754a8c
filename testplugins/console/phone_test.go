package console

import (
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
