package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
)

// board is a page of things that an owner can press, one below the other, which tell the site
// what happened.
const board = `<title>board</title><style>body > * { position: fixed; left: 10px; width: 200px; height: 30px; margin: 0 } </style>
	<a style="top:10px" target=_blank href="/pop">pop</a>
	<input style="top:50px" type=file>
	<button style="top:90px" onclick="alert(1); log('alerted')">alert</button>
	<button style="top:130px" onclick="fetch('https://captcha.example/x', {mode: 'no-cors'}).then(() => log('reached'), () => log('refused'))">captcha</button>
	<input style="top:170px" id=text autocomplete=off oninput="log('text-' + value)">
	<a style="top:210px" download="x" href="/file.js">file</a>
	<button style="top:250px" onclick="navigator.geolocation.getCurrentPosition(() => log('place'), e => log('place-' + e.code))">place</button>
	<button style="top:290px" onclick="document.cookie = 'sid=1; secure'">sign in</button>
	<button style="top:330px" onclick="log('trusted-' + event.isTrusted)">trusted</button>
	<button style="top:370px" onclick="document.body.classList.add('moving')">move</button>
	<style>@keyframes turn { to { transform: rotate(1turn) } } .moving::after { content: "turning"; position: fixed; left: 400px; top: 200px; font: 90px serif; animation: turn 2s linear infinite }</style>
	<script>
		const log = what => fetch("/log/" + what);
		addEventListener("dblclick", () => log("double")); addEventListener("touchstart", () => log("touch"));
		addEventListener("wheel", e => log("wheel-" + e.deltaY)); addEventListener("resize", () => log("wide-" + innerWidth));
		addEventListener("contextmenu", () => log("menu"));
	</script>`

// handed hands page 1 over.
func (b *bound) handed(done *abi.HandoffDone) handoff.Page {
	b.t.Helper()
	page, err := b.HandOver(b.t.Context(), &abi.Handoff{Page: 1, Reason: abi.HandoffOther, DoneWhen: done})
	if err != nil {
		b.t.Fatalf("handing over: %v", err)
	}
	return page
}

// press clicks the thing in a row of the board, and more.
func (b *bound) press(page handoff.Page, row int, more ...handoff.Event) {
	b.t.Helper()
	x, y := 30.0, float64(row*40-15)
	for _, e := range append([]handoff.Event{{Do: handoff.Move, X: x, Y: y}, {Do: handoff.Down, X: x, Y: y}, {Do: handoff.Up, X: x, Y: y}}, more...) {
		if err := page.Do(b.t.Context(), e); err != nil {
			b.t.Errorf("row %d, %+v: got %v, want it done", row, e, err)
		}
	}
}

