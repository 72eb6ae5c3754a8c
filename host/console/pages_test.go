package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/web"
)

func ownerQuery() owner.AuditQuery { return owner.AuditQuery{} }

// hostile is what a connector may say anywhere.
const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>` + "\u202e"

// script says hostile things and moves some records.
const script = `records notes 0 30
progress {"type":"PROGRESS","message":"<script>alert(1)</script>","count":1,"total":2}
skip {"type":"SKIP_RESULT","stream":"journal","reason":"<img onerror=alert(2)>","message":"<script>alert(1)</script>"}
finish`

// began starts a run by its form and waits for its end.
func (b *bed) began(connection string) (id string) {
	b.t.Helper()
	a := b.ask(http.MethodPost, "/connections/"+connection+"/run", url.Values{}, nil)
	id, _, _ = strings.Cut(strings.TrimPrefix(a.to, "/runs/"), "?")
	if a.status != http.StatusSeeOther || id == "" {
		b.t.Fatalf("starting a run: got %d to %q, want its page: %s", a.status, a.to, problem(a.body))
	}
	return id
}

// OC-08, OC-12: each page shows what connectors said as text, and a page that there is none
// of leads back.
func TestPagesShowHostileText(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "said", "scripted", map[string]string{"script": script})
	b.Connect(t, "failed", "scripted", map[string]string{"script": "done {\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":0,\"error\":{\"code\":\"x\",\"message\":\"<script>alert(1)</script>\",\"retryable\":false}}"})
	said, failed := b.began("said"), b.began("failed")
	b.Ended(t, said)
	b.Ended(t, failed)
	for path, want := range map[string]string{
		"/": "said", "/?state=red&name=" + url.QueryEscape(hostile): "", "/overview/needs": "", "/connections/said/row": "said", "/connections/said": "notes",
		"/connections/said/part": "said", "/connections/failed": "failed", "/connections/said/credentials": "", "/connections/said/module": "scripted",
		"/connections/said/settings": "script", "/connections/said/name": "said", "/connections/said/remove": "30", "/runs": said, "/runs?connection=said": said, "/runs/" + said: "30",
		"/runs/" + said + "/part": "30", "/runs/" + failed: "alert", "/add": "Scripted", "/add/scripted": "api.example.com", "/connections/said/first": "said",
	} {
		a := b.get(path)
		if a.status != http.StatusOK || !strings.Contains(a.body, want) {
			t.Errorf("%s: got %d, want %d with %q: %s", path, a.status, http.StatusOK, want, problem(a.body))
		}
		for _, harm := range []string{"<script>alert", "<img", " style=", "onerror=alert(2)>\"", "javascript:"} {
			if strings.Contains(a.body, harm) {
				t.Errorf("%s: got %q in the page, want it as text", path, harm)
			}
		}
	}
	for _, path := range []string{
		"/nothing", "/connections/nobody", "/connections/nobody/row", "/connections/nobody/module", "/connections/nobody/remove", "/connections/nobody/first",
		"/runs/run_nobody", "/runs/run_nobody/part",
	} {
		if a := b.get(path); a.status != http.StatusNotFound || !strings.Contains(a.body, `href="/"`) {
			t.Errorf("%s: got %d, want %d with a way back", path, a.status, http.StatusNotFound)
		}
	}
	if a := b.get("/add/nobody"); a.status < 400 || !strings.Contains(a.body, `href="/"`) {
		t.Errorf("a connector that is not there: got %d, want a refusal with a way back", a.status)
	}
}

// OC-01.1, OC-02: each form does its operation once, leads to a page that says so, and
// leaves its event.
func TestFormsDoTheirOperations(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "long", "scripted", map[string]string{"script": "sleep 600000"})
	const at = "/connections/long"
	id := b.began("long")
	if a := b.get("/runs/" + id); !strings.Contains(a.body, `action="/runs/`+id+`/stop"`) {
		t.Errorf("a run that goes on: got no way to stop it, want one")
	}
	if a := b.done(at+"/run", nil, "/runs/"+id); !strings.Contains(b.get(a.to).body, "A run goes on already") {
		t.Error("starting it again: got the run's page without a word, want why it is shown")
	}
	if a := b.get("/runs/" + id); !strings.Contains(a.body, "nothing yet") {
		t.Error("a stream of a run that goes on: got no text, want nothing yet")
	}
	b.done("/runs/"+id+"/stop", nil, "/runs/"+id)
	b.Ended(t, id)
	if a := b.get("/runs/" + id); !strings.Contains(a.body, "nothing new") || strings.Contains(a.body, "nothing yet") {
		t.Error("a stream of a run that ended: got no text or that of one that goes on, want nothing new")
	}
	b.done(at+"/pause", nil, at)
	b.done(at+"/resume", nil, at)
	b.done(at+"/schedule", url.Values{"way": {"hand"}}, at)
	b.done(at+"/schedule", url.Values{"way": {"recommended"}}, at)
	b.done(at+"/settings", url.Values{"option:script": {"finish"}}, at)
	b.done(at+"/revoke", nil, at) // RD-55
	b.done(at+"/module", url.Values{"mark": {hiddenIn(b.get(at+"/module").body, "mark")}}, at)
	b.done(at+"/name", url.Values{"name": {"longer"}}, "/connections/longer")
	b.done("/connections/longer/name", url.Values{"name": {"long"}}, at)
	b.done("/add/credentialed", url.Values{"name": {"shop"}, "mark": {hiddenIn(b.get("/add/credentialed").body, "mark")}}, "/connections/shop/first")
	b.done("/connections/shop/first", url.Values{"field": {"token"}, "value": {"hunter2"}}, "/connections/shop/first")
	b.done("/connections/shop/credentials", url.Values{"field": {"token"}, "value": {"hunter3"}}, "/connections/shop/credentials")
	for _, path := range []string{"/connections/shop", "/connections/shop/credentials", "/connections/shop/first"} {
		if body := b.get(path).body; strings.Contains(body, "hunter") {
			t.Errorf("%s: got a credential's value, want none", path)
		}
	}
	b.done("/connections/shop/credentials/remove", url.Values{"field": {"token"}}, "/connections/shop/credentials")
	if a := b.ask(http.MethodPost, at+"/remove", url.Values{"again": {"other"}}, nil); a.status != http.StatusUnprocessableEntity {
		t.Errorf("removing by another name: got %d, want %d", a.status, http.StatusUnprocessableEntity)
	}
	b.done(at+"/remove", url.Values{"again": {"long"}}, "/")
	got := b.events()
	for _, want := range []string{
		"runs.start done", "runs.stop done", "connections.schedule done", "connections.set done", "connections.revoke done", "connectors.accept done", "connections.add done", "credentials.set done",
		"credentials.remove done", "connections.remove done",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("got events %q, want %q among them", got, want)
		}
	}
}

// OC-09.3: a form of folders and settings that was opened before another change is stale: it is
// refused with 412, and the change stays.
func TestAStaleFormChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "one", "scripted", map[string]string{"script": "finish"})
	const at = "/connections/one"
	stale := hiddenIn(b.get(at+"/settings").body, "if")
	b.done(at+"/settings", url.Values{"option:script": {"sleep 1\nfinish"}, "if": {stale}}, at)
	a := b.ask(http.MethodPost, at+"/settings", url.Values{"forget:script": {"yes"}, "if": {stale}}, nil)
	if a.status != http.StatusPreconditionFailed || !strings.Contains(a.body, "changed meanwhile") {
		t.Errorf("a stale form: got %d, want %d that says so: %s", a.status, http.StatusPreconditionFailed, problem(a.body))
	}
	if conn, err := b.Owner.Connection(t.Context(), "one"); err != nil || len(conn.Options) != 1 {
		t.Errorf("got the options %v, %v; want the one that was set", conn.Options, err)
	}
	fresh := hiddenIn(b.get(at+"/settings").body, "if")
	b.done(at+"/settings", url.Values{"forget:script": {"yes"}, "if": {fresh}}, at)
}

// OC-02, OC-05: what a form may not do is refused with its reason, and nothing changes.
func TestFormsAreRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "one", "scripted", nil)
	for _, c := range []struct {
		path   string
		form   url.Values
		status int
	}{
		{"/connections/one/schedule", url.Values{"way": {"every"}, "number": {"-4"}, "unit": {"0"}}, 422},
		{"/connections/one/schedule", url.Values{"way": {"every"}, "number": {"6"}, "unit": {"9"}}, 422},
		{"/connections/one/schedule", url.Values{"way": {"sideways"}}, 422},
		{"/connections/one/run", url.Values{"mode": {"sideways"}}, 422},
		{"/connections/one/schedule", url.Values{"way": {"every"}, "number": {"6"}, "unit": {"1"}}, 409}, // its connector forbids it
		{"/connections/one/settings", url.Values{"root:scripted": {"/nothing/is/there"}}, 409},
		{"/connections/one/credentials", url.Values{"field": {"token"}}, 409},
		{"/connections/nobody/run", nil, 404},
		{"/runs/run_nobody/stop", nil, 404},
		{"/add/scripted", url.Values{"name": {"../x"}, "mark": {"?"}}, 409},
	} {
		if a := b.ask(http.MethodPost, c.path, c.form, nil); a.status != c.status {
			t.Errorf("POST %s %v: got %d, want %d: %s", c.path, c.form, a.status, c.status, problem(a.body))
		}
	}
	foreign := []map[string]string{{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": ""}}
	for _, path := range []string{
		"/connections/one/run", "/connections/one/pause", "/connections/one/resume", "/connections/one/schedule", "/connections/one/credentials",
		"/connections/one/credentials/remove", "/connections/one/sign-out", "/connections/one/module", "/connections/one/settings", "/connections/one/name", "/connections/one/remove", "/connections/one/first",
		"/runs/x/stop", "/add/scripted",
	} {
		for _, header := range foreign {
			if a := b.ask(http.MethodPost, path, url.Values{"again": {"one"}}, header); a.status != web.Status(web.CodeForeignRequest) {
				t.Errorf("POST %s from elsewhere: got %d, want %d", path, a.status, web.Status(web.CodeForeignRequest))
			}
		}
	}
	if _, err := b.Store.Connection(t.Context(), "one"); err != nil {
		t.Errorf("got %v, want the connection as it was", err)
	}
	// An old browser's form proves itself by its hidden field.
	proof := hiddenIn(b.get("/connections/one").body, "proof")
	if again := hiddenIn(b.get("/connections/one").body, "proof"); proof == "" || again == proof {
		t.Errorf("got the proofs %q and %q, want two of different letters", proof, again)
	}
	if a := b.ask(http.MethodPost, "/connections/one/pause", url.Values{"proof": {proof}}, map[string]string{"Sec-Fetch-Site": ""}); a.status != http.StatusSeeOther {
		t.Errorf("with its proof: got %d, want %d", a.status, http.StatusSeeOther)
	}
}

// The owner's word holds for what the form showed: a module that changed in between is
// refused and shown again, with what is different.
func TestChangedModulesAreShownAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "one", "scripted", nil)
	mark := hiddenIn(b.get("/add/scripted").body, "mark")
	for _, path := range []string{"/add/scripted", "/connections/one/module"} {
		a := b.ask(http.MethodPost, path, url.Values{"name": {"two"}, "mark": {strings.Repeat("0", len(mark))}}, nil)
		if a.status != http.StatusConflict || hiddenIn(a.body, "mark") != mark || !strings.Contains(a.body, "changed since you looked") {
			t.Errorf("%s: got %d, want %d and the terms again: %s", path, a.status, http.StatusConflict, problem(a.body))
		}
	}
	if _, err := b.Store.Connection(t.Context(), "two"); err == nil {
		t.Error("got a connection, want none that was made on other terms")
	}
}

// OC-14: a page goes out compressed to a browser that takes that, and to no other.
func TestAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for range 3 {
		plain := b.ask(http.MethodGet, "/runs", nil, nil)
		zipped := b.ask(http.MethodGet, "/runs", nil, map[string]string{"Accept-Encoding": "br, gzip;q=0.8"})
		refused := b.ask(http.MethodGet, "/runs", nil, map[string]string{"Accept-Encoding": "gzip;q=0"})
		if len(plain.body) != len(zipped.body) || len(refused.body) != len(plain.body) {
			t.Errorf("got %d, %d and %d bytes, want the same page each time", len(plain.body), len(zipped.body), len(refused.body))
		}
	}
}

// A filter is cut to whole characters, and takes no NUL: PostgreSQL refuses any other text, and
// with it the page.
func TestFiltersAreText(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "notes", "scripted", nil)
	long := strings.Repeat("a", 199)
	for path, field := range map[string]string{"/": "name", "/audit": "connection"} {
		for typed, want := range map[string]string{long + "é": long, "\xc3a": "a", "a\x00b\xff": "ab", "été": "été"} {
			a := b.get(path + "?" + url.Values{field: {typed}}.Encode())
			if a.status != http.StatusOK || !strings.Contains(a.body, `value="`+want+`"`) || !utf8.ValidString(a.body) {
				t.Errorf("%s for %q: got %d, want %d and a page of UTF-8 with %q in its field", path, typed, a.status, http.StatusOK, want)
			}
		}
	}
}

// A page leads to connectors that are installed, and to no other file of the machine.
func TestAPathIsNoConnector(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	path := url.PathEscape(b.Owner.Config.PluginsDir() + "/scripted.wasm")
	for _, address := range []string{"/add/" + path, "/connectors/of/" + path, "/connectors/of/" + path + "/accept"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if a := b.ask(method, address, url.Values{"name": {"by_path"}}, nil); a.status != http.StatusNotFound {
				t.Errorf("%s %s: got %d %s, want 404", method, address, a.status, problem(a.body))
			}
		}
	}
}

// The form suggests a name that is free. A name that is taken is refused with one that is not,
// and with nothing that its reader would have to type elsewhere.
func TestAFreeNameIsSuggested(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, want := range []string{"scripted", "scripted-2", "scripted-3"} {
		a := b.get("/add/scripted")
		if !strings.Contains(a.body, `name="name" value="`+want+`"`) {
			t.Fatalf("got another name suggested, want %s", want)
		}
		mark := hiddenIn(a.body, "mark")
		b.done("/add/scripted", url.Values{"name": {want}, "mark": {mark}}, "/connections/"+want+"/first")
		again := b.ask(http.MethodPost, "/add/scripted", url.Values{"name": {"scripted"}, "mark": {mark}}, nil)
		if said := problem(again.body); again.status != http.StatusConflict || !strings.Contains(said, "such as scripted-") || strings.Contains(said, "pdpp-host") {
			t.Errorf("a name that is taken: got %d and %q, want %d and another name", again.status, said, http.StatusConflict)
		}
	}
}

// The session that looks at the settings is in use now, however long ago its use was kept.
func TestTheSessionInUseIsUsedNow(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if got := regexp.MustCompile(`data-label="Last used">([^<]*)<`).FindStringSubmatch(b.get("/settings").body); got == nil || strings.TrimSpace(got[1]) != "now" {
		t.Errorf("the session in use: got %q, want now", got)
	}
}
