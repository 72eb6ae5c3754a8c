package browser

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Canaries of an owner's secrets.
const (
	password = "canary-hunter2"
	code     = "canary-491823"
)

// T5: a connector that has put everything it can into the site's pages, storage and worker gets
// nothing of what the host types (BR-13.6), and cannot ask for it letter by letter. The end of the
// sign-in leads to a page of the provider, and what was shut in it is open again (BR-13.4).
func TestSignInIsTheHosts(t *testing.T) {
	t.Parallel()
	form := `<title>sign in</title><form action="/done"><input name=user><input name=password type=password><input name=code>
		<button id=go>Go</button></form><p id=said></p><script>
		for (const i of document.querySelectorAll("input")) i.oninput = () => { i.setAttribute("value", i.value); said.textContent = i.value }
		document.forms[0].onsubmit = e => { e.preventDefault(); location.href = "/done" }</script>`
	shop := newSite(t, map[string]string{
		"/": "<title>shop</title>", "/login": form, "/done": "<title>done</title>",
		"/sw.js": `self.onfetch = e => e.respondWith(caches.match(e.request).then(r => r || fetch(e.request)))`,
	})
	b := bind(t, shop, map[string]string{"password": password, "user": "ana"})
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"eval","fn":"async () => { const w = await navigator.serviceWorker.register('/sw.js'); for (; !w.active;) await new Promise(r => setTimeout(r, 20)); const c = await caches.open('x'); ` +
		`await c.put('/login', new Response('<title>false</title><input name=password type=password><input name=code><button id=go>go</button><script>document.oninput = e => localStorage.stolen = e.target.value</script>', {headers: {'content-type': 'text/html'}})); ` +
		`window.open('/login', 'x'); const f = document.createElement('iframe'); f.src = '/login'; document.body.append(f); ` +
		`new MutationObserver(() => { localStorage.seen = document.body.innerHTML }).observe(document.documentElement, {childList: true, subtree: true, attributes: true}); ` +
		`addEventListener('input', e => { localStorage.stolen = e.target.value }, true); localStorage.mine = 1 }"}`)
	if a, _ := b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`); a.Title != "" || a.URL != "https://shop.example/login" {
		t.Errorf("begin: got %+v, want the sign-in, and no title", a)
	}
	page := b.pages()[0]
	in := func(request string) string {
		return strings.Replace(request, "{", `{"page":`+page+`,`, 1)
	}
	for _, request := range []string{
		`{"do":"eval","fn":"() => 1"}`, `{"do":"text","selector":"#said"}`, `{"do":"content"}`, `{"do":"attr","selector":"input","name":"value"}`,
		`{"do":"fetch","requests":[{"url":"https://shop.example/"}]}`, `{"do":"open","url":"https://shop.example/"}`, `{"do":"back"}`, `{"do":"download.arm"}`,
		`{"do":"probe","selectors":["input[value^=c]"]}`, `{"do":"probe","selectors":["input[\\76 alue^=c]"]}`, `{"do":"probe","selectors":[":has(input[value^=c])"]}`,
		`{"do":"wait","any":[{"selector":"#said","text":"c"}]}`, `{"do":"click","selector":"input[value^=c]"}`, `{"do":"press","key":"PageUp"}`,
		`{"do":"wait","any":[{"url_prefix":"https://shop.example/login?password=c"}]}`,
	} {
		b.fails(in(request), abi.CodeBrowserSignIn)
	}
	b.fails(in(`{"do":"fill","selector":"[name=password]","value":"mine"}`), abi.CodeBrowserCredential)
	b.fails(in(`{"do":"fill","selector":"[name=password]","credential":"other"}`), abi.CodeBrowserCredential)
	b.fails(in(`{"do":"fill","selector":"[name=user]","credential":"password"}`), abi.CodeBrowserCredential) // a site may show it later
	b.does(in(`{"do":"fill","selector":"[name=user]","credential":"user"}`))
	b.does(in(`{"do":"fill","selector":"[name=password]","credential":"password"}`))
	if !b.Keep(abi.InteractionOTP, map[string]string{"code": code}) {
		t.Error("a code while the owner is signed in: got it for the guest, want it kept")
	}
	b.does(in(`{"do":"fill","selector":"[name=code]","credential":"code"}`))
	if a, _ := b.ask(in(`{"do":"click","selector":"#nowhere"}`)); a.Error == nil || a.Error.Retryable {
		t.Errorf("a failure behind the submit: got %+v, want one that is not tried again", a.Error)
	}
	b.does(in(`{"do":"click","selector":"#go"}`))
	b.does(in(`{"do":"wait","any":[{"url_prefix":"https://shop.example/done"}]}`))
	if a, _ := b.does(`{"do":"sign_in.end"}`); a.State != "provider" || a.URL != "https://shop.example/" {
		t.Errorf("end: got %+v, want the page where the connector begins", a)
	}
	if b.Keep(abi.InteractionOTP, map[string]string{"code": code}) {
		t.Error("a code afterwards: got it kept, want it for the guest")
	}
	b.fails(in(`{"do":"back"}`), abi.CodeBrowserNotLoaded)
	_, got := b.does(in(`{"do":"eval","fn":"async () => JSON.stringify([{...localStorage}, document.documentElement.outerHTML, await caches.keys(), history.length])"}`))
	if strings.Contains(got, "canary") || !strings.Contains(got, "mine") {
		t.Errorf("got %s, want what the connector kept there, and no canary", got)
	}
}

// pages are the numbers of the pages that are open.
func (b *bound) pages() (numbers []string) {
	b.t.Helper()
	a, _ := b.does(`{"do":"pages"}`)
	for _, p := range a.Pages {
		numbers = append(numbers, string(rune('0'+p.Page)))
	}
	return numbers
}

// A host of role sign_in is there while the owner is signed in, secrets are typed there alone,
// and a site that leads back to it has not signed the owner in (BR-13.2, BR-13.3).
func TestSignInHost(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title><input name=password type=password><input name=q>"})
	b := bind(t, shop, map[string]string{"password": password}, abi.BrowserHost{Host: "accounts.example", Role: abi.RoleSignIn})
	b.does(`{"do":"open"}`)
	b.fails(`{"do":"goto","url":"https://accounts.example/"}`, abi.CodeBrowserRefused)
	b.does(`{"do":"sign_in.begin","url":"https://shop.example/"}`)
	page := b.pages()[0]
	b.fails(`{"page":`+page+`,"do":"fill","selector":"[name=q]","credential":"password"}`, abi.CodeBrowserCredential)
	if a, _ := b.ask(`{"page":` + page + `,"do":"goto","url":"https://accounts.example/"}`); a.Error == nil || a.Error.Code != abi.CodeBrowserNotLoaded {
		t.Errorf("got %+v, want a host that may be reached, and is not there in this test", a)
	}
	b.does(`{"do":"sign_in.end"}`)
	b.fails(`{"page":`+page+`,"do":"goto","url":"https://accounts.example/"}`, abi.CodeBrowserRefused)
}
