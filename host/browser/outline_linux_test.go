package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/profile"
)

// canary is on the hostile page below in every place that a page has for words.
const canary = "canary7"

const hostilePage = `<!doctype html><html class=canary7 lang=canary7><head><title>canary7</title><meta name=canary7 content=canary7>
	<style>.canary7 { color: red }</style><script>document.cookie = "sid=canary7; secure"; localStorage.k = "canary7"; const canary7 = 1</script></head>
	<body id=canary7><!-- canary7 --><h1>canary7</h1><x-canary7 canary7=canary7>canary7</x-canary7><canary7></canary7>
	<form action="/canary7" role=canary7><input name=firstChild value=canary7><input name=localName value=canary7><input name=shadowRoot><input type=canary7>
	<input type=hidden name=token value=canary7><input id=pass type=password><textarea>canary7</textarea><select><option value=canary7 selected>canary7</select></form>
	<img name=documentElement alt=canary7><iframe srcdoc="canary7"></iframe><a href="/canary7?q=canary7" data-canary7=canary7>canary7</a>
	<noscript>canary7</noscript><template>canary7</template><svg><canary7/></svg><div id=host></div>
	<script>document.getElementById("host").attachShadow({mode: "open"}).innerHTML = "<p>canary7</p>";
	document.getElementById("pass").value = "canary7"; history.replaceState(null, "", "/login/canary7?q=canary7#canary7");
	Element.prototype.getAttribute = () => "canary7"; Array.prototype.push = function() { return "canary7" }; Reflect.get = () => "canary7"</script></body></html>`

// keeping is a browser of a run that captures pages, and its events.
type keeping struct {
	*bound

	lock   sync.Mutex
	events []string
}

func keep(t *testing.T, shop *site, secrets map[string]string) *keeping {
	t.Helper()
	k := &keeping{bound: bind(t, shop, secrets)}
	k.request.Capture = true
	k.Watch(func(error, bool) {}, k.tell)
	return k
}

func (k *keeping) tell(event string, data map[string]any) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.events = append(k.events, fmt.Sprint(event, data))
}

// captures returns the captures that there are.
func (k *keeping) captures() []profile.Capture {
	k.t.Helper()
	all, err := profile.Captures(k.request.Profiles, k.request.Profile, time.Now())
	if err != nil {
		k.t.Fatal(err)
	}
	return all
}

func (k *keeping) text(c profile.Capture) string {
	k.t.Helper()
	text, err := profile.ReadCapture(k.request.Profiles, k.request.Profile, c.ID)
	if err != nil {
		k.t.Fatal(err)
	}
	return string(text)
}

