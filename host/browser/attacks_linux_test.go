package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	browserpage "github.com/pdpp-host/pdpp-host/host/browser/page"
)

// A hostile connector has the page go on, or look elsewhere, between the look at a field for passwords
// and the typing: the secret stands in no other field, which a site would keep and show (BR-13.3).
func TestSecretGoesIntoItsFieldAlone(t *testing.T) {
	t.Parallel()
	const catches = `<input id=q oninput="localStorage.shown = value"`
	shop := newSite(t, map[string]string{
		"/":       "<title>shop</title>",
		"/focus":  `<input name=password type=password onfocus="setTimeout(() => { q.focus(); fetch('/ready/focus') }, 0)">` + catches + ">",
		"/type":   `<input name=password type=password oninput="localStorage.shown = value" onfocus="setTimeout(() => { this.type = 'text'; fetch('/ready/type') }, 0)">`,
		"/leaves": `<input name=password type=password onfocus="setTimeout(() => { location.href = '/found' }, 0)">`,
		"/found":  catches + ` autofocus onfocus="fetch('/ready/leaves')"><script>onload = () => q.focus()</script>`,
	})
	b := bind(t, shop, map[string]string{"password": password})
	var at string
	b.Submits(func(_ context.Context, submitted bool) error {
		if submitted { // the page is quicker than the host's disk
			until(t, at+" has gone on", func() bool { return slices.Contains(shop.requests(), "GET /ready"+at) })
		}
		return nil
	})
	for _, path := range []string{"/focus", "/type", "/leaves"} {
		at = path
		a, _ := b.does(`{"do":"sign_in.begin","url":"https://shop.example` + path + `"}`)
		if f, _ := b.ask(fmt.Sprintf(`{"page":%d,"do":"fill","selector":"[name=password]","credential":"password"}`, a.Page)); (f.Error == nil) != (path == "/focus") {
			t.Errorf("%s: got the failure %+v, want one unless the field is still there", path, f.Error)
		}
		b.does(`{"do":"sign_in.end","ok":true}`)
		if _, got := b.does(fmt.Sprintf(`{"page":%d,"do":"eval","fn":"() => localStorage.shown ?? ''"}`, a.Page)); strings.Contains(got, "canary") {
			t.Errorf("%s: got %s, want nothing of the secret", path, got)
		}
	}
}

// A download that a hostile connector has armed for does not begin while the owner is signed in: what
// a site hands out there, such as codes for later, is not the connector's (BR-13.2, BR-17).
func TestArmedDownloadEndsWithSignIn(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>", "/login": `<a id=codes href="/codes.js" download>codes</a>`, "/codes.js": "canary"})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"download.arm"}`)
	a, _ := b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
	b.does(fmt.Sprintf(`{"page":%d,"do":"click","selector":"#codes"}`, a.Page))
	until(t, "the file was asked for", func() bool { return slices.Contains(shop.requests(), "GET /codes.js") })
	b.does(`{"do":"sign_in.end"}`)
	b.fails(`{"do":"download.next","timeout_ms":3000}`, abi.CodeBrowserTimeout)
}

