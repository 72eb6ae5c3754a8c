package console_test

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// RD-39.4: the name that an app registered is shown first, whatever it calls itself now, and an answer that
// goes to an app on the browser's own machine has a warning of its own.
func TestWhoAsksAndWhereItGoes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "mine", "scripted", nil)
	store, err := b.Owner.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk.Desk{Store: store, Now: time.Now, Random: rand.Reader}
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
	store, err := b.Owner.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk.Desk{Store: store, Now: time.Now, Random: rand.Reader}
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
