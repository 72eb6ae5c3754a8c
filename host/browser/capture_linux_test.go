package browser

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A page's own answers are kept for its connector while it asks for that: those of its provider,
// of the kinds and addresses that it named, without cookies, and the newest where they are many;
// none of them is kept once the owner signs in (BR-10, BR-13.2).
func TestCapture(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{
		"/":        `<title>shop</title><script src="/api/script.js"></script><script>fetch("/api/one?x=1"); const x = new XMLHttpRequest(); x.open("GET", "/api/two"); x.send(); fetch("/other")</script>`,
		"/many":    `<title>many</title><script>(async () => { for (let i = 0; i < 70; i++) await (await fetch("/api/n" + i)).text(); document.title = "all" })()</script>`,
		"/api/one": `{"n":1}`, "/api/two": `{"n":2}`, "/api/script.js": "0", "/other": "other",
	})
	shop.other = func(w http.ResponseWriter, r *http.Request) bool {
		n, ok := strings.CutPrefix(r.URL.Path, "/api/n")
		w.Header().Set("Set-Cookie", "sid=canary; Secure")
		if ok {
			_, _ = w.Write([]byte(n))
		}
		return ok
	}
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.fails(`{"do":"capture.next"}`, abi.CodeBrowserRequest)
	b.fails(`{"do":"capture.start","types":["image"]}`, abi.CodeBrowserRequest)
	b.does(`{"do":"capture.start","url_prefixes":["https://shop.example/api/"],"types":["xhr","fetch"]}`)
	b.does(`{"do":"goto","url":"https://shop.example/","until":"quiet"}`)
	got := map[string]string{}
	for range 2 {
		a, body := b.does(`{"do":"capture.next"}`)
		got[a.URL] = body
		if a.Status != 200 || a.Headers["content-type"] != "text/html" || *a.Dropped != 0 || *a.Bytes != int64(len(body)) {
			t.Errorf("got %+v, want a whole answer", a)
		}
	}
	if got["https://shop.example/api/one?x=1"] != `{"n":1}` || got["https://shop.example/api/two"] != `{"n":2}` {
		t.Errorf("got %v, want the two answers", got)
	}
	b.fails(`{"do":"capture.next","timeout_ms":300}`, abi.CodeBrowserTimeout)
	b.does(`{"do":"goto","url":"https://shop.example/many"}`)
	b.does(`{"do":"wait","any":[{"url_prefix":"https://shop.example/many"}]}`)
	until(t, "all of it was asked for", func() bool { a, _ := b.does(`{"do":"pages"}`); return a.Pages[0].Title == "all" })
	a, body := b.does(`{"do":"capture.next"}`)
	if want := fmt.Sprint(*a.Dropped); *a.Dropped == 0 || body != want || a.Headers["set-cookie"] != "" || strings.Contains(fmt.Sprint(a.Headers), "canary") {
		t.Errorf("of many: got %q with %v, %d dropped, want the oldest ones dropped, and no cookie", body, a.Headers, *a.Dropped)
	}
	b.does(`{"do":"capture.stop"}`)
	b.fails(`{"do":"capture.next"}`, abi.CodeBrowserRequest)
	b.does(`{"do":"capture.start"}`)
	b.does(`{"do":"sign_in.begin","url":"https://shop.example/"}`)
	page := b.pages()[0]
	for _, do := range []string{"capture.start", "capture.next", "capture.stop", "screenshot"} {
		b.fails(`{"page":`+page+`,"do":"`+do+`"}`, abi.CodeBrowserSignIn)
	}
	b.does(`{"do":"sign_in.end"}`)
	b.fails(`{"page":`+page+`,"do":"capture.next"}`, abi.CodeBrowserRequest)
}

// A screenshot shows the page, or one element of it, to a connector that declares screenshots
// (BR-10).
func TestScreenshot(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": `<title>shop</title><div style="height:3000px"></div><div id=low style="width:70px;height:30px;background:red"></div><div id=huge style="width:9000px;height:9000px"></div>`})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.fails(`{"do":"screenshot"}`, abi.CodeBrowserPicture)
	c := bind(t, shop, nil)
	c.asks.Pictures = true
	c.does(`{"do":"open","url":"https://shop.example/"}`)
	for request, format := range map[string]string{`{"do":"screenshot"}`: "png", `{"do":"screenshot","format":"jpeg"}`: "jpeg", `{"do":"screenshot","selector":"#low"}`: "png"} {
		a, body := c.does(request)
		config, kind, err := image.DecodeConfig(bytes.NewReader([]byte(body)))
		if err != nil || kind != format || config.Width != a.Width || config.Height != a.Height || *a.Bytes != int64(len(body)) {
			t.Errorf("%s: got a %s of %dx%d, %v, said to be %dx%d, want a %s", request, kind, config.Width, config.Height, err, a.Width, a.Height, format)
		}
		if strings.Contains(request, "#low") && (a.Width != 70 || a.Height != 30) {
			t.Errorf("%s: got %dx%d, want the element's 70x30", request, a.Width, a.Height)
		}
	}
	c.fails(`{"do":"screenshot","selector":"#huge"}`, abi.CodeBrowserTooLarge)
	c.fails(`{"do":"screenshot","selector":"#none"}`, abi.CodeBrowserNotFound)
	c.fails(`{"do":"screenshot","format":"gif"}`, abi.CodeBrowserRequest)
}

// A page's policy binds what is done in it, unless the manifest says otherwise; that of a page
// where the owner signs in always does.
func TestBypassCSP(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/data": "data", "/login": `<meta http-equiv=Content-Security-Policy content="script-src 'none'"><title>sign in</title><script>fetch("/broken")</script>`,
		"/": `<meta http-equiv=Content-Security-Policy content="connect-src 'none'"><title>shop</title>`})
	const fetch = `{"do":"eval","fn":"async () => { try { return await (await fetch('/data')).text() } catch (e) { return 'refused' } }"`
	for bypass, want := range map[bool]string{false: `"refused"`, true: `"data"`} {
		b := bind(t, shop, nil)
		b.asks.BypassCSP = bypass
		b.does(`{"do":"open","url":"https://shop.example/"}`)
		if _, body := b.does(fetch + `}`); body != want {
			t.Errorf("bypass %v: got %s, want %s", bypass, body, want)
		}
		b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
		page := b.pages()[0]
		b.does(`{"do":"sign_in.end"}`)
		if _, body := b.does(fetch + `,"page":` + page + `}`); body != want {
			t.Errorf("bypass %v, behind a sign-in: got %s, want %s", bypass, body, want)
		}
	}
	if got := shop.requests(); slices.Contains(got, "GET /broken") || !slices.Contains(got, "GET /login") {
		t.Errorf("the site got %v, want the policy of its sign-in to hold", got)
	}
}