// A worker that a hostile connector has left on another host of the provider than the one where the
// window begins answers nothing in it either (BR-13.1, BR-13.7).
func TestNoWorkerAnswersInTheWindow(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{
		"/": "<title>shop</title>", "/login": `<p id=own>own</p>`,
		"/sw.js": `self.onfetch = e => e.respondWith(caches.match(e.request).then(r => r || fetch(e.request)))`,
	})
	b := bind(t, shop, nil, abi.BrowserHost{Host: "second.example", Role: abi.RoleProvider})
	at := shop.Listener.Addr().String()
	b.request.Dialer = b.roles.Behind(sites{"shop.example:443": at, "second.example:443": at})
	b.does(`{"do":"open","url":"https://second.example/"}`)
	b.does(`{"do":"eval","fn":"async () => { const w = await navigator.serviceWorker.register('/sw.js'); for (; !w.active;) await new Promise(r => setTimeout(r, 20)); ` +
		`await (await caches.open('x')).put('/login', new Response('<p id=false>false</p>', {headers: {'content-type': 'text/html'}})) }"}`)
	b.does(`{"do":"goto","url":"https://second.example/login"}`)
	found := func(page int) string {
		a, _ := b.does(fmt.Sprintf(`{"page":%d,"do":"probe","selectors":["#own","#false"]}`, page))
		return fmt.Sprintf("%d own, %d false", a.Found[0].Count, a.Found[1].Count)
	}
	if got := found(1); got != "0 own, 1 false" {
		t.Fatalf("before: got %s, want what the connector has left there", got)
	}
	a, _ := b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
	b.does(fmt.Sprintf(`{"page":%d,"do":"goto","url":"https://second.example/login"}`, a.Page))
	if got := found(a.Page); got != "1 own, 0 false" {
		t.Errorf("in the window: got %s, want the site's own page", got)
	}
	b.does(`{"do":"sign_in.end"}`)
	b.does(fmt.Sprintf(`{"page":%d,"do":"goto","url":"https://second.example/login"}`, a.Page))
	if got := found(a.Page); got != "1 own, 0 false" {
		t.Errorf("behind the window: got %s, want the worker gone", got)
	}
}

// The page of a sign-in that hangs is closed before a code is asked for, which it would not take
// (BR-16). A run that is over closes nothing.
func TestReadyForACodeOnAPageThatHangs(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/login": `<button id=go onclick="setTimeout(() => { for (;;); })">Go</button>`})
	b := bind(t, shop, nil)
	a, _ := b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
	b.does(fmt.Sprintf(`{"page":%d,"do":"click","selector":"#go"}`, a.Page))
	over, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the run is over")
	cancel(why)
	if err := b.Ready(over); !errors.Is(err, why) {
		t.Errorf("for a run that is over: got %v, want %v", err, why)
	}
	until(t, "the page is closed", func() bool { return abi.CodeOf(b.Ready(t.Context())) == abi.CodeBrowserPageHung })
	b.fails(fmt.Sprintf(`{"page":%d,"do":"probe","selectors":["#go"]}`, a.Page), abi.CodeBrowserPageUnknown)
}

// The page of a sign-in that is gone takes no code, so that none is asked for (BR-16).
func TestReadyForACode(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>", "/login": "<title>sign in</title>"})
	b := bind(t, shop, nil)
	if err := b.Ready(t.Context()); err != nil {
		t.Errorf("without a window: got %v, want it ready", err)
	}
	b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
	if err := b.Ready(t.Context()); err != nil {
		t.Errorf("in a window: got %v, want it ready", err)
	}
	on := b.browser.line.On(t.Context(), "")
	all, err := proto.TargetGetTargets{}.Call(on)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range all.TargetInfos {
		if strings.HasPrefix(target.URL, "https:") {
			_, _ = proto.TargetCloseTarget{TargetID: target.TargetID}.Call(on)
		}
	}
	until(t, "the page is gone", func() bool { return b.Ready(t.Context()) != nil })
}

// A request of fetch names no header that the host owns, in any letter case, as one of http does not;
// the others of the same operation are made.
func TestFetchNamesNoHeaderOfTheHosts(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	shop.other = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("X-Own", "told")
		_, err := fmt.Fprint(w, r.Header.Get("X-Asked"))
		return err == nil
	}
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	a, body := b.does(`{"do":"fetch","requests":[{"url":"https://shop.example/a","headers":{"cookie":"sid=1"}},{"url":"https://shop.example/b","headers":{"x-forwarded-FOR":"10.0.0.1"}},` +
		`{"url":"https://shop.example/c","headers":{"X-Asked":"well"}},{"url":"https://shop.example/d","headers":{"Sec-Fetch-Site":"none"}}]}`)
	for _, i := range []int{0, 1, 3} {
		if r := a.Results[i]; r.Error == nil || r.Error.Code != "egress.header_reserved" {
			t.Errorf("request %d: got %+v, want it refused", i, r)
		}
	}
	if r := a.Results[2]; r.Error != nil || body != "well" || r.Headers["x-own"] != "told" {
		t.Errorf("the request beside them: got %+v and %q, want its answer, with names in lower case", r, body)
	}
	for _, path := range []string{"GET /a", "GET /b", "GET /d"} {
		if slices.Contains(shop.requests(), path) {
			t.Errorf("got %s asked for, want nothing of it sent", path)
		}
	}
}

