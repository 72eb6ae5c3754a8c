package access_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/authenticator"
)

// asks has a device answer the options of a form, as the page's script does.
func (v *visitor) asks(path string, device func([]byte) ([]byte, error), pairs ...string) []string {
	v.t.Helper()
	a := v.post(path+"/options", pairs...)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/json" {
		v.t.Fatalf("%s: got %d %s, want options", path, a.status, a.body)
	}
	answer, err := device([]byte(a.body))
	v.ok(err)
	return append(pairs, "answer", string(answer))
}

// OC-03, OC-04.1: an owner claims a host with a passkey, adds another one and names it, signs
// in with it, and removes the first one; the last way to sign in stays.
func TestPasskeyPages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.visitor()
	v.host = public
	laptop, phone := authenticator.New("https://"+public), authenticator.New("https://"+public)
	code := b.link()
	v.says(v.get("/set-up?code="+code), http.StatusOK, `data-passkey="/set-up/passkey/options" hidden`)
	claim := v.asks("/set-up/passkey", laptop.Make, "code", code)
	if set := v.cookies["__Host-pdpp-passkey"]; set == "" {
		t.Fatal("the browser has no ticket, want one in the cookie __Host-pdpp-passkey")
	}
	v.leads(v.post("/set-up/passkey", claim...), "/?done=passkey_set")
	if len(v.cookies) != 1 {
		t.Errorf("the browser has the cookies %v, want its session alone", v.cookies)
	}
	settings := v.get("/settings")
	v.says(settings, http.StatusOK, "Set the password")
	if strings.Contains(settings.body, `name="was"`) {
		t.Error("the settings ask for a password until now, want none where there is none")
	}
	v.leads(v.post("/settings/passkeys", v.asks("/settings/passkeys", phone.Make, "name", "<b>phone</b>")...), "/settings?done=passkey_added")
	again := v.asks("/settings/passkeys", authenticator.New("https://"+public).Make, "name", "tablet")
	kept := v.cookies["__Host-pdpp-passkey"]
	v.leads(v.post("/settings/passkeys", again...), "/settings?done=passkey_added")
	v.cookies["__Host-pdpp-passkey"] = kept
	v.says(v.post("/settings/passkeys", again...), http.StatusForbidden, "answer is not one that this host takes")
	page := v.get("/settings").body
	if !strings.Contains(page, "&lt;b&gt;phone&lt;/b&gt;") || strings.Count(page, "<td data-label=\"For\">"+public) != 3 {
		t.Errorf("the settings are %s, want three passkeys for %s", page, public)
	}

	w := b.visitor()
	w.host = public
	signIn := w.get("/sign-in?next=/audit")
	w.says(signIn, http.StatusOK, `data-passkey="/sign-in/passkey/options" hidden`)
	if strings.Contains(signIn.body, `type="password"`) {
		t.Error("the page asks for a password, want none where there is none")
	}
	answer := w.asks("/sign-in/passkey", phone.Use, "next", "/audit")
	other := b.visitor()
	other.host = public
	other.says(other.post("/sign-in/passkey", answer...), http.StatusForbidden, "is not one of the owner&#39;s")
	w.leads(w.post("/sign-in/passkey", answer...), "/audit")
	w.says(w.get("/audit"), http.StatusOK, "<code>owner.add_passkey</code>")
	id := func(name string) string {
		row, _, _ := strings.Cut(strings.SplitAfterN(v.get("/settings").body, name, 2)[1], "</tr>")
		_, rest, _ := strings.Cut(row, `name="passkey" value="`)
		id, _, _ := strings.Cut(rest, `"`)
		return id
	}
	v.leads(v.post("/settings/passkeys/remove", "passkey", id("tablet")), "/settings?done=passkey_removed")
	w.leads(w.get("/audit"), "/sign-in?next=%2Faudit") // whoever has the device may be signed in
	v.leads(v.post("/settings/passkeys/remove", "passkey", id("&lt;b&gt;phone")), "/settings?done=passkey_removed")
	last := id("A browser")
	v.says(v.post("/settings/passkeys/remove", "passkey", last), http.StatusConflict, "only way to sign in")
	v.says(v.post("/settings/passkeys/remove", "passkey", "pk_0"), http.StatusNotFound, "owner.passkey_unknown")
	v.leads(v.post("/settings/password", "password", password, "again", password), "/settings?done=password_changed")
	v.leads(v.post("/settings/passkeys/remove", "passkey", last), "/settings?done=passkey_removed")
}

