package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/storage"
)

// RD-42, RD-42.1, RD-43, RD-44.2, RD-51.4, RD-54: an owner comes by the address that an app shows, signs
// in, chooses, sees what the app would get and approves that; nothing is chosen before, an old form
// and another site's approve nothing, and a visitor sees nothing, also on this machine.
func TestAppIsApprovedOnItsPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "mine", "scripted", nil)
	d := b.desk()
	const name = `<b>РауРаl</b>` // in letters that look like those of another name
	a, err := d.Connect(t.Context(), desk.Waiting{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	consent := "/consent?request_uri=" + url.QueryEscape(a.URI)
	if got := b.ask(http.MethodGet, consent, nil, map[string]string{"Cookie": ""}); got.to != "/sign-in?next="+url.QueryEscape(consent) {
		t.Errorf("a visitor: got sent to %q, want to sign in and come back", got.to)
	}
	page := b.get(consent).to
	if !strings.HasPrefix(page, "/apps/requests/grq_") {
		t.Fatalf("got sent to %q, want to the request's page", page)
	}
	shown := b.get(page)
	if shown.status != http.StatusOK || strings.Contains(shown.body, " checked") || strings.Contains(shown.body, name) || !strings.Contains(shown.body, a.Code) {
		t.Errorf("got %d %s, want the code, nothing chosen, and no markup of the app's", shown.status, shown.body)
	}
	for _, path := range []string{"/review", "/approve", "/deny"} {
		if got := b.ask(http.MethodPost, page+path, url.Values{}, map[string]string{"Sec-Fetch-Site": "cross-site"}); got.status != http.StatusForbidden {
			t.Errorf("%s from elsewhere: got %d, want 403", path, got.status)
		}
	}
	if r, err := d.Find(t.Context(), a.URI); err != nil || !strings.Contains(shown.body, words.AppUnverified) || !strings.Contains(shown.body, r.ClientID) {
		t.Errorf("got %s, %v, want it said that nobody has verified the name, and whose id it is", shown.body, err)
	}
	choices := url.Values{"stream": {"0-0"}, "fields-0-0": {"text"}, "expires": {"1d"}}
	for want, form := range map[string]url.Values{
		"no connection is chosen": {},
		"none is chosen":          {"stream": {"0-0"}, "since": {""}, "connection": {"none"}},
		"A day cannot be read":    {"stream": {"0-0"}, "since": {"soon"}},
	} {
		if got := b.ask(http.MethodPost, page+"/review", form, nil); got.status != http.StatusUnprocessableEntity || problem(got.body) == "" {
			t.Errorf("%s: got %d %q, want the form again with why", want, got.status, problem(got.body))
		}
	}
	reviewed := b.ask(http.MethodPost, page+"/review", choices, nil)
	first := hiddenIn(reviewed.body, "revision")
	if reviewed.status != http.StatusOK || len(first) != 64 || !strings.Contains(reviewed.body, ">id, text<") || !strings.Contains(reviewed.body, ">mine<") || !strings.Contains(reviewed.body, a.Code) {
		t.Fatalf("got %d %s, want what the app would get, and its code", reviewed.status, reviewed.body)
	}
	choices.Set("expires", "90d")
	second := hiddenIn(b.ask(http.MethodPost, page+"/review", choices, nil).body, "revision")
	for _, old := range []string{first, "", "x"} {
		if got := b.ask(http.MethodPost, page+"/approve", url.Values{"revision": {old}}, nil); got.status != http.StatusConflict || problem(got.body) == "" {
			t.Errorf("the revision %q: got %d, want 409 and the request again", old, got.status)
		}
	}
	if _, err := d.Poll(t.Context(), a.Polling); err != nil {
		t.Errorf("before the approval: got %v, want the app to wait", err)
	}
	made := b.ask(http.MethodPost, page+"/approve", url.Values{"revision": {second}}, nil)
	where, _, _ := strings.Cut(made.to, "?")
	if !strings.HasPrefix(where, "/apps/of/grt_") {
		t.Fatalf("got %d to %q: %s, want the grant's page", made.status, made.to, problem(made.body))
	}
	b.done(page+"/approve", url.Values{"revision": {second}}, where) // sent twice
	answer, err := d.Poll(t.Context(), a.Polling)
	if err != nil || answer.Token == "" {
		t.Fatalf("got %+v, %v, want the app's token", answer, err)
	}
	// RD-54: what was read on each day is a picture, and a list.
	if err := d.Store.Disclose(t.Context(), []storage.Disclosure{
		{At: time.Now(), GrantID: answer.GrantID, Records: map[string]int64{"items": 4}, Status: http.StatusOK},
		{At: time.Now().AddDate(0, 0, -3), GrantID: answer.GrantID, Records: map[string]int64{"items": 1}, Status: http.StatusOK},
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`aria-label="2 stream reads in 90 days"`, "M713 25v-24h6v24z", "M689 25v-24h6v24z", "<table>", "Approved against manifest"} {
		if got := b.get(where); !strings.Contains(got.body, want) {
			t.Errorf("got %s, want %s in it", got.body, want)
		}
	}
	if got := b.get(where); strings.Contains(got.body, answer.Token) || !strings.Contains(got.body, "May read") {
		t.Errorf("got %d %s, want the grant without a token", got.status, got.body)
	}
	if got := b.ask(http.MethodPost, page+"/deny", url.Values{}, nil); got.status != http.StatusConflict {
		t.Errorf("refused after it was approved: got %d, want 409", got.status)
	}
	b.done(where+"/revoke", url.Values{}, where)
	if _, err := d.Admit(t.Context(), answer.Token); err == nil {
		t.Error("the token of a revoked grant is admitted, want it refused")
	}
	if got := b.events()[0]; got != "grants.revoke done" {
		t.Errorf("the last event: got %q, want the revocation", got)
	}
	if got := b.get("/apps"); !strings.Contains(got.body, "Revoked") || strings.Contains(got.body, name) {
		t.Errorf("got %s, want the grant in the list, and no markup of the app's", got.body)
	}
}

// RD-45: a browser that an app has sent comes to the request by a link of this host's, and
// goes back to the app with its owner's answer, and not before.
func TestBrowserComesFromAnAppAndGoesBack(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "mine", "scripted", nil)
	d := b.desk()
	const home = "https://app.example/back?of=pdpp"
	client, err := d.Register(t.Context(), desk.NewClient{Name: "A web app", Redirects: []string{home}})
	if err != nil {
		t.Fatal(err)
	}
	asks := func() (uri, page string) {
		t.Helper()
		p, err := d.Push(t.Context(), desk.Ask{ClientID: client.ID, Browser: &desk.Browser{Issuer: "http://localhost", Redirect: home, State: `"><b>`, Challenge: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		uri = "request_uri=" + url.QueryEscape(p.URI)
		return uri, b.get("/consent?" + uri).to
	}
	uri, page := asks()
	visitor := map[string]string{"Cookie": ""}
	if got := b.ask(http.MethodGet, "/consent/begin?"+uri, nil, visitor); got.status != http.StatusOK || !strings.Contains(got.body, `href="/consent?request_uri=`) {
		t.Errorf("without a session: got %d %s, want a link to the request", got.status, got.body)
	}
	if got := b.get("/consent/begin?" + uri); got.to != "/consent?"+uri {
		t.Errorf("with a session: got sent to %q, want to the request", got.to)
	}
	for _, code := range []string{"invalid_client", "<script>", "https://evil.example"} {
		got := b.ask(http.MethodGet, "/consent/begin?refused="+url.QueryEscape(code), nil, visitor)
		if got.status != http.StatusBadRequest || strings.Contains(got.body, code) {
			t.Errorf("%s: got %d %s, want a sentence of this host's", code, got.status, got.body)
		}
	}
	shown := b.get(page)
	if shown.status != http.StatusOK || strings.Contains(shown.body, "http-equiv") {
		t.Errorf("got %d, want a page that leads nowhere by itself", shown.status)
	}
	if !strings.Contains(shown.body, "<b>https://app.example</b>") {
		t.Errorf("got %s, want where the browser is sent back to", shown.body)
	}
	choices := url.Values{"stream": {"0-0"}, "fields-0-0": {"text"}, "connection": {choiceIn(shown.body, "connection")}}
	revision := hiddenIn(b.ask(http.MethodPost, page+"/review", choices, nil).body, "revision")
	made := b.ask(http.MethodPost, page+"/approve", url.Values{"revision": {revision}}, nil)
	for _, want := range []string{`http-equiv="refresh" content="0; url=https://app.example/back?of=pdpp&amp;code=`, `href="https://app.example/back?of=pdpp&amp;code=`, "&amp;state=%22%3E%3Cb%3E"} {
		if made.status != http.StatusOK || !strings.Contains(made.body, want) {
			t.Errorf("got %d %s, want %s", made.status, made.body, want)
		}
	}
	_, page = asks()
	if got := b.ask(http.MethodPost, page+"/deny", url.Values{}, nil); !strings.Contains(got.body, "of=pdpp&amp;error=access_denied") {
		t.Errorf("got %d %s, want the refusal brought to the app", got.status, got.body)
	}
}

// choiceIn is the value of the first box of that name on a page.
func choiceIn(body, name string) string {
	_, rest, _ := strings.Cut(body, `name="`+name+`" value="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// RD-46.2: an owner types the code of a device, which a link only fills in, sees who asks and
// that it sees everything, and chooses what its token may do.
func TestDeviceIsApprovedByItsCode(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	d := b.desk()
	a, err := d.StartDevice(t.Context(), desk.Ask{ClientID: desk.PreRegistered})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.get("/device?user_code=" + a.UserCode); got.status != http.StatusOK || strings.Contains(got.body, a.UserCode) || strings.Contains(got.body, "PDPP CLI") {
		t.Errorf("got %d %s, want the code to be typed, and nothing done", got.status, got.body)
	}
	if got := b.ask(http.MethodPost, "/device", url.Values{"user_code": {"BBBB-BBBB"}}, nil); got.status != http.StatusUnprocessableEntity || problem(got.body) == "" {
		t.Errorf("a wrong code: got %d, want the form again with why", got.status)
	}
	if got := b.ask(http.MethodPost, "/device", url.Values{"user_code": {a.UserCode}}, map[string]string{"Sec-Fetch-Site": "cross-site"}); got.status != http.StatusForbidden {
		t.Errorf("a code from elsewhere: got %d, want 403", got.status)
	}
	page := b.ask(http.MethodPost, "/device", url.Values{"user_code": {a.UserCode}}, nil).to
	shown := b.get(page)
	if !strings.Contains(shown.body, "PDPP CLI") || !strings.Contains(shown.body, "sees everything") || strings.Contains(shown.body, a.UserCode) {
		t.Errorf("%s: got %d %s, want who asks and that it sees everything", page, shown.status, shown.body)
	}
	if got := b.ask(http.MethodPost, page+"/approve-token", url.Values{"scope": {"all"}}, nil); got.status != http.StatusUnprocessableEntity || problem(got.body) == "" {
		t.Errorf("no such scope: got %d %q, want the request again with why", got.status, problem(got.body))
	}
	b.done(page+"/approve-token", url.Values{"scope": {"run"}, "days": {"1"}}, "/apps")
	if got := b.events()[0]; got != "tokens.approve done" {
		t.Errorf("the last event: got %q, want the approval", got)
	}
	witness := func(ctx context.Context, _, _ string) context.Context { return ctx }
	issued, err := d.RedeemDevice(t.Context(), witness, desk.PreRegistered, a.DeviceCode, "")
	if err != nil || time.Until(issued.Expires).Round(time.Hour) != 24*time.Hour {
		t.Errorf("got %+v, %v, want a token of a day", issued, err)
	}
}
