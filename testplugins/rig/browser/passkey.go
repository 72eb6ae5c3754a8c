package browser

import (
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// Device gives the page's browser a device that holds passkeys and verifies its user at once.
// It is the page's until the page is closed.
func (p *Page) Device() {
	p.t.Helper()
	p.must(proto.WebAuthnEnable{}.Call(p.p))
	_, err := proto.WebAuthnAddVirtualAuthenticator{Options: &proto.WebAuthnVirtualAuthenticatorOptions{
		Protocol: proto.WebAuthnAuthenticatorProtocolCtap2, Transport: proto.WebAuthnAuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}}.Call(p.p)
	p.must(err)
}

// Named is an origin of this machine by its name in the place of its address.
func Named(origin string) string { return strings.Replace(origin, "127.0.0.1", "localhost", 1) }
