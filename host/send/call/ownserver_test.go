package call

import (
	"net/http"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// own makes a bed's connector one that asks a server of its owner's, at base.
func own(base string, private ...string) func(*Options) {
	return func(o *Options) {
		o.Network = &abi.NetworkRequirements{
			Hosts:       []abi.NetworkHost{{Option: abi.OptionBaseURL, Reason: "Your own server"}},
			Credentials: []abi.CredentialSlot{{Name: "raw", In: abi.SlotHeader, Key: "X-Token", Field: "token"}},
			Provider:    o.Network.Provider,
		}
		o.BaseURL, o.AllowPrivate = base, private
	}
}

// The owner's word is an address over https, or one that they have excepted. Without their
// word there is no run.
func TestAddressOfAnOwnServer(t *testing.T) {
	t.Parallel()
	for base, private := range map[string][]string{
		"https://media.example.org": nil, "https://media.example.org:8920/jellyfin": nil, "https://198.51.100.7:8920": nil,
		"http://nas.local:8096": {"nas.local:8096"}, "http://192.168.1.2:8096/": {"192.168.1.2:8096"},
	} {
		b := newBed(t, own(base, private...))
		if got := b.Hosts(); len(got) != 1 {
			t.Errorf("%s: the run reaches %q, want one host", base, got)
		}
		if r := b.get(base+"/x", "raw"); r.Status != 200 || !holds(b.seen[0], "CANARY") {
			t.Errorf("%s: got %+v, want an answer to a request with the secret", base, r)
		}
	}
	for base, private := range map[string][]string{
		"": nil, "http://media.example.org": nil, "http://nas.local:8096": {"nas.local:8097"}, "media.example.org": nil, "ftp://media.example.org": nil,
		"https://": nil, "https:///x": nil, "https://ana:x@media.example.org": nil, "https://media.example.org?api_key=x": nil, "file:///etc/passwd": nil, "javascript:alert(1)": nil,
	} {
		o := Options{Network: new(abi.NetworkRequirements), Connector: "media"}
		own(base, private...)(&o)
		if _, err := Open(o); abi.CodeOf(err) != CodeBaseURLInvalid {
			t.Errorf("%q: got %v, want %s", base, err, CodeBaseURLInvalid)
		}
	}
}

// A connector that asks its owner's server gains no other host by it: not one that it asks
// for, not one that the server redirects to, and no other port of the same machine. The
// owner's exceptions for others do not open it either.
func TestOwnServerIsTheOnlyHost(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) {
		own("https://media.example.org:8920", "localhost:8080", ":8080", "other.example.org:443")(o)
		o.Transport = nil
	})
	for address, want := range map[string]abi.Code{
		"https://evil.example/": egress.CodeHostRefused, "https://media.example.org/": egress.CodeHostRefused, "https://media.example.org:8921/": egress.CodeHostRefused,
		"https://evil.media.example.org:8920/": egress.CodeHostRefused, "https://other.example.org/": egress.CodeHostRefused, "https://localhost:8080/": egress.CodeHostRefused,
		"http://media.example.org:8920/": egress.CodeSchemeRefused, "http://localhost:8080/": egress.CodeSchemeRefused,
	} {
		if r := b.get(address, ""); r.Error.Code != want {
			t.Errorf("%s: got %+v, want %s", address, r, want)
		}
	}
	if c := b.Counts(); c.Sent != 0 {
		t.Errorf("got %d requests sent, want none", c.Sent)
	}
	b = newBed(t, own("https://media.example.org"))
	b.answer = func(int, got) says {
		return says{status: http.StatusTemporaryRedirect, headers: []string{"Location: https://evil.example/"}}
	}
	b.get("https://media.example.org/", "raw")
	if i := slices.IndexFunc(b.seen, func(r got) bool { return r.URL.Host == "evil.example" && holds(r, "CANARY") }); i >= 0 {
		t.Errorf("the secret went to %v, want it at the owner's server alone", b.seen[i].URL)
	}
	if r := b.get("https://evil.example/", "raw"); r.Error.Code != CodeCredentialElsewhere {
		t.Errorf("got %+v, want %s", r, CodeCredentialElsewhere)
	}
}

// A name of the owner's that leads into the private network, or to a cloud's secrets, is not
// dialled unless they say so, and the latter never.
func TestOwnServerInThePrivateNetwork(t *testing.T) {
	t.Parallel()
	for base, private := range map[string][]string{"https://127.0.0.1:1": nil, "https://169.254.169.254": {"169.254.169.254:443"}} {
		b := newBed(t, func(o *Options) {
			own(base, private...)(o)
			o.Transport = nil
		})
		if r := b.get(base+"/", "raw"); r.Error.Code != egress.CodeAddressRefused {
			t.Errorf("%s: got %+v, want %s", base, r, egress.CodeAddressRefused)
		}
	}
}
