package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
	"github.com/pdpp-host/pdpp-host/host/browser/op"
)

// waiting are the operations that wait for a page which answers nothing. The others ask the browser
// alone, or begin with one of these.
var waiting = []string{
	`"goto","url":"https://shop.example/never"`, `"reload"`, `"back"`, `"wait","any":[{"selector":"#never"}]`, `"probe","selectors":["a"]`,
	`"text","selector":"a"`, `"attr","selector":"a","name":"id"`, `"content"`, `"click","selector":"a"`, `"fill","selector":"[name=q]","value":"v"`,
	`"press","selector":"[name=q]","key":"Tab"`, `"select","selector":"select","values":["a"]`, `"eval","fn":"() => 1"`,
	`"fetch","requests":[{"url":"https://shop.example/"}]`, `"screenshot"`, `"capture.next"`,
}

// form is a page that has what the operations look for.
const form = `<title>form</title><a id=a>a</a><input name=q><select><option value=a>A</option></select>`

// hangs has a page answer nothing. Unlike a loop it costs no time of the processor.
const hangs = `setTimeout(() => { const x = new XMLHttpRequest(); x.open("GET", "/never?" + Math.random(), false); x.send() })`

// raced is an operation that waits, and what was answered to it.
type raced struct {
	request string
	began   time.Time
	count   atomic.Int64
	answers chan []byte
}

// loads reports whether it waits for its site, on a page that lives.
func (r *raced) loads() bool {
	return strings.HasPrefix(r.request, `{"do":"goto"`) || strings.HasPrefix(r.request, `{"do":"reload"`)
}

// BR-10: each operation that waits for its page answers once, with a code of its own, when the page
// crashes or is closed, when the browser dies, and when the run ends, long before its own time is over;
// and no process of the browser stays.
func TestOperationsRace(t *testing.T) {
	t.Parallel()
	gone := abi.CodeBrowserPageUnknown // also for an operation that had not begun when its page ended
	for _, end := range []struct {
		name  string
		most  int  // operations at once, each on a page of its own
		again bool // the browser lives on
		codes []abi.Code
		do    func(*bound, []proto.TargetTargetID)
	}{
		{"the page crashes", 3, true, []abi.Code{abi.CodeBrowserPageCrashed, gone}, (*bound).endRenderers},
		{"the page is closed", abi.BrowserPages, true, []abi.Code{gone}, (*bound).closeTargets},
		{"the browser dies", abi.BrowserPages, false, []abi.Code{abi.CodeBrowserStart}, func(b *bound, _ []proto.TargetTargetID) { b.browser.process.Kill() }},
		{"the run ends", abi.BrowserPages, false, []abi.Code{abi.CodeBrowserClosed}, func(b *bound, _ []proto.TargetTargetID) { _ = b.Close() }},
	} {
		t.Run(end.name, func(t *testing.T) {
			t.Parallel()
			shop := newSite(t, nil)
			arrived, over := make(chan struct{}, 100), make(chan struct{})
			t.Cleanup(func() { close(over) }) // before the site is closed
			shop.other = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/never" || r.URL.Path == "/" && r.Header.Get("Cache-Control") != "" { // as it is loaded again
					arrived <- struct{}{}
					<-over
				}
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte(form))
				return true
			}
			var b *bound
			for part := range slices.Chunk(waiting, end.most) {
				if b == nil || !end.again {
					b = bind(t, shop, nil)
					b.does(`{"do":"open"}`)
				}
				b.anew()
				all, targets := b.race(part, arrived)
				tree, codes := launch.Tree(b.browser.process.PID), end.codes
				end.do(b, targets)
				if time.Since(all[0].began) > 5*time.Second { // a page that hangs is given up after 15
					codes = append(slices.Clip(codes), abi.CodeBrowserPageHung)
				}
				for _, r := range all {
					r.ended(t, codes)
				}
				if end.again {
					b.does(`{"do":"pages"}`)
				} else {
					_ = b.Close()
					untilGone(t, "the browser", tree)
				}
				for _, r := range all {
					if n := r.count.Load(); n != 1 {
						t.Errorf("%s: got %d answers, want one", r.request, n)
					}
				}
			}
		})
	}
}

// BR-10: a dialog of the page holds up no operation, each of which is answered once.
func TestOperationsBesideDialogs(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": form, "/never": form})
	b := bind(t, shop, nil)
	b.does(`{"do":"open"}`)
	b.anew()
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	for i, request := range waiting {
		if strings.Contains(request, "#never") || strings.Contains(request, "capture") { // they wait for what does not come
			continue
		}
		b.does(`{"do":"goto","url":"https://shop.example/"}`)
		b.does(`{"do":"eval","fn":"() => { setTimeout(() => { alert('x'); fetch('/answered/` + strconv.Itoa(i) + `') }) }"}`)
		r := &raced{request: `{"do":` + request + "}", answers: make(chan []byte, 9)}
		r.begin(b)
		r.ended(t, nil)
		b.does(`{"do":"pages"}`)
		if n := r.count.Load(); n != 1 {
			t.Errorf("%s: got %d answers, want one", request, n)
		}
		if !r.loads() && request != `"back"` { // which may leave the page before its dialog
			until(t, "the dialog beside "+request+" was answered", func() bool {
				return slices.Contains(shop.requests(), "GET /answered/"+strconv.Itoa(i))
			})
		}
	}
}

