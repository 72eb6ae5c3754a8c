package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// walk is the body of a function that names each place from which a script of a connector's comes to the
// word canary: whatever globalThis leads to, getters called, and what pages, workers and the browser keep
// for its origin.
const walk = `async () => {
	const found = [], seen = new Set(), todo = [], most = 300000;
	const look = (v, path) => {
		if (typeof v === "string") { if (v.includes("canary")) found.push(path) }
		else if (v !== null && (typeof v === "object" || typeof v === "function") && !seen.has(v)) { seen.add(v); todo.push([v, path]) }
	};
	const called = (path, f) => { try { look(f(), path) } catch { } };
	look(globalThis, "globalThis");
	called("navigation.entries()", () => navigation.entries());
	called("performance.getEntries()", () => performance.getEntries());
	called("history.state", () => history.state);
	called("html", () => document.documentElement.outerHTML);
	for (let at = 0; at < todo.length; at++) {
		if (seen.size > most) throw new Error("more than is looked at");
		if (at % 500 === 499) await new Promise(r => setTimeout(r)); // a page that answers nobody is taken for one that hangs
		const [v, path] = todo[at];
		if (path.split(".").length > 9 || v instanceof Node && !(v instanceof Document)) continue;
		for (let from = v; from !== null; from = Object.getPrototypeOf(from)) {
			let keys = [];
			try { keys = Reflect.ownKeys(from) } catch { }
			for (const k of keys) { try { look(Reflect.get(from, k, v), path + "." + String(k)) } catch { } }
		}
	}
	for (const name of await caches.keys()) for (const r of await (await caches.open(name)).keys()) look(r.url, "caches." + name);
	for (const r of await navigator.serviceWorker.getRegistrations()) look(r.scope + " " + (r.active ?? r.waiting ?? r.installing)?.scriptURL, "workers");
	for (const c of await cookieStore.getAll()) look(c.name + c.value, "cookies");
	for (const { name } of await indexedDB.databases()) {
		look(name, "databases");
		const db = await new Promise((ok, no) => { const r = indexedDB.open(name); r.onsuccess = () => ok(r.result); r.onerror = no });
		for (const s of db.objectStoreNames) {
			look(JSON.stringify(await new Promise((ok, no) => { const r = db.transaction(s).objectStore(s).getAll(); r.onsuccess = () => ok(r.result); r.onerror = no })), "databases." + name + "." + s);
		}
		db.close();
	}
	return {found, seen: seen.size};
}`

