package browser

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/screen"
)

// plainly seals nothing, so that a test can read what is kept.
type plainly struct{}

func (plainly) Seal(_ context.Context, plain []byte) ([]byte, error) {
	return append([]byte(nil), plain...), nil
}

func (plainly) Unseal(_ context.Context, sealed []byte) ([]byte, error) {
	return append([]byte(nil), sealed...), nil
}

// desk is a binding whose browser has a window on a screen of the test's own.
func desk(t *testing.T, s *site) *Binding {
	t.Helper()
	r := request(t)
	r.Display = &launch.Display{X: screen.Start(t), Authority: "/dev/null"}
	r.Dialer, r.Trust, r.Sealer = s.known(), []string{s.key()}, plainly{}
	hosts := []abi.BrowserHost{{Host: "shop.example", Role: abi.RoleProvider}, {Host: "accounts.example", Role: abi.RoleSignIn}}
	return Bind(r, &abi.BrowserRequirements{StartURL: "https://shop.example/", Hosts: hosts}, &freely{}, nil)
}

// An owner who signs in by hand has a window of the run's own browser: it has the same gate and
// wall, listens nowhere, says what it is, and reaches where one signs in; what the site leaves in
// it is there in the next run, without a window, which reaches that no more (BR-01, BR-18, BR-20).
func TestSignInByHand(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{
		"/": `<title>shop</title><p id=who></p><script>who.textContent = document.cookie || "nobody";
			if (!document.cookie) { document.cookie = "sid=canary; secure"; document.cookie = "kept=1; secure; max-age=9999" }
			fetch("https://accounts.example/x").catch(() => 0); fetch("https://ads.example/").catch(() => 0)</script>`,
	})
	b := desk(t, shop)
	b.request.Dialer = b.roles.Behind(sites{"shop.example:443": shop.Listener.Addr().String(), "accounts.example:443": shop.Listener.Addr().String()})
	profiles := b.request.Profiles
	var closed sync.Once
	b.looked = func(held *Browser, cookies int) {
		on := held.line.On(t.Context(), "")
		targets, err := proto.TargetGetTargets{}.Call(on)
		names, _ := b.Refused()
		if err != nil || cookies < 2 || names["ads.example"] == 0 || !slices.Contains(shop.requests(), "GET /x") {
			return
		}
		closed.Do(func() { // as its owner does
			for _, x := range targets.TargetInfos {
				if x.Type == proto.TargetTargetInfoTypePage {
					_, _ = proto.TargetCloseTarget{TargetID: x.TargetID}.Call(on)
				}
			}
		})
	}
	done, err := b.SignIn(t.Context())
	if err != nil || done.Cookies != 2 || !slices.Equal(done.Refused, []string{"ads.example"}) {
		t.Fatalf("got %+v, %v, want two cookies, and ads.example refused", done, err)
	}
	for _, a := range shop.said() {
		if strings.Contains(a, "Headless") {
			t.Errorf("the site got %s, want a browser with a window", a)
		}
	}

	next := bind(t, shop, nil, abi.BrowserHost{Host: "accounts.example", Role: abi.RoleSignIn})
	next.request.Profiles, next.request.Sealer = profiles, plainly{}
	next.does(`{"do":"open","url":"https://shop.example/"}`)
	if _, body := next.does(`{"do":"text","selector":"#who"}`); !strings.Contains(body, "sid=canary") || !strings.Contains(body, "kept=1") {
		t.Errorf("the next run: got %s, want both cookies there", body)
	}
	if names, _ := next.Refused(); names["accounts.example"] == 0 {
		t.Errorf("the next run: got %v refused, want where one signs in among them", names)
	}
}

// A service worker of the connector's answers nothing in the owner's window. Its page would read
// the password there (BR-13.7).
func TestSignInByHandIsTheOwners(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{
		"/":      `<title>shop</title><script>fetch("/true")</script>`,
		"/sw.js": `self.onfetch = e => e.respondWith(caches.match(e.request).then(r => r || fetch(e.request)))`,
	})
	run := bind(t, shop, nil)
	run.does(`{"do":"open","url":"https://shop.example/"}`)
	run.does(`{"do":"eval","fn":"async () => { const w = await navigator.serviceWorker.register('/sw.js'); for (; !w.active;) await new Promise(r => setTimeout(r, 20)); const c = await caches.open('x'); ` +
		`await c.put('/', new Response('<title>shop</title><script>fetch(\\'/false\\')</script>', {headers: {'content-type': 'text/html'}})) }"}`)
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	before := len(shop.requests())
	b := desk(t, shop)
	b.request.Profiles, b.request.Profile = run.request.Profiles, run.request.Profile
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked []string
	b.looked = func(*Browser, int) {
		if asked = shop.requests()[before:]; slices.Contains(asked, "GET /true") || slices.Contains(asked, "GET /false") {
			cancel()
		}
	}
	if _, err := b.SignIn(ctx); err != nil || !slices.Contains(asked, "GET /true") || slices.Contains(asked, "GET /false") {
		t.Errorf("got %q asked for, %v, want the site's own page in the owner's window", asked, err)
	}
}

// An owner who ends the command is signed in as well (BR-01).
func TestSignInInterrupted(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": `<title>shop</title><script>document.cookie = "sid=canary; secure"</script>`})
	b := desk(t, shop)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.looked = func(_ *Browser, cookies int) {
		if cookies > 0 {
			cancel()
		}
	}
	if done, err := b.SignIn(ctx); err != nil || done.Cookies != 1 {
		t.Errorf("got %+v, %v, want the session kept", done, err)
	}
	if kept, err := kept(t, b); err != nil || !strings.Contains(string(kept), "canary") {
		t.Errorf("got %q, %v, want the session sealed beside the profile", kept, err)
	}
}

// An owner's window has the bounds of a run's browser, and its end is told: the first page that takes
// too much memory is ended, and then the browser; a profile that is too large ends it at once (BR-16,
// BR-18.1).
func TestSignInIsBounded(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": `<title>shop</title>`})
	for code, bound := range map[abi.Code]func(*Request){
		abi.CodeBrowserMemory:       func(r *Request) { r.Memory = 1 },
		abi.CodeBrowserProfileLarge: func(r *Request) { r.Disk = 1 },
	} {
		b := desk(t, shop)
		bound(&b.request)
		if _, err := b.SignIn(t.Context()); abi.CodeOf(err) != code {
			t.Errorf("got %v, want %s", err, code)
		}
	}
}

// kept is what is kept of the session of a browser that has ended.
func kept(t *testing.T, b *Binding) ([]byte, error) {
	t.Helper()
	return os.ReadFile(filepath.Join(b.request.Profiles, ".sessions", b.request.Profile))
}

// Without a screen nothing is started, and the owner is told where there would be one.
func TestSignInWithoutScreen(t *testing.T) {
	t.Parallel()
	b := Bind(Request{Program: "/nowhere"}, &abi.BrowserRequirements{}, nil, nil)
	if done, err := b.SignIn(t.Context()); abi.CodeOf(err) != abi.CodeBrowserDisplay {
		t.Errorf("got %v, %v, want %s", done, err, abi.CodeBrowserDisplay)
	}
}