// anew gives the run new pages, and counts their crashes anew.
func (b *bound) anew() {
	b.t.Helper()
	b.started.Load().Close()
	ops, err := op.New(b.t.Context(), op.Options{Line: b.browser.line, Roles: b.roles, StartURL: "https://shop.example/", Pictures: true, Now: time.Now})
	if err != nil {
		b.t.Fatal(err)
	}
	b.started.Store(ops)
}

// race opens a page for each of the operations, has it answer nothing, and begins the operation. It
// returns when the browser has been asked for more behind them.
func (b *bound) race(part []string, arrived <-chan struct{}) (all []*raced, targets []proto.TargetTargetID) {
	b.t.Helper()
	on := b.browser.line.On(b.t.Context(), "")
	for _, request := range part {
		name, more, _ := strings.Cut(request+",", ",")
		r := &raced{answers: make(chan []byte, 9)}
		at := "https://shop.example/?" + strings.Trim(name, `"`) // where no page of before was
		opened, _ := b.does(`{"do":"open","url":"https://shop.example/once"}`)
		page := fmt.Sprintf(`"page":%d,"timeout_ms":%d}`, opened.Page, abi.BrowserMostMS)
		r.request = `{"do":` + name + "," + more + page
		b.does(`{"do":"goto","url":"` + at + `",` + page)
		if name == `"capture.next"` {
			b.does(`{"do":"capture.start",` + page)
		}
		target := b.target(at)
		if !r.loads() {
			attached, err := proto.TargetAttachToTarget{TargetID: target, Flatten: true}.Call(on)
			if err != nil {
				b.t.Fatal(err)
			}
			if _, err := (proto.RuntimeEvaluate{Expression: hangs}).Call(b.browser.line.On(b.t.Context(), attached.SessionID)); err != nil {
				b.t.Fatal(err)
			}
			b.arrives(arrived)
		}
		all, targets = append(all, r), append(targets, target)
	}
	for _, r := range all {
		r.begin(b)
		if r.loads() {
			b.arrives(arrived)
		}
	}
	for range 3 {
		b.does(`{"do":"pages","page":99}`) // no page of theirs
	}
	return all, targets
}

// begin begins the operation.
func (r *raced) begin(b *bound) {
	b.t.Helper()
	r.began = time.Now()
	if err := b.Do([]byte(r.request), func(a []byte) { r.count.Add(1); r.answers <- a }); err != nil {
		b.t.Fatal(err)
	}
}

// arrives waits until the site is asked for what it never answers.
func (b *bound) arrives(arrived <-chan struct{}) {
	b.t.Helper()
	select {
	case <-arrived:
	case <-time.After(2 * time.Minute):
		b.t.Fatal("the site was not asked, want a page that waits for it")
	}
}

// ended is the end of an operation that waits: it has one of the codes; with none it is done.
func (r *raced) ended(t *testing.T, codes []abi.Code) {
	t.Helper()
	select {
	case answer := <-r.answers:
		head, _, _ := bytes.Cut(answer, []byte("\n"))
		var a abi.BrowserAnswer
		if err := json.Unmarshal(head, &a); err != nil {
			t.Fatalf("%s: got %.200q, %v, want an answer", r.request, head, err)
		}
		var code abi.Code
		if a.Error != nil {
			code = a.Error.Code
		}
		aborted := r.loads() && code == abi.CodeBrowserNotLoaded // which the browser may say first
		if (code != "" || len(codes) > 0) && !aborted && !slices.Contains(codes, code) {
			t.Errorf("%s: got %.200q, want one of %v", r.request, head, codes)
		}
	case <-time.After(2 * time.Minute):
		t.Errorf("%s: got no answer, want one of %v", r.request, codes)
	}
}

// target is the page at an address.
func (b *bound) target(at string) proto.TargetTargetID {
	b.t.Helper()
	got, err := proto.TargetGetTargets{}.Call(b.browser.line.On(b.t.Context(), ""))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, info := range slices.Backward(got.TargetInfos) {
		if info.URL == at {
			return info.TargetID
		}
	}
	b.t.Fatalf("got %v, want a page at %s", got.TargetInfos, at)
	return ""
}

// endRenderers kills the processes of all pages.
func (b *bound) endRenderers([]proto.TargetTargetID) {
	for _, pid := range launch.Tree(b.browser.process.PID) {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err == nil && bytes.Contains(line, []byte("--type=renderer")) {
			launch.End(pid)
		}
	}
}

// closeTargets closes pages past the host.
func (b *bound) closeTargets(targets []proto.TargetTargetID) {
	for _, target := range targets {
		if _, err := (proto.TargetCloseTarget{TargetID: target}).Call(b.browser.line.On(b.t.Context(), "")); err != nil {
			b.t.Error(err)
		}
	}
}
