package browser

import (
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// BR-09: a page that goes by itself where no page may be is closed, or the browser has kept it where it was;
// one that gets there all the same, as by a fault of the browser, is closed. The connector reads
// neither, and opens another page.
func TestPageThatLeaves(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	b := bind(t, shop, nil)
	targets := func() (ids []proto.TargetTargetID) {
		all, err := proto.TargetGetTargets{}.Call(b.browser.line.On(t.Context(), ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all.TargetInfos {
			if strings.HasPrefix(i.URL, "https://shop.example/") {
				ids = append(ids, i.TargetID)
			}
		}
		return ids
	}
	page := 0
	open := func() string {
		a, _ := b.does(`{"do":"open","url":"https://shop.example/"}`)
		page = a.Page
		return string(rune('0'+page/10)) + string(rune('0'+page%10))
	}
	gone := func(what string) {
		until(t, what+" is closed", func() bool {
			a, _ := b.ask(`{"do":"pages"}`)
			for _, p := range a.Pages {
				if p.Page == page {
					return false
				}
			}
			return a.Error == nil
		})
	}
	for _, to := range []string{"file:///etc/hostname", "chrome://version", "devtools://devtools/bundled/inspector.html", "view-source:https://shop.example/", "data:text/html,<title>d</title>", "filesystem:https://shop.example/x", "ftp://shop.example/"} {
		number := strings.TrimLeft(open(), "0")
		b.ask(`{"do":"eval","page":` + number + `,"fn":"to => { location.href = to }","args":"` + to + `"}`)
		b.ask(`{"do":"wait","page":` + number + `,"any":[{"url_prefix":"` + to[:4] + `"}],"timeout_ms":500}`)
		a, _ := b.does(`{"do":"pages"}`)
		for _, p := range a.Pages {
			if p.Page == page && p.URL != "https://shop.example/" && p.URL != "about:blank" && !strings.HasPrefix(p.URL, "chrome-error:") {
				t.Errorf("%s: got a page at %s, want it closed, or where it was", to, p.URL)
			}
		}
		if a, _ := b.ask(`{"do":"close","page":` + number + `}`); a.Error != nil && a.Error.Code != abi.CodeBrowserPageUnknown {
			t.Errorf("%s: got %+v, want it closed", to, a.Error)
		}
	}
	number := strings.TrimLeft(open(), "0")
	b.ask(`{"do":"eval","page":` + number + `,"fn":"() => { location.href = URL.createObjectURL(new Blob(['<title>made</title>'], {type: 'text/html'})) }"}`)
	gone("a page that has made its own document")
	for _, to := range []string{"file:///etc/hostname", "chrome://version", "data:text/html,<title>d</title>"} {
		number := strings.TrimLeft(open(), "0")
		ids := targets()
		if len(ids) != 1 {
			t.Fatalf("%s: got %d pages of the shop, want one", to, len(ids))
		}
		on := b.browser.line.On(t.Context(), "")
		attached, err := proto.TargetAttachToTarget{TargetID: ids[0], Flatten: true}.Call(on)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = proto.PageNavigate{URL: to}.Call(b.browser.line.On(t.Context(), attached.SessionID))
		gone("a page at " + to)
		b.fails(`{"do":"content","page":`+number+`}`, abi.CodeBrowserPageUnknown)
	}
}
