package call

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/check"
)

// Open says what is wrong with the manifest or the owner's choice before a run
// begins.
func TestOpen(t *testing.T) {
	t.Parallel()
	slots := func(change func(*abi.CredentialSlot)) func(*Options) {
		return func(o *Options) { change(&o.Network.Credentials[len(o.Network.Credentials)-1]) }
	}
	base := func(u string, private ...string) func(*Options) {
		return func(o *Options) { o.BaseURL, o.AllowPrivate = u, private }
	}
	provider := func(raw string) func(*Options) { return func(o *Options) { o.Network.Provider = providerOf(raw) } }
	for name, test := range map[string]struct {
		change func(*Options)
		code   abi.Code
	}{
		"bad profile":   {provider(`{"max_attempts":-1}`), send.CodeProfileInvalid},
		"bad connector": {func(o *Options) { o.Connector = "Git Hub" }, send.CodeProfileInvalid},
		"bad host":      {func(o *Options) { o.Network.Hosts[0].Host = "1.2.3.4" }, CodeSlotInvalid},
		"only a bad host": {func(o *Options) {
			o.Network = &abi.NetworkRequirements{Hosts: []abi.NetworkHost{{Host: "1.2.3.4"}}}
			o.Transport = nil
		}, egress.CodePolicyInvalid},
		"twice":           {slots(func(s *abi.CredentialSlot) { s.Name = "bearer" }), CodeSlotInvalid},
		"no name":         {slots(func(s *abi.CredentialSlot) { s.Name = "" }), CodeSlotInvalid},
		"no hosts":        {slots(func(s *abi.CredentialSlot) { s.Hosts = nil }), CodeSlotInvalid},
		"another host":    {slots(func(s *abi.CredentialSlot) { s.Hosts = []string{"evil.example"} }), CodeSlotInvalid},
		"in nowhere":      {slots(func(s *abi.CredentialSlot) { s.In = "cookie" }), CodeSlotInvalid},
		"no key":          {slots(func(s *abi.CredentialSlot) { s.In, s.As, s.Key = abi.SlotQuery, "", "" }), CodeSlotInvalid},
		"a reserved key":  {slots(func(s *abi.CredentialSlot) { s.Key = "cookie" }), CodeSlotInvalid},
		"a key's spaces":  {slots(func(s *abi.CredentialSlot) { s.Key = "X A" }), CodeSlotInvalid},
		"no such as":      {slots(func(s *abi.CredentialSlot) { s.As = "digest" }), CodeSlotInvalid},
		"bearer in query": {slots(func(s *abi.CredentialSlot) { s.In = abi.SlotQuery }), CodeSlotInvalid},
		"no field":        {slots(func(s *abi.CredentialSlot) { s.Field = "" }), CodeSlotInvalid},
		"oauth basic":     {slots(func(s *abi.CredentialSlot) { s.As = abi.SlotBasic }), CodeSlotInvalid},
		"token over http": {slots(func(s *abi.CredentialSlot) { s.OAuth.TokenURL = "http://login.example.com/token" }), CodeSlotInvalid},
		"token elsewhere": {slots(func(s *abi.CredentialSlot) { s.OAuth.TokenURL = "https://evil.example/token" }), CodeSlotInvalid},
		"token port":      {slots(func(s *abi.CredentialSlot) { s.OAuth.TokenURL = "https://login.example.com:8443/token" }), CodeSlotInvalid},
		"no refresh":      {slots(func(s *abi.CredentialSlot) { s.OAuth.RefreshField = "" }), CodeSlotInvalid},
		"refresh of another": {func(o *Options) {
			second := o.Network.Credentials[len(o.Network.Credentials)-1]
			second.Name, second.Field = "second", "access2"
			o.Network.Credentials = append(o.Network.Credentials, second)
		}, CodeSlotInvalid},
		"base alone":      {base("http://127.0.0.1:8080"), CodeBaseURLInvalid},
		"base elsewhere":  {base("http://127.0.0.1:8080", "127.0.0.1:8081"), CodeBaseURLInvalid},
		"base no url":     {base("127.0.0.1:8080", "127.0.0.1:8080"), CodeBaseURLInvalid},
		"base file":       {base("file:///tmp", "127.0.0.1:8080"), CodeBaseURLInvalid},
		"base user":       {base("http://me@127.0.0.1:8080", "127.0.0.1:8080"), CodeBaseURLInvalid},
		"base query":      {base("http://127.0.0.1:8080?a", "127.0.0.1:8080"), CodeBaseURLInvalid},
		"base downgraded": {base("http://api.example.com"), CodeBaseURLInvalid},
		"base good":       {base("http://127.0.0.1:8080/x", "127.0.0.1:8080"), ""},
		"base ipv6":       {base("http://[::1]:8080/", "[::1]:8080"), ""},
		"base listed":     {base("https://api.example.com/v2"), ""},
		"exception":       {func(o *Options) { o.AllowPrivate, o.Transport = []string{"nonsense"}, nil }, egress.CodePolicyInvalid},
		"no network":      {func(o *Options) { o.Network = nil }, ""},
	} {
		o := Options{Network: network(), Connector: "github", Clock: send.NewVirtualClock(epoch), Random: func() float64 { return 0 }, Transport: http.DefaultTransport}
		test.change(&o)
		s, err := Open(o)
		if test.code == "" && err != nil || test.code != "" && abi.CodeOf(err) != test.code {
			t.Errorf(`%s: got %v, want (test.code != "" || no error) && (test.code == "" || abi.CodeOf(err) == test.code)`, name, err)
		}
		if err == nil {
			s.Close()
		}
	}
}