// OC-03: an address of digits is no name for a passkey: the page says so, and where there is
// one. A form that asks for one there all the same is refused.
func TestPasskeysNeedAName(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.guard.Origin = ""
	v := b.visitor()
	code := b.link()
	v.says(v.get("/set-up?code="+code), http.StatusOK, `href="http://localhost:8377/set-up?code=`+code+`"`)
	v.says(v.post("/set-up/passkey/options", "code", code), http.StatusConflict, "web.no_passkeys")
	v.says(v.post("/set-up/passkey", "code", code), http.StatusConflict, "web.no_passkeys")
	v.host = "localhost:8377"
	laptop := authenticator.New("http://localhost:8377")
	v.leads(v.post("/set-up/passkey", v.asks("/set-up/passkey", laptop.Make, "code", code)...), "/?done=passkey_set")
	v.host, v.cookies = local, map[string]string{}
	v.says(v.get("/sign-in?next=/audit"), http.StatusOK, `href="http://localhost:8377/sign-in?next=%2Faudit"`)
	v.says(v.post("/sign-in/passkey/options"), http.StatusConflict, "web.no_passkeys")
}

// OC-03, OC-04.2: a challenge is good for five minutes, and answers that fail slow signing in
// down, by passwords as well, but not a passkey that is right.
func TestPasskeysThatFail(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	owner := b.owned()
	owner.host = public
	v := b.visitor()
	v.host = public
	v.leads(v.post("/sign-in", "password", password), "/")
	phone := authenticator.New("https://" + public)
	v.leads(v.post("/settings/passkeys", v.asks("/settings/passkeys", phone.Make, "name", "phone")...), "/settings?done=passkey_added")
	w := b.visitor()
	w.host = public
	late := w.asks("/sign-in/passkey", phone.Use)
	b.forward(5 * time.Minute)
	w.says(w.post("/sign-in/passkey", late...), http.StatusForbidden, "is not one of the owner&#39;s")
	for range 9 {
		w.says(w.post("/sign-in/passkey", "answer", "{}"), http.StatusForbidden, "is not one of the owner&#39;s")
	}
	w.says(w.post("/sign-in/passkey", "answer", "{}"), http.StatusTooManyRequests, "Too many attempts")
	w.says(w.post("/sign-in", "password", password), http.StatusTooManyRequests, "Too many attempts")
	v.says(v.get("/settings"), http.StatusOK, "Settings")
	w.says(w.post("/set-up/passkey/options", "code", "x"), http.StatusForbidden, "owner.link_invalid")
	w.leads(w.get("/settings"), "/sign-in?next=%2Fsettings")
	w.says(w.post("/settings/passkeys/options"), http.StatusUnauthorized, "owner.signed_out")
	w.says(w.post("/settings/passkeys", "answer", "{}"), http.StatusUnauthorized, "owner.signed_out")
	w.header = http.Header{"Sec-Fetch-Site": {"cross-site"}}
	w.says(w.post("/sign-in/passkey", late...), http.StatusForbidden, "web.foreign_request")
	w.header = v.header
	w.leads(w.post("/sign-in/passkey", w.asks("/sign-in/passkey", phone.Use)...), "/")
}

// FuzzPasskeyAnswers: whatever the two forms of visitors send, nobody gets a session.
func FuzzPasskeyAnswers(f *testing.F) {
	for _, answer := range []string{"answer=%7B%7D", "answer=", "answer=null&next=//evil.example", "answer=%5B%5D&code=x", "%", "answer=%7B%22id%22%3A%22AA%22%2C%22rawId%22%3A%22AA%22%7D"} {
		f.Add(answer)
	}
	opened := newBed(f)
	f.Fuzz(func(t *testing.T, body string) {
		opened.forward(10 * time.Minute) // so that all attempts are let through
		b := &bed{t: t, owner: opened.owner, guard: opened.guard, face: opened.face, dir: opened.dir, from: opened.from}
		code := b.link()
		for path, before := range map[string]string{"/sign-in/passkey": "", "/set-up/passkey": "code=" + code + "&"} {
			v := b.visitor()
			v.host = public
			v.post(path+"/options", "code", code)
			a := v.do(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(before+body))
			if a.status < 400 || a.status >= 500 || v.cookies["__Host-pdpp"] != "" {
				t.Errorf("%s: got %d with the cookies %v, want a refusal without a session", path, a.status, v.cookies)
			}
		}
	})
}