// An owner sees the window that a hand-off opens, and does there what is on the list. The host
// refuses what a page asks for besides, and tells of it. A host that is refused is reached when the
// owner allows it, until the end. Then the connector has one page, where it begins (BR-08.4,
// BR-13, BR-15).
func TestHandOver(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": board, "/pop": "<title>pop</title>", "/file.js": "bytes"})
	b := bind(t, shop, nil)
	b.request.Dialer = b.roles.Behind(sites{"shop.example:443": shop.Listener.Addr().String(), "captcha.example:443": shop.Listener.Addr().String()})
	said := func(what string) {
		t.Helper()
		until(t, "the page says "+what, func() bool { return slices.Contains(shop.requests(), "GET /log/"+what) })
	}
	if _, err := b.HandOver(t.Context(), &abi.Handoff{Reason: abi.HandoffLogin}); abi.CodeOf(err) != abi.CodeBrowserPageUnknown {
		t.Errorf("without a page: got %v, want %s", err, abi.CodeBrowserPageUnknown)
	}
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"open","url":"https://shop.example/pop"}`)
	b.does(`{"do":"download.arm"}`)
	for _, d := range []abi.HandoffDone{{Selector: "input[value^=h]"}, {URLPrefix: "https://shop.example/?password=h"}} {
		if _, err := b.HandOver(t.Context(), &abi.Handoff{Page: 1, DoneWhen: &d}); abi.CodeOf(err) != abi.CodeBrowserSignIn {
			t.Errorf("%+v: got %v, want %s", d, err, abi.CodeBrowserSignIn)
		}
	}
	page := b.handed(&abi.HandoffDone{Session: []string{"sid"}})
	for _, op := range []string{`{"do":"pages"}`, `{"do":"checkpoint","label":"x"}`, `{"do":"content"}`, `{"do":"sign_in.begin","url":"https://shop.example/"}`} {
		b.fails(op, abi.CodeBrowserHandedOver)
	}
	shows := func(what string, so func(handoff.State) bool) {
		t.Helper()
		until(t, what, func() bool {
			s, _ := page.State()
			return so(s)
		})
	}
	shows("one page of the shop is shown", func(s handoff.State) bool {
		return len(s.Pages) == 1 && s.Host == "shop.example" && s.Pages[0].Title == "board"
	})
	first, _ := page.State()

	b.press(page, 9)
	said("trusted-true")
	b.press(page, 5, handoff.Event{Do: handoff.Text, Text: "abc"}, handoff.Event{Do: handoff.KeyDown, Key: "Backspace"}, handoff.Event{Do: handoff.KeyUp, Key: "Backspace"})
	said("text-ab")
	b.press(page, 5, handoff.Event{Do: handoff.KeyDown, Key: "a", Ctrl: true}, handoff.Event{Do: handoff.KeyUp, Key: "a", Ctrl: true}, handoff.Event{Do: handoff.Paste, Text: "z"})
	said("text-z")
	b.press(page, 15, handoff.Event{Do: handoff.Down, X: 300, Y: 300}, handoff.Event{Do: handoff.Up, X: 300, Y: 300}, handoff.Event{Do: handoff.Double, X: 300, Y: 300}, handoff.Event{Do: handoff.Wheel, X: 300, Y: 300, DY: 120},
		handoff.Event{Do: handoff.TouchStart, X: 300, Y: 300}, handoff.Event{Do: handoff.TouchMove, X: 301, Y: 300}, handoff.Event{Do: handoff.TouchEnd})
	said("double")
	said("wheel-120")
	said("touch")
	b.press(page, 15, handoff.Event{Do: handoff.Viewport, Viewport: "390x844"})
	said("wide-390")
	b.press(page, 15, handoff.Event{Do: handoff.Viewport, Viewport: "1280x720"})
	said("wide-1280")

	b.press(page, 2)
	shows("a file is refused", func(s handoff.State) bool { return s.Told == handoff.ToldFileChooser })
	b.press(page, 3)
	said("alerted")
	shows("a dialog is refused", func(s handoff.State) bool { return s.Told == handoff.ToldDialog })
	b.press(page, 7)
	said("place-1")
	b.press(page, 6) // which the connector has armed for

	b.press(page, 4)
	said("refused")
	shows("a refused host is told of", func(s handoff.State) bool { return slices.Equal(s.Refused, []string{"captcha.example"}) })
	if err := page.Do(t.Context(), handoff.Event{Do: handoff.Allow, Host: "captcha.example"}); err != nil || b.told.Load() != "run.browser_host_allowedmap[host:captcha.example]" {
		t.Errorf("allowing a host: got %v, told %v, want it told", err, b.told.Load())
	}
	b.press(page, 4)
	said("reached")
	shows("it is told of no longer", func(s handoff.State) bool { return len(s.Refused) == 0 })

	for n := 2; n <= abi.BrowserPages+1; n++ {
		if err := page.Do(t.Context(), handoff.Event{Do: handoff.Choose, Page: first.Page}); err != nil {
			t.Fatal(err)
		}
		b.press(page, 1)
		if n <= abi.BrowserPages {
			shows(fmt.Sprintf("page %d is shown", n), func(s handoff.State) bool { return len(s.Pages) == n && s.Page == s.Pages[n-1].Number })
		}
	}
	shows("one more is refused", func(s handoff.State) bool { return s.Told == handoff.ToldPopup && len(s.Pages) == abi.BrowserPages })
	now, _ := page.State()
	if err := page.Do(t.Context(), handoff.Event{Do: handoff.Close, Page: now.Pages[1].Number}); err != nil {
		t.Error(err)
	}
	if err := page.Do(t.Context(), handoff.Event{Do: handoff.Close, Page: first.Page}); abi.CodeOf(err) != handoff.CodeInputInvalid {
		t.Errorf("closing the first page: got %v, want %s", err, handoff.CodeInputInvalid)
	}
	shows("a page is closed", func(s handoff.State) bool { return len(s.Pages) == abi.BrowserPages-1 })
	if err := page.Do(t.Context(), handoff.Event{Do: handoff.Choose, Page: first.Page}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-page.Ended():
		t.Fatalf("got it ended as %s, want it open", page.Outcome())
	default:
	}
	b.press(page, 8)
	<-page.Ended()
	if page.Outcome() != handoff.OutcomeDone {
		t.Errorf("got %s, want %s", page.Outcome(), handoff.OutcomeDone)
	}
	page.Back(t.Context(), page.Outcome() == handoff.OutcomeDone)
	numbers := b.pages()
	if len(numbers) != 1 {
		t.Fatalf("got the pages %v, want one", numbers)
	}
	if _, body := b.does(`{"page":` + numbers[0] + `,"do":"text","selector":"title"}`); body != `["board"]` {
		t.Errorf("got %s, want the page where the connector begins", body)
	}
	b.fails(`{"page":`+numbers[0]+`,"do":"back"}`, abi.CodeBrowserNotLoaded)
	before := len(shop.requests())
	b.does(`{"page":` + numbers[0] + `,"do":"eval","fn":"() => document.querySelectorAll('button')[1].click()"}`)
	until(t, "the host is refused again", func() bool { return slices.Contains(shop.requests()[before:], "GET /log/refused") })
	if files, err := filepath.Glob(filepath.Join(b.browser.temp.path, "downloads", "*")); err != nil || len(files) > 0 {
		t.Errorf("got %v, %v, want nothing downloaded", files, err)
	}
	if slices.Contains(shop.requests(), "GET /log/menu") {
		t.Error("got a menu, want none")
	}
}

// A connector that has put what it can into the site gets nothing of what the owner types: not
// from the window, and not from a page that the window opens (T5, BR-13.6).
func TestHandOverIsTheOwners(t *testing.T) {
	t.Parallel()
	form := `<title>sign in</title><style>input, a { position: fixed; top: 0; left: 0; width: 200px; height: 50px } a { top: 100px }</style><input name=password type=password><a target=_blank href="/pop">pop</a>`
	shop := newSite(t, map[string]string{
		"/": "<title>shop</title>", "/login": form, "/pop": form,
		"/sw.js": `self.onfetch = e => e.respondWith(caches.match(e.request).then(r => r || fetch(e.request)))`,
	})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/login"}`)
	b.does(`{"do":"eval","fn":"async () => { const w = await navigator.serviceWorker.register('/sw.js'); for (; !w.active;) await new Promise(r => setTimeout(r, 20)); const c = await caches.open('x'); ` +
		`for (const at of ['/login', '/pop']) await c.put(at, new Response('<title>false</title><style>input { position: fixed; top: 0; left: 0; width: 200px; height: 50px }</style><input><script>document.oninput = e => localStorage.stolen = e.target.value</script>', {headers: {'content-type': 'text/html'}})); ` +
		`addEventListener('input', e => { localStorage.stolen = e.target.value }, true) }"}`)
	page := b.handed(nil)
	do := func(all ...handoff.Event) {
		t.Helper()
		for _, e := range all {
			if err := page.Do(t.Context(), e); err != nil {
				t.Errorf("%+v: got %v, want it done", e, err)
			}
		}
	}
	at := func(y float64) []handoff.Event {
		return []handoff.Event{{Do: handoff.Down, X: 50, Y: y}, {Do: handoff.Up, X: 50, Y: y}}
	}
	typed := handoff.Event{Do: handoff.Text, Text: password}
	do(append(at(20), typed)...)
	do(at(120)...)
	until(t, "another page is shown", func() bool {
		s, _ := page.State()
		return len(s.Pages) == 2 && s.Page == s.Pages[1].Number && s.Pages[1].Title == "sign in"
	})
	do(append(at(20), typed)...)
	page.Back(t.Context(), page.Outcome() == handoff.OutcomeDone)
	_, got := b.does(`{"page":` + b.pages()[0] + `,"do":"eval","fn":"async () => JSON.stringify([{...localStorage}, document.documentElement.outerHTML])"}`)
	if strings.Contains(got, "canary") {
		t.Errorf("got %s, want no canary", got)
	}
}