// A refused base_url names the address and both places that allow it.
func TestAllowPrivateIsNamed(t *testing.T) {
	t.Parallel()
	o := Options{
		Network: network(), Connector: "github", Clock: send.NewVirtualClock(epoch), Random: func() float64 { return 0 },
		Transport: http.DefaultTransport, BaseURL: "http://127.0.0.1:8080",
	}
	_, err := Open(o)
	var e *abi.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "add 127.0.0.1:8080 to network.allow_private, or to the variable PDPP_NETWORK_ALLOW_PRIVATE") {
		t.Errorf("got %v (%+v), want a hint with the address, the setting and the variable", err, e)
	}
}

// An exception of the owner's counts for the connector whose manifest or
// base_url is at it, and is no door for another one.
func TestExceptions(t *testing.T) {
	t.Parallel()
	kept := exceptions([]string{"localhost:8080", "API.example.com:8443", "127.0.0.1:9"}, network(), &origin{"http", "127.0.0.1", "9"})
	check.Equal(t, strings.Join(kept, " "), "API.example.com:8443 127.0.0.1:9", "strings.Join(kept, \" \")")
	b := newBed(t, func(o *Options) { o.Transport, o.AllowPrivate = nil, []string{"localhost:8080"} })
	if r := b.get("http://localhost:8080/", ""); r.Error.Code != egress.CodeSchemeRefused {
		t.Errorf("r.Error.Code: got %+v, want %v", r, egress.CodeSchemeRefused)
	}
	if c := b.Counts(); c.Sent != 0 || len(b.Destinations()) != 0 {
		t.Errorf("b.Counts(): got %+v, want c.Sent == 0 && len(b.Destinations()) == 0", c)
	}
	// A request refused by its address waits for no turn and uses no budget.
	b = newBed(t, func(o *Options) {
		o.Transport, o.Network.Provider, o.Run = nil, nil, send.NewRunBudget(1, 0)
	})
	for range 3 {
		if r := b.get("https://evil.example/", ""); r.Error.Code != egress.CodeHostRefused || !b.clock.Now().Equal(epoch) {
			t.Errorf("%+v at %v, want r.Error.Code == egress.CodeHostRefused && b.clock.Now().Equal(epoch)", r, b.clock.Now())
		}
	}
}
