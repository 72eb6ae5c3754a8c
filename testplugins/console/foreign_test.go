package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-05, OC-07: a page of somebody else's, in the browser of an owner who is signed in, posts
// forms to the host, asks it by scripts and puts it into a frame. Nothing is changed, nothing is
// read, and nothing shows.
func TestAForeignPageDoesNothing(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := bed.New(t)
	cookie := owner.Claim()
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/post":
			_, _ = fmt.Fprintf(w, `<form method="post" action="%s/sign-out"><button>Win a prize</button></form>`, owner.Origin())
		case "/fetch":
			_, _ = fmt.Fprintf(w, `<p id="said"></p><script>
				const at = %q, say = (t) => { document.getElementById('said').textContent += t + '; '; };
				const ask = (how, o) => fetch(at + (o.method ? '/sign-out' : '/'), o).then((r) => r.text()).then((t) => say(how + ' read ' + t.length), () => say(how + ' refused'));
				Promise.all([
					ask('GET', {credentials: 'include'}), ask('POST', {method: 'POST', credentials: 'include'}),
					ask('PUT', {method: 'PUT', credentials: 'include', headers: {'X-Pdpp-Proof': 'x'}}), ask('opaque', {method: 'POST', mode: 'no-cors', credentials: 'include'}),
				]).then(() => say('done'));
			</script>`, owner.Origin())
		case "/frame":
			_, _ = fmt.Fprintf(w, `<iframe src="%s/"></iframe><iframe src="/own"></iframe>`, owner.Origin())
		}
	}))
	t.Cleanup(foreign.Close)
	v := browser.Visit(t, owner.Origin(), browser.Options{Also: []string{foreign.URL}})
	v.Give(cookie)
	p := v.Page()
	p.Open(foreign.URL + "/post")
	p.Refused(http.StatusForbidden)
	p.Press("Win a prize")
	p.See("That did not work", "does not come from a page of this host")
	p.Takes(owner.Origin()) // what the browser refuses a foreign page is told on its console
	p.Takes("favicon")
	p.Open(foreign.URL + "/fetch")
	p.See("done")
	if said := p.Text(); strings.Contains(said, "GET read") || strings.Contains(said, "POST read") || strings.Contains(said, "PUT read") {
		t.Errorf("a foreign page reads answers: %s, want all refused", said)
	}
	p.Open(foreign.URL + "/frame")
	if got := p.Frames(); len(got) != 1 || got[0] != foreign.URL+"/own" {
		t.Errorf("a foreign page's frames show %q, want its own page alone", got)
	}
	own := v.Page()
	own.Open("/")
	own.See("Nothing is collected yet")
	for _, header := range []map[string]string{
		{"Cookie": cookie.Name + "=" + cookie.Value}, {"Cookie": cookie.Name + "=" + cookie.Value, "Sec-Fetch-Site": "cross-site"},
		{"Cookie": cookie.Name + "=" + cookie.Value, "Sec-Fetch-Site": "same-site"}, {"Cookie": cookie.Name + "=" + cookie.Value, "Sec-Fetch-Site": "none"},
		{"Cookie": cookie.Name + "=" + cookie.Value, "Origin": owner.Origin()},
	} {
		if got := owner.Sends(http.MethodPost, "/sign-out", url.Values{"proof": {"x"}}, header); got.Status != http.StatusForbidden {
			t.Errorf("signing out with %v is answered %d, want 403", header, got.Status)
		}
	}
	own.Reload()
	own.See("Nothing is collected yet", "Sign out")
}

// OC-05.1: a name that somebody else's server turned into this machine's address opens nothing.
func TestARebound(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := bed.New(t)
	owner.Claim()
	there := strings.Replace(owner.Origin(), "127.0.0.1", browser.Rebound, 1)
	p := browser.Visit(t, there, browser.Options{}).Page()
	p.Takes("Cross-Origin-Opener-Policy") // which counts on a trustworthy origin only
	p.Takes("/assets/")                   // which are refused under a foreign name, as everything is
	for _, path := range []string{"/", "/sign-in", "/set-up"} {
		p.Refused(http.StatusMisdirectedRequest)
		p.Open(path)
		p.See("was not told of the name")
		if p.Has("field", "Password") {
			t.Errorf("%s under a foreign name asks for a password, want none", path)
		}
	}
}
