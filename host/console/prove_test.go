package console_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// stale is a session of the owner's that was proven before the last five minutes: its cookie.
func (b *bed) stale() string {
	b.t.Helper()
	secret := "stale"
	past := b.Owner.As(owner.Actor{Face: owner.CommandLine}, nil)
	past.Now = func() time.Time { return time.Now().Add(-owner.ProofLife) }
	store, err := storage.Open(b.t.Context(), storage.Options{Path: b.Store.Path(), Now: past.Now})
	if err != nil {
		b.t.Fatal(err)
	}
	is, err := store.Owner(b.t.Context())
	if err == nil {
		_, err = store.OpenSession(b.t.Context(), is.Password, storage.Session{ID: "ses_stale", SHA256: grant.Hash([]byte(secret))}, time.Time{}, time.Time{})
	}
	if cerr := store.Close(); err != nil || cerr != nil {
		b.t.Fatal(err, cerr)
	}
	return "pdpp-8377=" + secret
}

// A session alone makes nothing that outlasts it: the page asks for the password, and the form goes on.
func TestASessionAloneMakesNothingThatOutlastsIt(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.cookie = b.stale()
	form := url.Values{"name": {"kept <b>"}, "scope": {"manage"}, "days": {"365"}}
	asked := b.ask(http.MethodPost, "/settings/tokens", form, nil)
	if asked.status != http.StatusForbidden || !strings.Contains(asked.body, `name="prove_password"`) || html.UnescapeString(hiddenIn(asked.body, "prove_to")) != "/settings/tokens" {
		t.Fatalf("got %d %s, want the form that asks for the password", asked.status, asked.body)
	}
	for name, want := range form {
		if got := html.UnescapeString(hiddenIn(asked.body, name)); got != want[0] {
			t.Errorf("the field %s: got %q, want %q carried on", name, got, want[0])
		}
	}
	proving := url.Values{"prove_to": {"/settings/tokens"}, "prove_sends": {"yes"}, "prove_password": {"wrong"}, "name": form["name"], "scope": form["scope"], "days": form["days"]}
	if got := b.ask(http.MethodPost, "/prove", proving, nil); got.status != http.StatusForbidden || problem(got.body) == "" || html.UnescapeString(hiddenIn(got.body, "name")) != "kept <b>" {
		t.Errorf("a wrong password: got %d %s, want the form again with what it carries", got.status, got.body)
	}
	if got := b.ask(http.MethodPost, "/settings/tokens", form, nil); got.status != http.StatusForbidden {
		t.Errorf("after a wrong password: got %d, want 403", got.status)
	}
	proving.Set("prove_password", "four plain words here")
	if got := b.ask(http.MethodPost, "/prove", proving, nil); got.status != http.StatusTemporaryRedirect || got.to != "/settings/tokens" {
		t.Errorf("the password: got %d to %q, want the form sent on", got.status, got.to)
	}
	if got := b.ask(http.MethodPost, "/settings/tokens", form, nil); got.status != http.StatusOK || !strings.Contains(got.body, "pdpp_ot_") {
		t.Errorf("after the proof: got %d %s, want the token", got.status, got.body)
	}
	want := "tokens.create done,owner.prove done,tokens.create owner.proof_needed,owner.prove owner.password_wrong,tokens.create owner.proof_needed"
	if got := strings.Join(b.events()[:5], ","); got != want {
		t.Errorf("the events: got %s, want %s", got, want)
	}
}

// Each operation that makes what outlasts a session asks alike, on its page and for scripts, and what a page
// only shows or ends asks for nothing.
func TestEveryLastingOperationAsks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.cookie = b.stale()
	for path, form := range map[string]url.Values{
		"/settings/tokens":       {"name": {"x"}, "scope": {"read"}},
		"/notifications/service": {"name": {"x"}, "url": {"https://ntfy.sh/topic"}},
		"/notifications/email":   {"name": {"x"}, "to": {"a@example.org"}, "server": {"mail.example.org:465"}, "user": {"a"}, "password": {"typed-secret"}},
		"/notifications/browser": {"endpoint": {"https://push.example/1"}, "p256dh": {strings.Repeat("A", 87)}, "auth": {strings.Repeat("A", 22)}},
	} {
		got := b.ask(http.MethodPost, path, form, nil)
		if got.status != http.StatusForbidden || !strings.Contains(got.body, "prove_password") {
			t.Errorf("%s: got %d %s, want the form that asks for the password", path, got.status, problem(got.body))
		}
		if strings.Contains(got.body, "typed-secret") {
			t.Errorf("%s: the page shows a secret that was typed", path)
		}
	}
	if got := b.get("/prove?next=/settings"); got.status != http.StatusOK || hiddenIn(got.body, "prove_to") != "/settings" {
		t.Errorf("got %d %s, want the page of a proof", got.status, got.body)
	}
	if got := b.get("/prove?next=https://evil.example"); hiddenIn(got.body, "prove_to") != "/" {
		t.Errorf("got %s, want no address elsewhere", got.body)
	}
	b.done("/settings/sessions/end-others", url.Values{}, "/settings")
}
