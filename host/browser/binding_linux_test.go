package browser

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// freely is a governor that lets everything go at once, and counts it.
type freely struct {
	lock sync.Mutex
	sent []string
}

func (f *freely) Carry(_ context.Context, req *http.Request, next http.RoundTripper) error {
	f.lock.Lock()
	f.sent = append(f.sent, req.Method+" "+req.URL.Path)
	f.lock.Unlock()
	_, err := next.RoundTrip(req) //nolint:bodyclose // it has none
	return err
}

func (f *freely) Count(_ context.Context, req *http.Request, next http.RoundTripper) error {
	_, err := next.RoundTrip(req) //nolint:bodyclose // it has none
	return err
}

func (f *freely) Failure(err error) abi.HTTPFailure {
	return abi.HTTPFailure{Code: abi.CodeOf(err), Message: err.Error()}
}

// key is the hash of a site's key, as a browser is told to trust it.
func (s *site) key() string {
	sum := sha256.Sum256(s.Certificate().RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// bound is the browser of a run of a test's own.
type bound struct {
	*Binding

	t    testing.TB
	f    *freely
	told atomic.Value // the newest event, a text
}

func bind(t testing.TB, s *site, secrets map[string]string, hosts ...abi.BrowserHost) *bound {
	t.Helper()
	r := request(t)
	r.Dialer, r.Trust = s.known(), []string{s.key()}
	f := &freely{}
	hosts = append([]abi.BrowserHost{{Host: "shop.example", Role: abi.RoleProvider}}, hosts...)
	b := Bind(r, &abi.BrowserRequirements{StartURL: "https://shop.example/", Downloads: true, Hosts: hosts}, f, func(_ context.Context, field string) (string, bool, bool, error) {
		v, ok := secrets[field]
		return v, field == "user", ok, nil
	})
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("closing: got %v, want nil", err)
		}
	})
	out := &bound{Binding: b, t: t, f: f}
	b.Watch(nil, func(event string, data map[string]any) { out.told.Store(fmt.Sprint(event, data)) })
	return out
}

// ask makes a request and returns its answer.
func (b *bound) ask(request string) (abi.BrowserAnswer, string) {
	b.t.Helper()
	answers := make(chan []byte, 1)
	if err := b.Do([]byte(request), func(answer []byte) { answers <- answer }); err != nil {
		b.t.Fatalf("%s: %v", request, err)
	}
	select {
	case answer := <-answers:
		head, body, _ := bytes.Cut(answer, []byte("\n"))
		var a abi.BrowserAnswer
		if err := json.Unmarshal(head, &a); err != nil {
			b.t.Fatalf("%s: the head %s: %v", request, head, err)
		}
		return a, string(body)
	case <-time.After(6 * time.Minute): // more than any operation has
		b.t.Fatalf("%s: no answer", request)
	}
	return abi.BrowserAnswer{}, ""
}

// does makes a request that must succeed.
func (b *bound) does(request string) (abi.BrowserAnswer, string) {
	b.t.Helper()
	a, body := b.ask(request)
	if a.Error != nil {
		b.t.Fatalf("%s: got %+v, want it done", request, *a.Error)
	}
	return a, body
}

// fails makes a request that must fail.
func (b *bound) fails(request string, code abi.Code) {
	b.t.Helper()
	if a, body := b.ask(request); a.Error == nil || a.Error.Code != code {
		b.t.Errorf("%s: got %+v %q, error %+v, want %s", request, a, body, a.Error, code)
	}
}

