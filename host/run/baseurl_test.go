package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A connection keeps to the address that it began with: a run that names none
// asks there again, and another one is refused until the owner accepts it.
func TestAConnectionKeepsItsAddress(t *testing.T) {
	t.Parallel()
	f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\n" }}
	h := newHost(t, setup{sender: f})
	base := func(url string) func(*Request) { return func(r *Request) { r.Options[OptionBaseURL] = url } }
	h.succeed(done(0), base("http://127.0.0.1:1"))
	h.succeed(done(0))
	if got := f.open.Options[OptionBaseURL]; got != "http://127.0.0.1:1" {
		t.Fatalf("got a run at %q, want it at the first address", got)
	}
	for _, other := range []string{"http://127.0.0.1:2", ""} {
		if _, err := h.play(done(0), base(other)); abi.CodeOf(err) != abi.CodeOriginChanged {
			t.Errorf("base_url %q: got %v, want %s", other, err, abi.CodeOriginChanged)
		}
	}
	h.succeed(get+done(0), base("http://127.0.0.1:2"), func(r *Request) { r.AcceptRoot = true })
	h.succeed(done(0))
	if got := f.open.Options[OptionBaseURL]; got != "http://127.0.0.1:2" {
		t.Fatalf("got a run at %q, want it at the accepted address", got)
	}
}

// An address that the owner accepted is the connection's own once something was
// collected there, and before any of it is kept. A run that never got an answer
// leaves the connection where it was.
func TestAnAcceptedAddressIsKeptOnceItAnswered(t *testing.T) {
	t.Parallel()
	const first, second = "http://127.0.0.1:1", "http://127.0.0.1:2"
	failed := "\ndone " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"scripted_down","message":"no","retryable":true}}`
	for name, x := range map[string]struct {
		script string
		unwell bool
		keeps  string
	}{
		"nothing was asked":          {script: failed, keeps: first},
		"nothing was asked, ended":   {script: done(0), keeps: first},
		"it never answered":          {script: get + failed, unwell: true, keeps: first},
		"it answered and it failed":  {script: get + failed, keeps: first},
		"it answered":                {script: get + done(0), keeps: second},
		"a cursor of it, and a trap": {script: get + slice("notes", `{"at":1}`) + "\ntrap", keeps: second},
		"records of it, and a trap":  {script: get + "\nrecords notes 0 2" + state("notes", `{"at":1}`) + "\ntrap", keeps: second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\n" }}
			h := newHost(t, setup{sender: f})
			h.succeed(done(0), func(r *Request) { r.Options[OptionBaseURL] = first })
			f.mu.Lock()
			f.unwell = x.unwell
			f.mu.Unlock()
			h.mustPlay(x.script, func(r *Request) { r.Options[OptionBaseURL], r.AcceptRoot = second, true })
			h.mustPlay(done(0))
			if got := f.open.Options[OptionBaseURL]; got != x.keeps {
				t.Errorf("got a run at %q, want it at %q", got, x.keeps)
			}
			conn, err := h.store.Connection(t.Context(), "scripted")
			if err != nil || conn.Options[OptionBaseURL] != x.keeps || conn.ReadRoots[baseURLKey] != x.keeps {
				t.Errorf("got options %v and sources %v (%v), want base_url %q in both", conn.Options, conn.ReadRoots, err, x.keeps)
			}
		})
	}
}

// When the connection's own option differs from the address of its runs, the hint names
// connections set: there is no option on the command line to leave out.
func TestAnOptionOfTheConnectionsOwn(t *testing.T) {
	t.Parallel()
	before := &storage.Connection{Name: "gh", ReadRoots: map[string]string{baseURLKey: "http://127.0.0.1:1"}}
	own := map[string]string{OptionBaseURL: "http://127.0.0.1:2"}
	for hint, told := range map[string]map[string]string{"connections set gh --set base_url=": nil, "leave base_url out": own} {
		_, err := keepBaseURL(before, own, told, false)
		var e *abi.Error
		if !errors.As(err, &e) || e.Code != abi.CodeOriginChanged || !strings.Contains(e.Hint, hint) {
			t.Errorf("got %+v (%v), want %s with the hint %q", e, err, abi.CodeOriginChanged, hint)
		}
	}
}

// A connection that has used its provider's address refuses another one.
func TestAConnectionOfTheProviderStaysThere(t *testing.T) {
	t.Parallel()
	f := &fakeSender{answer: func(string) string { return "" }}
	h := newHost(t, setup{sender: f})
	h.succeed(done(0))
	if _, err := h.play(done(0), func(r *Request) { r.Options[OptionBaseURL] = "http://127.0.0.1:2" }); abi.CodeOf(err) != abi.CodeOriginChanged {
		t.Fatalf("got %v, want %s", err, abi.CodeOriginChanged)
	}
}

// A first run that is refused for its base URL leaves no connection.
func TestARefusedFirstRunLeavesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{sender: refusingSender{}})
	if _, err := h.play(done(0)); abi.CodeOf(err) != "send.base_url_invalid" {
		t.Fatalf("got %v, want send.base_url_invalid", err)
	}
	if all, err := h.store.Connections(t.Context()); err != nil || len(all) != 0 {
		t.Fatalf("got connections %+v (%v), want none", all, err)
	}
}

type refusingSender struct{}

func (refusingSender) Open(context.Context, SendRun) (Sending, error) {
	return nil, abi.NewError("send.base_url_invalid", "no", "no")
}

// Invariant 5: an option by the name of a secret is refused, without its value.
func TestASecretIsNoOption(t *testing.T) {
	t.Parallel()
	public := false
	m := &abi.Manifest{Setup: abi.Setup{CredentialCapture: &abi.CredentialCapture{Fields: []abi.CredentialField{
		{Name: "token", Env: []string{"APP_TOKEN"}}, {Name: "account", Env: []string{"APP_ACCOUNT"}, Secret: &public},
		{Name: "shown", Secret: &public}, {Name: "sent", Env: []string{"APP_SENT"}, Secret: &public},
	}}}}
	m.Capabilities.Auth = &abi.Auth{Required: []string{"APP_KEY", "APP_ACCOUNT", "APP_TOKEN"}}
	m.Requirements.Network = &abi.NetworkRequirements{Credentials: []abi.CredentialSlot{
		{Field: "access_token", User: "login", OAuth: &abi.OAuth2{RefreshField: "refresh", ClientIDField: "client", ClientSecretField: "client_secret"}}, {Field: "plain"}, {Field: "sent"},
	}}
	for name, refused := range map[string]bool{
		"token": true, "APP_TOKEN": true, "account": false, "APP_ACCOUNT": false, "base_url": false, "": false, "client": false,
		"app_account": false, "app_token": true, "shown": false, "sent": true, "APP_SENT": true,
		"app_key": true, "APP_KEY": true, "access_token": true, "login": true, "refresh": true, "client_secret": true, "plain": true,
	} {
		err := noSecretOption(m, map[string]string{name: "canary-7f3a"})
		if (err != nil) != refused || err != nil && containsCanary(err) {
			t.Errorf("%s: got %v, want refused %v and no value repeated", name, err, refused)
		}
	}
}

func containsCanary(err error) bool { return strings.Contains(fmt.Sprintf("%+v", err), "canary") }
