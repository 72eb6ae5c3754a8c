package browser

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// zeros are n bytes of nothing.
type zeros int64

func (z *zeros) Read(b []byte) (int, error) {
	if *z == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(b)), int64(*z))
	clear(b[:n])
	*z -= zeros(n)
	return int(n), nil
}

// large serves files of as many MB as their names say, the sizes of those below /told ahead.
func large(w http.ResponseWriter, r *http.Request) bool {
	rest, told := strings.CutPrefix(r.URL.Path, "/told")
	mb, ok := strings.CutPrefix(rest, "/large/")
	n, err := strconv.ParseInt(mb, 10, 64)
	if !ok || err != nil {
		return false
	}
	z := zeros(n << 20)
	w.Header().Set("Content-Type", "application/octet-stream")
	if told {
		w.Header().Set("Content-Length", strconv.FormatInt(int64(z), 10))
	}
	_, _ = io.Copy(w, &z) // the browser ends it
	return true
}

// T11: a page that answers nothing while something is done on it is closed in time, and a new one
// goes on (BR-16).
func TestHungPage(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	began := time.Now()
	b.fails(`{"do":"eval","fn":"() => { for (;;); }","timeout_ms":120000}`, abi.CodeBrowserPageHung)
	if took := time.Since(began); took > 60*time.Second {
		t.Errorf("got the failure after %s, want it after 15 s on a machine that is not busy", took)
	}
	b.fails(`{"do":"text","selector":"title"}`, abi.CodeBrowserPageUnknown)
	if a, _ := b.does(`{"do":"open","url":"https://shop.example/"}`); a.Page != 2 {
		t.Errorf("afterwards: got page %d, want another one", a.Page)
	}
}

// T11: a page that takes too much memory loses its process, and the run goes on; when pages do so
// again the run has no browser any more (BR-16).
func TestMemory(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	b := bind(t, shop, nil)
	b.request.Memory = 700 << 20
	const grow = `{"do":"eval","page":PAGE,"fn":"async () => { const kept = globalThis.kept = []; for (;;) { ` +
		`const part = new Float64Array(1 << 22); for (let i = 0; i < part.length; i += 512) part[i] = Math.random(); kept.push(part); await new Promise(r => setTimeout(r, 50)) } }","timeout_ms":120000}`
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.fails(strings.Replace(grow, "PAGE", "1", 1), abi.CodeBrowserPageCrashed)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.fails(strings.Replace(grow, "PAGE", "2", 1), abi.CodeBrowserMemory)
	if a, _ := b.ask(`{"do":"pages"}`); a.Error == nil || a.Error.Code != abi.CodeBrowserMemory || !a.Error.Retryable {
		t.Errorf("afterwards: got %+v, want %s, for another run", a.Error, abi.CodeBrowserMemory)
	}
}

// A page that fills the profile ends the run's browser while it writes, and the owner is told (BR-18.1).
func TestAPageThatFillsTheDisk(t *testing.T) {
	t.Parallel()
	b := bind(t, newSite(t, map[string]string{"/": "<title>shop</title>"}), nil)
	b.request.Disk = abi.BrowserLarge + 1
	var told atomic.Int64
	b.request.Large = func(size int64) { told.Store(size) }
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.fails(`{"do":"eval","fn":"async () => { const c = await caches.open('x'), part = new Uint8Array(8 << 20); `+
		`for (let i = 0; ; i++) { for (let j = 0; j < part.length; j += 65536) crypto.getRandomValues(part.subarray(j, j + 65536)); await c.put('/' + i, new Response(part)) } }","timeout_ms":300000}`, abi.CodeBrowserProfileLarge)
	if code := abi.CodeOf(b.Fault()); code != abi.CodeBrowserProfileLarge {
		t.Errorf("the fault of the run: got %s, want %s", code, abi.CodeBrowserProfileLarge)
	}
	if err := b.Close(); err != nil || told.Load() <= abi.BrowserLarge {
		t.Errorf("closing: got %v, %d bytes told, want more than %d", err, told.Load(), abi.BrowserLarge)
	}
}

// A site that stores more than its share is refused by the browser itself, and everything goes on (BR-18.1).
func TestASiteHasAQuota(t *testing.T) {
	t.Parallel()
	const share = 24 // MB
	b := bind(t, newSite(t, map[string]string{"/": "<title>shop</title>"}), nil)
	b.request.Stored = share << 20 * 4 / 3
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	_, got := b.does(`{"do":"eval","fn":"async () => { const c = await caches.open('x'), part = new Uint8Array(1 << 20); ` +
		`for (let i = 0; i < 100; i++) { for (let j = 0; j < part.length; j += 65536) crypto.getRandomValues(part.subarray(j, j + 65536)); ` +
		`try { await c.put('/' + i, new Response(part)) } catch (e) { return e.name + ' ' + (i < ` + strconv.Itoa(share) + ` && i > ` + strconv.Itoa(share/2) + `) } } }","timeout_ms":300000}`)
	if want := `"QuotaExceededError true"`; got != want {
		t.Errorf("got %s, want %s: all but the last of %d MB, and no more", got, want, share)
	}
	b.does(`{"do":"text","selector":"title"}`)
}

// T11: an answer of 100 MB and a file of 4 GB end at their bounds, whether their size is told
// ahead or not, and the run goes on (BR-17).
func TestLargeAnswers(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{
		"/": `<title>shop</title><a id=told href="/told/large/4096" download>told</a><a id=flood href="/large/4096" download>flood</a><a id=small href="/large/1" download>small</a>`,
	})
	shop.other = large
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	a, body := b.does(`{"do":"fetch","requests":[{"url":"https://shop.example/large/100"},{"url":"https://shop.example/told/large/100"},{"url":"https://shop.example/large/1"}]}`)
	for i, r := range a.Results[:2] {
		if r.Error == nil || r.Error.Code != abi.CodeBrowserTooLarge {
			t.Errorf("answer %d: got %+v, want %s", i, r, abi.CodeBrowserTooLarge)
		}
	}
	if r := a.Results[2]; r.Length != 1<<20 || len(body) != 1<<20 {
		t.Errorf("the answer beside them: got %d bytes, want 1 MB", r.Length)
	}
	for _, id := range []string{"#told", "#flood"} {
		b.does(`{"do":"download.arm"}`)
		b.does(`{"do":"click","selector":"` + id + `","expect":"download"}`)
		b.fails(`{"do":"download.next"}`, abi.CodeBrowserDownloadLarge)
	}
	b.does(`{"do":"download.arm"}`)
	b.does(`{"do":"click","selector":"#small","expect":"download"}`)
	if a, _ := b.does(`{"do":"download.next"}`); *a.Bytes != 1<<20 {
		t.Errorf("the next file: got %d bytes, want 1 MB", *a.Bytes)
	}
}

// The owner is told of a profile that is large also without its caches (BR-18.1).
func TestLargeProfile(t *testing.T) {
	t.Parallel()
	r := request(t)
	var told atomic.Int64
	r.Large = func(size int64) { told.Store(size) }
	for _, size := range []int64{0, abi.BrowserLarge + 1} {
		b := acquire(t, r)
		path := filepath.Join(b.held.Path, "Default", "site")
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size)); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Errorf("closing: got %v, want nil", err)
		}
		if got := told.Load(); (got > abi.BrowserLarge) != (size > 0) {
			t.Errorf("with %d bytes of a site: got %d told, want more than %d told of the large one alone", size, got, abi.BrowserLarge)
		}
	}
}
