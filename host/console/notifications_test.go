package console_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// secretTopic stands in the address of a channel.
const secretTopic = "topic-hunter2hunter2"

// channel is the only channel that there is.
func (b *bed) channel() notifications.Channel {
	b.t.Helper()
	all, err := notifications.List(b.t.Context(), b.Owner)
	if err != nil || len(all.Channels) != 1 {
		b.t.Fatalf("got %+v, %v, want one channel", all, err)
	}
	return all.Channels[0]
}

// OC-19.1, OC-19.3, OC-19.5: a channel is added, tested, shown as failing and removed from
// the page; its address stands on none.
func TestChannelsOnAPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const at = "/notifications"
	a := b.done(at+"/service", url.Values{"url": {"ntfy://127.0.0.1:1/" + secretTopic}, "name": {"<b>phone</b>"}}, at)
	if body := b.get(a.to).body; !strings.Contains(body, "Not tried yet") || strings.Contains(body, "<b>phone") {
		t.Error("got no new channel or its name as markup, want the channel as text")
	}
	c := b.channel()
	of := at + "/of/" + c.ID
	a = b.ask(http.MethodPost, of+"/test", nil, nil)
	if a.status < 400 || problem(a.body) == "" || !strings.Contains(a.body, `<span class="pill bad">Fails`) {
		t.Errorf("a test that fails: got %d, want a refusal and the channel as failing: %s", a.status, problem(a.body))
	}
	b.nowhere(secretTopic, at, "/audit", "/")
	b.done(of+"/remove", nil, at)
	for _, what := range []string{"/test", "/remove"} {
		if a := b.ask(http.MethodPost, of+what, nil, nil); a.status != http.StatusNotFound {
			t.Errorf("%s of a channel that is gone: got %d, want %d", what, a.status, http.StatusNotFound)
		}
	}
	b.done(at+"/email", url.Values{"to": {"ana@example.org"}, "server": {"smtp.example.org:587"}, "user": {"ana"}, "password": {secretAnswer}}, at)
	if body := b.get(at).body; !strings.Contains(body, "mailbox · ana@example.org") {
		t.Error("got no mailbox, want the one that was added")
	}
	b.nowhere(secretAnswer, at, "/audit")
	got := b.events()
	for _, want := range []string{"notifications.add done", "notifications.remove done"} {
		if !slices.Contains(got, want) {
			t.Errorf("got events %q, want %q among them", got, want)
		}
	}
}

// OC-19.4: quiet hours are kept, and what they cannot be is refused and shown again.
func TestQuietHoursOnAPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const at = "/notifications"
	b.done(at+"/settings", url.Values{"from": {"22:00"}, "until": {"07:00"}, "zone": {"Europe/Berlin"}, "over": {"yes"}}, at)
	body := b.get(at).body
	for _, want := range []string{`value="22:00"`, `value="07:00"`, `value="Europe/Berlin"`, "checked"} {
		if !strings.Contains(body, want) {
			t.Errorf("got a page without %q, want what was kept", want)
		}
	}
	for _, wrong := range []url.Values{{"from": {"22:00"}}, {"from": {"x"}, "until": {"y"}}, {"zone": {"<b>Nowhere"}}} {
		a := b.ask(http.MethodPost, at+"/settings", wrong, nil)
		if a.status != http.StatusUnprocessableEntity || problem(a.body) == "" || strings.Contains(a.body, "<b>Nowhere") {
			t.Errorf("%v: got %d, want %d with its reason: %s", wrong, a.status, http.StatusUnprocessableEntity, problem(a.body))
		}
	}
	b.done(at+"/settings", url.Values{}, at)
	if body := b.get(at).body; strings.Contains(body, `value="22:00"`) {
		t.Error("got quiet hours, want none")
	}
}

// OC-19.1: a browser takes the host's key and hands in its subscription; without the script
// the page says that it cannot be told. An address that leads nowhere is refused.
func TestBrowsersSubscribe(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const at = "/notifications"
	body := b.get(at).body
	for _, want := range []string{`data-worker="/sw.js" hidden`, `<p id="browser-cannot">This browser cannot be told`} {
		if !strings.Contains(body, want) {
			t.Errorf("got a page without %q, want it for a browser without scripts", want)
		}
	}
	key := b.ask(http.MethodPost, at+"/key", nil, nil)
	raw, err := base64.RawURLEncoding.DecodeString(key.body)
	if _, kerr := ecdh.P256().NewPublicKey(raw); err != nil || kerr != nil {
		t.Errorf("got the key %q, want a point of P-256: %v, %v", key.body, err, kerr)
	}
	if again := b.ask(http.MethodPost, at+"/key", nil, nil); again.body != key.body {
		t.Errorf("got the keys %q and %q, want the same", key.body, again.body)
	}
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b.done(at+"/browser", url.Values{
		"endpoint": {"https://push.example.org/" + secretTopic}, "p256dh": {base64.RawURLEncoding.EncodeToString(private.PublicKey().Bytes())}, "auth": {"c2l4dGVlbiBieXRlcyEh"},
	}, at)
	if c := b.channel(); c.Kind != "web_push" || c.Target != "push.example.org" {
		t.Errorf("got %+v, want a browser at push.example.org", c)
	}
	b.nowhere(secretTopic, at, "/audit")
	for path, form := range map[string]url.Values{
		at + "/browser": {"endpoint": {"https://push.example.org/"}}, at + "/service": {"url": {"gopher://" + hostile}},
		at + "/email": {"to": {hostile}, "server": {"x"}, "password": {secretAnswer}},
	} {
		a := b.ask(http.MethodPost, path, form, nil)
		if a.status != http.StatusUnprocessableEntity || problem(a.body) == "" {
			t.Errorf("POST %s %v: got %d, want %d with its reason", path, form, a.status, http.StatusUnprocessableEntity)
		}
		if strings.Contains(a.body, "<script>alert") || strings.Contains(a.body, secretAnswer) {
			t.Errorf("POST %s: got markup or a password on the page, want neither", path)
		}
	}
	for _, path := range []string{"/key", "/browser", "/email", "/service", "/settings", "/of/x/test", "/of/x/remove"} {
		if a := b.ask(http.MethodPost, at+path, nil, map[string]string{"Sec-Fetch-Site": "cross-site"}); a.status != web.Status(web.CodeForeignRequest) {
			t.Errorf("POST %s from elsewhere: got %d, want %d", path, a.status, web.Status(web.CodeForeignRequest))
		}
	}
}

// OC-19.1, OC-07: the service worker stands at the root, is asked for again each time, and is
// confined as pages are.
func TestServiceWorker(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/sw.js", nil))
	h := w.Header()
	if w.Code != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), "text/javascript") || h.Get("Cache-Control") != "no-cache" {
		t.Errorf("got %d, %q, %q, want a script that is asked for again", w.Code, h.Get("Content-Type"), h.Get("Cache-Control"))
	}
	if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "worker-src 'self'") || !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("got the policy %q, want one that lets workers of this host run, and nothing else", csp)
	}
}