// Each operation does on a real page what abi/ABI.md says, and refuses the rest (BR-09, BR-10,
// BR-11, BR-14, BR-17).
func TestOperations(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{
		"/": `<title>shop</title><h1>Welcome</h1><a href="/list">list</a><form action="/list"><input name=q><input type=password name=p><input type=date id=date>
			<select name=c><option value=a>A</option><option value=b>B</option></select><button id=go>Go</button></form>
			<button id=under>under</button><div id=over style="position:absolute;inset:0;display:none"></div><p class=x>1</p><p class=x>2</p>
			<a id=pop href="/pop" target=_blank>pop</a><a id=file href="/file.js" download="../../etc/x">file</a>`,
		"/list": `<title>list</title><ul><li>one<li>two</ul>`, "/pop": "<title>pop</title>", "/data": `{"a":1}`, "/file.js": "bytes",
	})
	b := bind(t, shop, nil)
	b.fails(`{"do":"goto","url":"https://shop.example/"}`, abi.CodeBrowserPageUnknown)
	b.fails(`{"do":"fly"}`, abi.CodeBrowserUnknown)
	b.fails(`{"do":"open","colour":"red"}`, abi.CodeBrowserRequest)
	for _, address := range []string{"file:///etc/hostname", "http://shop.example/", "javascript:1", "data:text/html,x", "https://other.example/", "https://u@shop.example/", "https://shop.example:8443/"} {
		b.fails(`{"do":"open","url":"`+address+`"}`, abi.CodeBrowserRefused)
	}
	if a, _ := b.does(`{"do":"open","url":"https://shop.example/"}`); a.Page != 1 || a.Status != 200 || a.Title != "shop" || a.URL != "https://shop.example/" {
		t.Errorf("open: got %+v, want page 1 of the shop", a)
	}
	if _, body := b.does(`{"do":"text","selector":"h1"}`); body != `["Welcome"]` {
		t.Errorf("text: got %s, want the heading", body)
	}
	if a, body := b.does(`{"do":"attr","selector":".x","name":"class","all":true}`); body != `["x","x"]` || *a.N != 2 {
		t.Errorf("attr: got %s, want both", body)
	}
	b.fails(`{"do":"text","selector":"h7"}`, abi.CodeBrowserNotFound)
	b.fails(`{"do":"click","selector":".x"}`, abi.CodeBrowserAmbiguous)
	if a, _ := b.does(`{"do":"probe","selectors":["h1",".x","#over","h7"]}`); len(a.Found) != 4 || a.Found[1].Count != 2 || !a.Found[0].Visible || a.Found[2].Visible || a.Found[3].Count != 0 {
		t.Errorf("probe: got %+v, want what the page has", a.Found)
	}
	if _, body := b.does(`{"do":"eval","fn":"async a => ({sum: a[0] + a[1], title: document.title})","args":[1,2]}`); body != `{"sum":3,"title":"shop"}` {
		t.Errorf("eval: got %s, want its result", body)
	}
	b.fails(`{"do":"eval","fn":"() => { throw new Error('no') }"}`, abi.CodeBrowserScript)
	b.fails(`{"do":"eval","fn":"() => 'x'.repeat(5e6)"}`, abi.CodeBrowserTooLarge)
	b.does(`{"do":"eval","fn":"() => { document.querySelector('#over').style.display = 'block' }"}`)
	b.fails(`{"do":"click","selector":"#under"}`, abi.CodeBrowserNotClickable)
	b.does(`{"do":"eval","fn":"() => { document.querySelector('#over').remove() }"}`)
	b.fails(`{"do":"fill","selector":"[name=p]","value":"hunter2"}`, abi.CodeBrowserCredential)
	b.fails(`{"do":"fill","selector":"[name=p]","credential":"password"}`, abi.CodeBrowserCredential)
	for _, fill := range []struct{ with, want string }{
		{`"value":"sock"`, "sock"}, {`"value":"s","keep":true`, "socks"}, {`"value":"","keep":true`, "socks"}, {`"value":""`, ""}, {`"value":""`, ""}, {`"value":"socks"`, "socks"},
	} {
		b.does(`{"do":"fill","selector":"[name=q]",` + fill.with + `}`)
		if _, got := b.does(`{"do":"eval","fn":"() => document.querySelector('[name=q]').value"}`); got != `"`+fill.want+`"` {
			t.Errorf("fill with %s: got %s, want %q", fill.with, got, fill.want)
		}
	}
	b.fails(`{"do":"fill","selector":"#date","value":"2026-01-02"}`, abi.CodeBrowserNotClickable) // typing does nothing there
	b.does(`{"do":"select","selector":"select","values":["b"]}`)
	a, body := b.does(`{"do":"fetch","requests":[{"url":"https://shop.example/data"},{"url":"https://other.example/"},{"url":"https://shop.example/none"}]}`)
	if r := a.Results; len(r) != 3 || r[0].Status != 200 || body[r[0].Offset:][:r[0].Length] != `{"a":1}` || r[1].Error == nil || r[1].Error.Code != abi.CodeBrowserRefused || r[2].Status != 404 {
		t.Errorf("fetch: got %+v %q, want the data, a refusal, and a 404", a.Results, body)
	}
	if a, _ := b.does(`{"do":"click","selector":"#pop","expect":"popup"}`); a.Page != 2 {
		t.Errorf("popup: got %+v, want page 2", a)
	}
	if a, _ := b.does(`{"do":"pages"}`); len(a.Pages) != 2 || a.Pages[1].Opener != 1 {
		t.Errorf("pages: got %+v, want two, the second of the first", a.Pages)
	}
	b.does(`{"do":"close","page":2}`)
	b.does(`{"do":"click","selector":"#file","expect":"download"}`) // nobody armed for it
	b.fails(`{"do":"download.next","timeout_ms":500}`, abi.CodeBrowserTimeout)
	b.does(`{"do":"download.arm"}`)
	b.does(`{"do":"click","selector":"#file","expect":"download"}`)
	d, _ := b.does(`{"do":"download.next"}`)
	if strings.ContainsAny(d.Name, `/\`) || *d.Bytes != 5 {
		t.Errorf("download: got %q of %d bytes, want five under a name that is no path", d.Name, *d.Bytes)
	}
	if _, body := b.does(`{"do":"download.read","id":"` + d.ID + `","length":100}`); body != "bytes" {
		t.Errorf("download.read: got %q, want what was downloaded", body)
	}
	b.fails(`{"do":"download.read","id":"../../etc/passwd","length":100}`, abi.CodeBrowserDownload)
	if a, _ := b.does(`{"do":"click","selector":"#go","expect":"navigation"}`); a.URL != "https://shop.example/list?q=socks&p=&c=b" {
		t.Errorf("click: got %s, want what was filled in", a.URL)
	}
	if a, _ := b.does(`{"do":"wait","any":[{"selector":"h7"},{"selector":"li","text":"two"}]}`); *a.Index != 1 {
		t.Errorf("wait: got %d, want the second condition", *a.Index)
	}
	b.fails(`{"do":"wait","any":[{"selector":"h7"}],"timeout_ms":300}`, abi.CodeBrowserTimeout)
	if a, _ := b.does(`{"do":"back"}`); a.Title != "shop" {
		t.Errorf("back: got %+v, want the shop", a)
	}
	if a, _ := b.does(`{"do":"reload"}`); a.Status != 200 {
		t.Errorf("reload: got %+v, want 200", a)
	}
	b.does(`{"do":"checkpoint","label":"here"}`)
	if a, _ := b.does(`{"do":"session","names":["sid"]}`); len(a.Cookies) != 1 || a.Cookies[0].Present {
		t.Errorf("session: got %+v, want no cookie of that name", a.Cookies)
	}
	b.f.lock.Lock()
	defer b.f.lock.Unlock()
	asked := 0
	for _, path := range shop.requests() {
		if path != "GET /favicon.ico" {
			asked++
		}
	}
	if len(b.f.sent) < asked {
		t.Errorf("the governor saw %v, want all of %v", b.f.sent, shop.requests())
	}
}

// Do waits for nobody, also with a request that cannot be read while an answer is not taken yet:
// the guest would take none any more.
func TestDoWaitsForNobody(t *testing.T) {
	t.Parallel()
	b := Bind(Request{}, &abi.BrowserRequirements{}, nil, nil)
	handed, taken := make(chan struct{}), make(chan struct{})
	if err := b.Do([]byte(`{`), func([]byte) { close(handed); <-taken }); err != nil {
		t.Fatal(err)
	}
	<-handed
	for range abi.BrowserInFlight {
		if err := b.Do([]byte(`{`), func([]byte) {}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Do([]byte(`{`), func([]byte) {}); abi.CodeOf(err) != abi.CodeTooManyInFlight {
		t.Errorf("one more than may wait: got %v, want %s", err, abi.CodeTooManyInFlight)
	}
	close(taken)
	if err := b.Close(); err != nil {
		t.Errorf("closing: got %v, want nil", err)
	}
}

// BR-05: a run whose browser has no sandbox, by the operator's word, says so among its events; any
// other says nothing of the kind.
func TestUnsandboxedRunSaysSo(t *testing.T) {
	t.Parallel()
	shop := newSite(t, nil)
	for word, want := range map[bool]int{true: 1, false: 0} {
		b := bind(t, shop, nil)
		b.request.Unsandboxed = word
		told := 0
		b.Watch(nil, func(event string, _ map[string]any) {
			if event == "run.browser_unsandboxed" {
				told++
			}
		})
		b.does(`{"do":"open"}`)
		b.does(`{"do":"pages"}`)
		if told != want {
			t.Errorf("unsandboxed %v: got %d events that say so, want %d", word, told, want)
		}
	}
}
