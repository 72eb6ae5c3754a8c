package run

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
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
		t.Fatalf("it asked at %q", got)
	}
	for _, other := range []string{"http://127.0.0.1:2", ""} {
		if _, err := h.play(done(0), base(other)); abi.CodeOf(err) != abi.CodeOriginChanged {
			t.Errorf("%q: %v", other, err)
		}
	}
	h.succeed(done(0), base("http://127.0.0.1:2"), func(r *Request) { r.AcceptRoot = true })
	h.succeed(done(0))
	if got := f.open.Options[OptionBaseURL]; got != "http://127.0.0.1:2" {
		t.Fatalf("it asked at %q", got)
	}
}

// A connection that asked its provider does not ask elsewhere by itself.
func TestAConnectionOfTheProviderStaysThere(t *testing.T) {
	t.Parallel()
	f := &fakeSender{answer: func(string) string { return "" }}
	h := newHost(t, setup{sender: f})
	h.succeed(done(0))
	if _, err := h.play(done(0), func(r *Request) { r.Options[OptionBaseURL] = "http://127.0.0.1:2" }); abi.CodeOf(err) != abi.CodeOriginChanged {
		t.Fatal(err)
	}
}

// A run that was refused because of where it would ask leaves no connection.
func TestARefusedFirstRunLeavesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{sender: refusingSender{}})
	if _, err := h.play(done(0)); abi.CodeOf(err) != "send.base_url_invalid" {
		t.Fatal(err)
	}
	if all, err := h.store.Connections(t.Context()); err != nil || len(all) != 0 {
		t.Fatalf("%v %+v", err, all)
	}
}

type refusingSender struct{}

func (refusingSender) Open(context.Context, SendRun) (Sending, error) {
	return nil, abi.NewError("send.base_url_invalid", "no", "no")
}

// Invariant 5: a secret is no option, and is not repeated in the refusal.
func TestASecretIsNoOption(t *testing.T) {
	t.Parallel()
	public := false
	m := &abi.Manifest{Setup: abi.Setup{CredentialCapture: &abi.CredentialCapture{Fields: []abi.CredentialField{
		{Name: "token", Env: []string{"APP_TOKEN"}}, {Name: "account", Secret: &public},
	}}}}
	for name, refused := range map[string]bool{"token": true, "APP_TOKEN": true, "account": false, "base_url": false} {
		err := noSecretOption(m, map[string]string{name: "canary-7f3a"})
		if (err != nil) != refused || err != nil && containsCanary(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func containsCanary(err error) bool { return strings.Contains(fmt.Sprintf("%+v", err), "canary") }