// traces walks a page of a connector's.
func (b *bound) traces(page int) []string {
	b.t.Helper()
	fn, err := json.Marshal(walk)
	if err != nil {
		b.t.Fatal(err)
	}
	_, body := b.does(fmt.Sprintf(`{"page":%d,"do":"eval","timeout_ms":300000,"fn":%s}`, page, fn))
	var got struct {
		Found []string `json:"found"`
		Seen  int      `json:"seen"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		b.t.Fatal(err)
	}
	if got.Seen < 1000 {
		b.t.Errorf("got %d objects, want all that a page has", got.Seen)
	}
	return got.Found
}

// holders are the files below a folder that have a word, as bytes or as UTF-16.
func holders(t testing.TB, dir, word string) (paths []string) {
	t.Helper()
	var wide []byte
	for _, u := range utf16.Encode([]rune(word)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // its browser has removed it
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path) //nolint:gosec // of the test's own profile
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(text, []byte(word)) || bytes.Contains(text, wide) {
			name, _ := filepath.Rel(dir, path)
			paths = append(paths, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// signInByGet signs the owner in at a site that puts what was typed into an address, and returns the page.
func (b *bound) signInByGet() int {
	b.t.Helper()
	a, _ := b.does(`{"do":"sign_in.begin","url":"https://shop.example/login"}`)
	in := func(request string) string {
		return strings.Replace(request, "{", fmt.Sprintf(`{"page":%d,`, a.Page), 1)
	}
	b.does(in(`{"do":"fill","selector":"[name=password]","credential":"password"}`))
	b.does(in(`{"do":"click","selector":"#go","expect":"navigation"}`))
	b.does(in(`{"do":"wait","any":[{"selector":"#in"}]}`))
	end, _ := b.does(`{"do":"sign_in.end","ok":true}`)
	if end.State != "provider" || end.Page != a.Page {
		b.t.Fatalf("got %+v, want the connector's page, of the same number", end)
	}
	return end.Page
}

// byGet is a site that one signs in to by a form of method GET.
func byGet(t testing.TB) *site {
	t.Helper()
	return newSite(t, map[string]string{
		"/":      "<title>shop</title>",
		"/login": `<title>sign in</title><form action="/done"><input name=password type=password><button id=go>Go</button></form>`,
		"/done":  `<title>done</title><p id=in>in</p>`,
	})
}

// After a sign-in, a connector's script finds no address of the window anywhere: a form of method GET
// puts the password into it (BR-13.4, BR-13.6).
func TestNothingLeadsBackToTheWindow(t *testing.T) {
	t.Parallel()
	b := bind(t, byGet(t), map[string]string{"password": password})
	page := b.signInByGet()
	if got := b.traces(page); len(got) > 0 {
		t.Errorf("got the password by %v, want it by nothing", got)
	}
}

// reflects is such a site whose script has a word of its request's header, by which no cache is told to
// tell its answers apart.
func reflects(t testing.TB) *site {
	t.Helper()
	shop := byGet(t)
	shop.other = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/lang" {
			return false
		}
		w.Header().Set("Cache-Control", "max-age=3600")
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "document.documentElement.lang = %s", cmp.Or(r.Header.Get("X-Lang"), "1"))
		return true
	}
	shop.pages["/login"] = `<title>sign in</title><form action="/done"><input name=password type=password><button id=go>Go</button></form><script src="/lang"></script>`
	return shop
}

// steals is what a connector has such a site say.
const steals = `0; addEventListener('input', e => { localStorage.stolen = e.target.value }, true)`

// plant has the cache of the connector's browser keep that.
func (b *bound) plant() {
	b.t.Helper()
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"eval","fn":"async says => { await (await fetch('/lang', {headers: {'x-lang': says}})).text() }","args":["` + steals + `"]}`)
	until(b.t, "the cache has it", func() bool { return len(b.cached("/lang")) > 0 })
}

// cached are the files of the cache that have a word.
func (b *bound) cached(word string) []string {
	b.t.Helper()
	return holders(b.t, filepath.Join(b.browser.held.Path, "Default", "Cache"), word)
}

// asks counts the requests for a path.
func (s *site) asks(path string) (n int) {
	for _, r := range s.requests() {
		if r == "GET "+path {
			n++
		}
	}
	return n
}

// The window's pages read no answer that a connector's page has put into the cache, and the cache has no
// address of the window behind it (BR-13.7).
func TestNoCacheAnswersInTheWindow(t *testing.T) {
	t.Parallel()
	b := bind(t, reflects(t), map[string]string{"password": password})
	b.plant()
	page := b.signInByGet()
	if got := b.traces(page); len(got) > 0 {
		t.Errorf("got the password by %v, want it by nothing", got)
	}
	until(t, "the cache has forgotten the window", func() bool { return len(b.cached(password)) == 0 })
}

// Two walls keep such an answer out: the cache is emptied as the window opens, and in it no page reads
// from it (BR-13.7).
func TestTheCacheIsEmptiedAndOff(t *testing.T) {
	t.Parallel()
	shop := reflects(t)
	b := bind(t, shop, nil)
	b.plant()
	a, _ := b.does(`{"do":"sign_in.begin","url":"https://shop.example/done"}`)
	until(t, "the cache is empty", func() bool { return len(b.cached("/lang")) == 0 })
	before := shop.asks("/lang")
	for range 2 {
		b.does(fmt.Sprintf(`{"page":%d,"do":"goto","url":"https://shop.example/login"}`, a.Page))
	}
	if n := shop.asks("/lang") - before; n != 2 {
		t.Errorf("two pages of the window: got %d requests for their script, want 2", n)
	}
}

// The cache of a run whose host was killed answers nothing in the owner's window (BR-13.7).
func TestNoCacheAnswersInTheOwnersWindow(t *testing.T) {
	t.Parallel()
	shop := reflects(t)
	shop.pages["/"] = `<title>shop</title><script src="/lang"></script><script>fetch(document.documentElement.lang == 1 ? "/true" : "/false")</script>`
	run := bind(t, shop, nil)
	run.does(`{"do":"open","url":"https://shop.example/login"}`)
	run.does(`{"do":"eval","fn":"async () => { await (await fetch('/lang', {headers: {'x-lang': '2'}, cache: 'reload'})).text() }"}`)
	until(t, "the cache has it", func() bool { return len(run.cached("/lang")) > 0 })
	cache, left := filepath.Join(run.browser.held.Path, "Default", "Cache"), filepath.Join(t.TempDir(), "cache")
	if err := errors.Join(os.CopyFS(left, os.DirFS(cache)), run.Close(), os.CopyFS(cache, os.DirFS(left))); err != nil {
		t.Fatal(err)
	}
	b := desk(t, shop)
	b.request.Profiles, b.request.Profile = run.request.Profiles, run.request.Profile
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.looked = func(*Browser, int) {
		if shop.asks("/true")+shop.asks("/false") > 0 {
			cancel()
		}
	}
	if _, err := b.SignIn(ctx); err != nil || shop.asks("/true") == 0 || shop.asks("/false") > 0 {
		t.Errorf("got %q asked for, %v, want the site's own script in the owner's window", shop.requests(), err)
	}
}

// No file of a profile has an address of the window behind the run, and none but the list of its tabs
// before (BR-18.2).
func TestNoFileHasAnAddressOfTheWindow(t *testing.T) {
	t.Parallel()
	b := bind(t, byGet(t), map[string]string{"password": password})
	b.signInByGet()
	if err := b.browser.quit(); err != nil { // with all that it still had to write
		t.Fatal(err)
	}
	for _, f := range holders(t, b.request.Profiles, password) {
		if !strings.Contains(f, "Sessions") {
			t.Errorf("before it is removed: got the password in %s, want it there in the list of tabs alone", f)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if got := holders(t, b.request.Profiles, password); len(got) > 0 {
		t.Errorf("got the password in %q, want it in no file", got)
	}
}