// Answers of a fetch that fit alone and not together cost the ones that are too many, and no more.
func TestFetchesFitTogether(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	shop.other = large
	r := request(t)
	r.Dialer, r.Trust = shop.known(), []string{shop.key()}
	b := acquire(t, r)
	pages, err := browserpage.New(t.Context(), b.line, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	p, err := pages.Open(t.Context())
	if err == nil {
		_, err = p.Goto(t.Context(), "https://shop.example/", abi.UntilLoad)
	}
	if err != nil {
		t.Fatal(err)
	}
	const asked, fit = 5, 3 // of a MB each
	got, err := p.Fetch(t.Context(), slices.Repeat([]abi.BrowserAsk{{URL: "https://shop.example/large/1"}}, asked), fit<<20+1)
	if err != nil {
		t.Fatal(err)
	}
	whole, large := 0, 0
	for _, f := range got {
		switch {
		case len(f.Body) == 1<<20 && !f.Large:
			whole++
		case f.Large && f.Status == http.StatusOK:
			large++
		}
	}
	if whole != fit || large != asked-fit {
		t.Errorf("got %d whole answers and %d that are too large, want %d and %d", whole, large, fit, asked-fit)
	}
}

// A hostile page cannot end its browser by text that grows as it is handed over, nor its connector by a
// result that nests without end (T11).
func TestNoTextEndsTheBrowser(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	deep := func(n int) string {
		return fmt.Sprintf(`{"do":"eval","fn":"() => { let v = 1; for (let i = 0; i < %d; i++) v = i %% 2 ? [v, '[[{'] : {v}; return v }"}`, n)
	}
	b.does(deep(abi.MaxNesting))
	b.fails(deep(abi.MaxNesting+1), abi.CodeBrowserTooLarge)
	const letters = 10_000_000 // seven bytes each, as JSON within JSON
	// content asks for a page of so many letters. On a machine that is busy the page may be taken for one that
	// hangs, and is opened anew; a browser allows it three times, and the test leaves it at that.
	content := func(letter, request string) (a abi.BrowserAnswer, body string) {
		for range 3 {
			opened, _ := b.ask(`{"do":"open","url":"https://shop.example/"}`)
			page := fmt.Sprintf(`"page":%d,"timeout_ms":300000}`, opened.Page)
			a, body = b.ask(fmt.Sprintf(`{"do":"eval","fn":"() => { document.body.hidden = true; document.body.textContent = '%s'.repeat(%d) }",%s`, letter, letters, page)) // what is not shown takes no time
			if a.Error == nil {
				a, body = b.ask(request + page)
			}
			if a.Error == nil || a.Error.Code != abi.CodeBrowserPageHung && a.Error.Code != abi.CodeBrowserUnstable {
				return a, body
			}
		}
		t.Skip("the machine is too busy for a page of ten megabytes")
		return a, body
	}
	if a, body := content(`\\u0001`, `{"do":"content","selector":"body",`); a.Error != nil || strings.Count(body, "\x01") != letters || *a.Bytes != int64(len(body)) {
		t.Errorf("content: got %+v and %d bytes, want all of the page", a.Error, len(body))
	}
	if a, _ := content("é", `{"do":"content",`); a.Error == nil || a.Error.Code != abi.CodeBrowserTooLarge {
		t.Errorf("content: got %+v, want %s", a.Error, abi.CodeBrowserTooLarge)
	}
}
