package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// site is a host whose pages do what they must not.
func site(t *testing.T) string {
	t.Helper()
	pages := map[string]string{
		"/good":    `<p>good</p>`,
		"/policy":  `<p>policy</p><script>document.title = 'ran'</script>`,
		"/throws":  `<p>throws</p><script src="/script.js"></script>`,
		"/foreign": `<p>foreign</p><img src="http://elsewhere.example/i.png" alt="">`,
		"/missing": `<p>missing</p><img src="/none.png" alt="">`,
		"/form": `<form action="/good"><label for="n">Name</label><input id="n" name="n"><select aria-label="Kind"><option>a</option><option>b</option></select>
			<button>Send</button></form>`,
		"/bad": `<div role="button">x</div><img src="/i.svg"><button style="outline:none;box-shadow:none">y</button><a href="/good" tabindex="-1">z</a>
			<div style="width:5000px">w</div>`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch body, known := pages[r.URL.Path]; {
		case r.URL.Path == "/script.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprint(w, "console.error('said'); throw new Error('thrown')")
		case r.URL.Path == "/i.svg" || r.URL.Path == "/favicon.ico":
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
		case known:
			if r.URL.Path != "/foreign" && r.URL.Path != "/bad" {
				w.Header().Set("Content-Security-Policy", "default-src 'self'")
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, "<!DOCTYPE html><html lang=en><title>t</title><main><h1>t</h1>"+body+"</main></html>")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// OC-07: what a page does against its policy, on the console and beyond its host does not go
// unseen, and nothing leaves.
func TestTroubleIsSeen(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	home := site(t)
	for path, want := range map[string][]string{
		"/good": nil, "/policy": {"is against its policy"}, "/throws": {"wrote to the console: ", "threw: Error: thrown"},
		"/foreign": {"asks for what is not this host's: http://elsewhere.example/i.png"}, "/missing": {"was answered 404 by "},
		"/none": {"was answered 404 by "},
	} {
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			judged := &judge{TB: t}
			v := browser.Visit(judged, home, browser.Options{})
			p := v.Page()
			p.Open(path)
			p.Holds("document.readyState === 'complete'")
			for _, end := range slices.Backward(judged.ends) {
				end()
			}
			got := judged.said
			for _, text := range want {
				if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, text) }) {
					t.Errorf("got %q, want one that holds %q", got, text)
				}
			}
			if asked := slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "GET http://elsewhere.example/i.png") }); asked != (path == "/foreign") {
				t.Errorf("the proxy was asked for the foreign picture: %v, want %v", asked, path == "/foreign")
			}
			if want == nil && len(got) > 0 {
				t.Errorf("got %q, want nothing", got)
			}
		})
	}
}

// judge keeps the failures of a visit, and ends it when it is told to.
type judge struct {
	testing.TB

	said []string
	ends []func()
}

func (*judge) Helper()                     {}
func (j *judge) Errorf(f string, a ...any) { j.said = append(j.said, fmt.Sprintf(f, a...)) }
func (j *judge) Cleanup(f func())          { j.ends = append(j.ends, f) }

// A form is filled and sent alike with and without scripts, and without them none runs.
func TestScriptsAreOff(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	home := site(t)
	for _, off := range []bool{false, true} {
		p := browser.Visit(t, home, browser.Options{NoScripts: off}).Page()
		p.Open("/form")
		p.Fill("Name", "one")
		p.Fill("Name", "two")
		p.Choose("Kind", "b")
		p.Press("Send")
		p.At("/good?n=two")
		p.Takes("said")
		p.Takes("thrown")
		p.Open("/throws")
		p.See("throws")
	}
	p := browser.Visit(t, home, browser.Options{NoScripts: true}).Page()
	p.Open("/throws")
	p.See("throws")
}

// A page that keeps out people who do not see, use no mouse or have a small screen is found.
func TestWrongPages(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	p := browser.Visit(t, site(t), browser.Options{Width: 320}).Page()
	p.Open("/bad")
	if got := p.Wider(); len(got) == 0 {
		t.Error("a page that is too wide passes, want what makes it so")
	}
	wrong := strings.Join(p.Keyboard(), "\n")
	if !strings.Contains(wrong, "shows no focus: <button") {
		t.Errorf("by the keyboard: got %q, want the button that shows no focus", wrong)
	}
	p.Open("/form")
	if wrong := p.Keyboard(); len(wrong) > 0 {
		t.Errorf("by the keyboard: got %q, want nothing", wrong)
	}
	browser.NeedAxe(t)
	p.Open("/bad")
	if found := strings.Join(p.Axe(), "\n"); !strings.Contains(found, "image-alt") {
		t.Errorf("axe-core: got %q, want the picture without a text", found)
	}
}
