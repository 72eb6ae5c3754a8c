package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// RD-39.4: the name that an app registered is shown first, whatever it calls itself now, and an answer that
// goes to an app on the browser's own machine has a warning of its own.
func TestWhoAsksAndWhereItGoes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "mine", "scripted", nil)
	d := b.desk()
	for home, local := range map[string]bool{"https://app.example/back": false, "http://127.0.0.1/back": true, "http://localhost:1234/b": true, "com.example.app:/b": true, "cursor://anysphere.cursor-mcp/b": true} {
		client, err := d.Register(t.Context(), desk.NewClient{Name: "Known app", Redirects: []string{home}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Push(t.Context(), desk.Ask{ClientID: client.ID, Display: "Your bank", Browser: &desk.Browser{Issuer: "http://localhost", Redirect: home, Challenge: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		page := b.get("/consent?request_uri=" + url.QueryEscape(p.URI)).to
		shown := b.get(page).body
		choices := url.Values{"stream": {"0-0"}, "fields-0-0": {"text"}, "connection": {choiceIn(shown, "connection")}}
		for where, body := range map[string]string{"request": shown, "review": b.ask(http.MethodPost, page+"/review", choices, nil).body} {
			first, second := strings.Index(body, "Known app"), strings.Index(body, "Your bank")
			if first < 0 || second < first {
				t.Errorf("%s of %s: got the names at %d and %d, want the registered one first, then the other", where, home, first, second)
			}
			if got := strings.Contains(body, "An app on the machine that you are using"); got != local {
				t.Errorf("%s of %s: got the warning of an app on this machine %v, want %v", where, home, got, local)
			}
		}
	}
	if list := b.get("/apps").body; !strings.Contains(list, "Known app") || strings.Contains(list, ">Your bank<") {
		t.Errorf("got %s, want the apps by their registered names", list)
	}
}

// A device that asks to speak for its owner does not ask to read: its page says so in its heading.
func TestDeviceThatWouldSpeakForItsOwner(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	d := b.desk()
	a, err := d.StartDevice(t.Context(), desk.Ask{ClientID: desk.PreRegistered, Display: "A TV"})
	if err != nil {
		t.Fatal(err)
	}
	page := b.ask(http.MethodPost, "/device", url.Values{"user_code": {a.UserCode}}, nil).to
	shown := b.get(page).body
	for _, want := range []string{"<h1>PDPP CLI wants to speak for you</h1>", "<title>PDPP CLI wants to speak for you", "“A TV”"} {
		if !strings.Contains(shown, want) {
			t.Errorf("got %s, want %s in it", shown, want)
		}
	}
	if strings.Contains(shown, "wants to read") {
		t.Error("a device that wants everything is said to want to read")
	}
	if list := b.get("/apps").body; !strings.Contains(list, "wants to speak for you") {
		t.Errorf("got %s, want the list to say what it asks for", list)
	}
}

// RD-43.3: what the list of apps shows is refused at once, of one app or of all, and nothing that came since.
func TestAllThatWaitIsRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	d := b.desk()
	asks := func(client string) {
		t.Helper()
		if _, err := d.Push(t.Context(), desk.Ask{ClientID: client}); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for range 2 {
		client, err := d.Register(t.Context(), desk.NewClient{Name: "Noisy <b>"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, client.ID)
	}
	shows := func(when string, all bool, of ...string) string {
		t.Helper()
		body := b.get("/apps").body
		var offered []string
		for _, id := range ids {
			if strings.Contains(body, `name="client" value="`+id+`"`) {
				offered = append(offered, id)
			}
		}
		if got := strings.Contains(body, words.AppRefuseAll); got != all || !slices.Equal(offered, of) || strings.Contains(body, "Noisy <b>") {
			t.Errorf("%s: got all that wait offered: %v, and all of %q, want %v and %q", when, got, offered, all, of)
		}
		return hiddenIn(body, "until")
	}
	refuses := func(form url.Values, want words.Key) {
		t.Helper()
		if got := b.done("/apps/requests/deny", form, "/apps"); !strings.HasSuffix(got.to, "="+string(want)) {
			t.Errorf("%v: got %s, want %s", form, got.to, want)
		}
	}
	shows("nothing waits", false)
	asks(ids[0])
	shows("one waits", false)
	asks(ids[0])
	shows("two of one app", true)
	asks(ids[1])
	first := shows("three, two of one app", true, ids[0])
	asks(ids[1])
	refuses(url.Values{"client": ids[:1], "until": {first}}, words.AppsRefusedNow)
	refuses(url.Values{"client": ids[:1], "until": {first}}, words.AppsNoneRefused)
	shows("two of the other app", true)
	refuses(url.Values{"until": {first}}, words.AppsRefusedNow)
	shows("one that the list did not show", false)
	if waiting, err := d.Store.WaitingRequests(t.Context()); err != nil || len(waiting) != 1 || waiting[0].ClientID != ids[1] {
		t.Errorf("got %d requests that wait, %v, want the last of the other app", len(waiting), err)
	}
	if got := b.ask(http.MethodPost, "/apps/requests/deny", url.Values{"until": {"soon"}}, nil); got.status != http.StatusUnprocessableEntity {
		t.Errorf("a form without its time: got %d, want 422", got.status)
	}
}