// BR-19, BR-18.2, RT-14: a checkpoint captures what a page is made of, in a file of its owner's: not one
// word of a page is in it, also of one that defends itself against being read; and none is kept unless that was
// asked for, nor more than twenty.
func TestCaptureHasNoWordOfThePage(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": hostilePage})
	off := bind(t, shop, nil)
	off.does(`{"do":"open","url":"https://shop.example/"}`)
	off.does(`{"do":"checkpoint","label":"there"}`)
	if all, err := profile.Captures(off.request.Profiles, off.request.Profile, time.Now()); len(all) != 0 || err != nil {
		t.Errorf("not asked for: got %v, %v, want no capture", all, err)
	}
	b := keep(t, shop, nil)
	b.does(`{"do":"checkpoint","label":"no-page"}`) // there is none, and it is a checkpoint all the same
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"checkpoint","label":"there"}`)
	all := b.captures()
	if len(all) != 1 {
		t.Fatalf("got %v, want one capture", all)
	}
	text := b.text(all[0])
	if strings.Contains(strings.ToLower(text), canary) {
		t.Errorf("got\n%s\nwant no word of the page", text)
	}
	for _, want := range []string{
		"label    there\naddress  https://shop.example\n", "\n body id", "\n  h1 text(7)\n", "\n  other text(7)\n", "\n   input name\n",
		"\n   input type=hidden name\n", "\n   input type=password id\n", "\n   textarea\n", "\n  iframe\n", "\n  a href text(7)\n", "\n  div id\n   p text(7)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q in it", text, want)
		}
	}
	for _, gone := range []string{"script", "style", "template", "noscript"} {
		if strings.Contains(text, gone) {
			t.Errorf("got\n%s\nwant no %s", text, gone)
		}
	}
	dir := filepath.Join(b.request.Profiles, ".captures", b.request.Profile)
	for path, want := range map[string]os.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, filepath.Join(dir, all[0].ID+".txt"): 0o600} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want the mode %v", path, info, err, want)
		}
	}
	for i := range abi.BrowserCaptures + 3 {
		b.does(fmt.Sprintf(`{"do":"checkpoint","label":"n%d"}`, i))
	}
	if all := b.captures(); len(all) != abi.BrowserCaptures-1 {
		t.Errorf("got %d captures, want %d, and one left for the watchdog", len(all), abi.BrowserCaptures-1)
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if want := fmt.Sprintf("run.browser_capturemap[capture:%s label:there]", all[0].ID); !strings.Contains(strings.Join(b.events, "\n"), want) {
		t.Errorf("got the events %v, want %s", b.events, want)
	}
}

// BR-19: nothing is captured while the owner is signed in; the host's own checkpoints around that
// are before and behind it.
func TestNothingIsCapturedInASignIn(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title><h1>in</h1>", "/login": `<input type=password name=password>`})
	b := keep(t, shop, map[string]string{"password": password})
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
	page := b.pages()[0]
	b.does(`{"page":` + page + `,"do":"fill","selector":"[name=password]","credential":"password"}`)
	b.does(`{"page":` + page + `,"do":"checkpoint","label":"typed"}`)
	b.does(`{"do":"sign_in.end","ok":true}`)
	var labels []string
	for _, c := range b.captures() {
		text := b.text(c)
		_, rest, _ := strings.Cut(text, "label    ")
		label, _, _ := strings.Cut(rest, "\n")
		labels = append(labels, label)
		if strings.Contains(text, "password") {
			t.Errorf("%s: got\n%s\nwant nothing of the form", label, text)
		}
	}
	if got, want := strings.Join(labels, " "), "session-establish:begin session-established"; got != want {
		t.Errorf("got captures at %q, want %q", got, want)
	}
}

// BR-12, RT-15.5: a connector that looks for its session and makes no progress is watched as well,
// from the checkpoint at which it begins; what it stood before is captured, where the page answers, and the
// browser goes then. One that has found its session is not watched any more.
func TestStallBeforeTheSignInIsCaptured(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": `<title>shop</title><h1>closed</h1><button onclick="setTimeout(() => { for (;;); })">Go</button>`})
	for name, hangs := range map[string]bool{"a page that answers": false, "one in an endless loop": true} {
		b := keep(t, shop, nil)
		b.request.Limit = 4 * time.Second
		ends := make(chan error, 2)
		b.Watch(func(why error, again bool) {
			if !again {
				t.Errorf("%s: got a run that is not made again, want one that is", name)
			}
			ends <- why
		}, b.tell)
		b.does(`{"do":"open","url":"https://shop.example/"}`)
		if hangs {
			b.does(`{"do":"click","selector":"button"}`)
		}
		b.does(`{"do":"checkpoint","label":"session-establish:begin"}`)
		before := len(b.captures())
		answers := make(chan []byte, 1)
		if err := b.Do([]byte(`{"do":"wait","any":[{"selector":"#never"}],"timeout_ms":100000}`), func(a []byte) { answers <- a }); err != nil {
			t.Fatal(err)
		}
		select {
		case why := <-ends:
			if abi.CodeOf(why) != abi.CodeBrowserStalled || !strings.Contains(why.Error(), "session-establish:begin") {
				t.Errorf("%s: got %v, want %s after its begin", name, why, abi.CodeBrowserStalled)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: nothing has ended it", name)
		}
		<-answers
		<-b.browser.process.Ended()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		all := b.captures()
		if got := len(all) - before; got != 1 && !hangs || got != 0 && hangs {
			t.Errorf("%s: got %d captures more, want one of a page that answers alone", name, got)
		}
		if hangs {
			continue
		}
		if last := b.text(all[len(all)-1]); !strings.Contains(last, "h1 text(6)") {
			t.Errorf("%s: got\n%s\nwant the page", name, last)
		}
	}
	b := bind(t, shop, nil)
	b.request.Limit = 2 * time.Second
	b.Watch(func(why error, _ bool) { t.Errorf("a session that is found: got %v, want nothing ended", why) }, func(string, map[string]any) {})
	b.does(`{"do":"open"}`)
	b.does(`{"do":"checkpoint","label":"session-establish:begin"}`)
	b.does(`{"do":"checkpoint","label":"session-established"}`)
	b.ask(`{"do":"wait","any":[{"selector":"#never"}],"timeout_ms":2500}`) // longer than the limit
}
