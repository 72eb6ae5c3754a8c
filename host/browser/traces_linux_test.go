package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
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
		Found []string
		Seen  int
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
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path) //nolint:gosec // of the test's own profile
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

// Nothing that a script of a connector's can come to behind a sign-in leads to an address of the window,
// which a form of method GET puts the password into (BR-13.4, BR-13.6).
func TestNothingLeadsBackToTheWindow(t *testing.T) {
	t.Parallel()
	b := bind(t, byGet(t), map[string]string{"password": password})
	page := b.signInByGet()
	if got := b.traces(page); len(got) > 0 {
		t.Errorf("behind the window: got the password by %v, want it by nothing", got)
	}
	b.does(fmt.Sprintf(`{"page":%d,"do":"goto","url":"https://shop.example/"}`, page))
	if got := b.traces(page); len(got) > 0 {
		t.Errorf("a page later: got the password by %v, want it by nothing", got)
	}
}