// A hand-off within a sign-in is on its page, which stays the window of it. A hand-off ends with
// its browser.
func TestHandOverInSignIn(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>", "/login": `<title>sign in</title><p id=there>x</p>`, "/hang": `<script>for (;;);</script>`})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
	number := b.pages()[0]
	if _, err := b.HandOver(t.Context(), &abi.Handoff{Page: 1}); err == nil {
		t.Error("got another page than the sign-in's handed over, want that refused")
	}
	ask := &abi.Handoff{Reason: abi.HandoffLogin, DoneWhen: &abi.HandoffDone{Selector: "#there"}}
	if _, err := fmt.Sscan(number, &ask.Page); err != nil {
		t.Fatal(err)
	}
	page, err := b.HandOver(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	<-page.Ended()
	page.Back(t.Context(), page.Outcome() == handoff.OutcomeDone)
	b.fails(`{"page":`+number+`,"do":"content"}`, abi.CodeBrowserSignIn)
	b.does(`{"page":` + number + `,"do":"wait","any":[{"selector":"#there"}]}`)
	if a, _ := b.does(`{"do":"sign_in.end"}`); a.State != "provider" {
		t.Errorf("got %+v, want the sign-in ended", a)
	}
	ask.DoneWhen = nil
	if page, err = b.HandOver(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	b.browser.process.Kill()
	<-page.Ended()
	if page.Outcome() != handoff.OutcomeLost {
		t.Errorf("got %s, want %s", page.Outcome(), handoff.OutcomeLost)
	}
	page.Back(t.Context(), page.Outcome() == handoff.OutcomeDone)
}

// BenchmarkHandOff is from an owner's input to the next picture of the page, and what a page costs
// that stands still and one that moves, each for five seconds.
func BenchmarkHandOff(b *testing.B) {
	shop := newSite(b, map[string]string{"/": board})
	one := bind(b, shop, nil)
	one.does(`{"do":"open","url":"https://shop.example/"}`)
	page := one.handed(nil)
	r := handoff.New(time.Now, one.request.Random)
	h := r.Open(handoff.Opening{ID: "q_1"}, page)
	token, err := r.Attach("q_1", "ana")
	if err != nil {
		b.Fatal(err)
	}
	frames, size, count, ended := make(chan struct{}, 1), atomic.Int64{}, atomic.Int64{}, make(chan error, 1)
	go func() {
		ended <- r.View(context.Background(), "q_1", "ana", token, func(kind byte, body []byte) error {
			size.Add(int64(len(body)))
			if kind == handoff.FrameJPEG {
				count.Add(1)
				select {
				case frames <- struct{}{}:
				default:
				}
			}
			return nil
		})
	}()
	<-frames
	one.press(page, 5)
	wait := time.NewTimer(2 * time.Second)
	<-wait.C
	costs := map[string]float64{}
	cost := func(what string) {
		size.Store(0)
		count.Store(0)
		cpu := ticks(one.browser.process.PID)
		wait.Reset(5 * time.Second)
		<-wait.C
		costs[what+"-KB/s"], costs[what+"-fps"] = float64(size.Load())/1024/5, float64(count.Load())/5
		costs[what+"-CPU%"] = float64(ticks(one.browser.process.PID)-cpu) / 5
	}
	cost("still")
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		select {
		case <-frames:
		default:
		}
		began := time.Now()
		if err := r.Input(b.Context(), "q_1", "ana", token, []handoff.Event{{Do: handoff.Text, Text: string(rune('a' + i%26))}}); err != nil {
			b.Fatal(err)
		}
		<-frames
		took = append(took, time.Since(began))
		wait.Reset(200 * time.Millisecond) // as a person types, below the 12 pictures a second
		<-wait.C
	}
	b.StopTimer()
	one.press(page, 10)
	wait.Reset(3 * time.Second) // until the pictures are as poor as they get
	<-wait.C
	cost("moving")
	for name, value := range costs {
		b.ReportMetric(value, name)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	h.End(handoff.OutcomeDone)
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	page.Back(context.Background(), page.Outcome() == handoff.OutcomeDone)
}

// ticks is the processor time that a browser has used, in hundredths of a second.
func ticks(pid int) (sum int64) {
	for _, p := range launch.Tree(pid) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		for _, f := range fields[11:13] { // utime and stime
			var n int64
			_, _ = fmt.Sscan(f, &n)
			sum += n
		}
	}
	return sum
}
