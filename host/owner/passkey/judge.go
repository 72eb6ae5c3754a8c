package passkey

import (
	"encoding/base64"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Key is the public half of a passkey.
type Key struct {
	Credential []byte // the id that the device gave it
	PublicKey  []byte // COSE
	Flags      uint8  // the device's word on itself when it was made
	Uses       uint32 // the device's counter; 0: it has none
}

// These bound an answer and what is kept of it, in bytes.
const (
	mostAnswer     = 32 << 10
	mostCredential = 1023 // as WebAuthn does
	mostPublicKey  = 1100 // of RSA with 8,192 bits
)

var errRefused = errors.New("not an answer that this host takes")

// user is the owner as the library wants them.
type user struct {
	handle []byte
	keys   []webauthn.Credential
}

func (u *user) WebAuthnID() []byte                         { return u.handle }
func (u *user) WebAuthnName() string                       { return product }
func (u *user) WebAuthnDisplayName() string                { return product }
func (u *user) WebAuthnCredentials() []webauthn.Credential { return u.keys }

// judge returns the library's judge of answers to one challenge.
func judge(p Party, challenge []byte) (*webauthn.WebAuthn, webauthn.SessionData, error) {
	w, err := webauthn.New(&webauthn.Config{
		RPID: p.ID, RPDisplayName: product, RPOrigins: []string{p.Origin},
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore, // none is read
	})
	return w, webauthn.SessionData{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge), RelyingPartyID: p.ID, Origin: p.Origin,
		UserVerification: protocol.VerificationRequired, CredParams: algorithms,
	}, err
}

// Made returns the key that a device made for a challenge.
func Made(p Party, challenge, handle, answer []byte) (*Key, error) {
	if challenge == nil || len(answer) > mostAnswer {
		return nil, errRefused
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return nil, err
	}
	o := &parsed.Response.AttestationObject
	_, certificate := o.AttStatement["x5c"]
	if o.Format != string(protocol.AttestationFormatNone) && (o.Format != string(protocol.AttestationFormatPacked) || certificate) {
		return nil, errRefused
	}
	w, session, err := judge(p, challenge)
	if err != nil {
		return nil, err
	}
	session.UserID = handle
	made, err := w.CreateCredential(&user{handle: handle}, session, parsed)
	if err != nil {
		return nil, err
	}
	if len(made.ID) == 0 || len(made.ID) > mostCredential || len(made.PublicKey) > mostPublicKey {
		return nil, errRefused
	}
	return &Key{made.ID, made.PublicKey, uint8(made.Flags.ProtocolValue()), made.Authenticator.SignCount}, nil
}

// nobody is a public key of no owner, the base point of P-256: a look at it takes as long as
// one at any other, and what it signed is refused all the same.
var nobody = []byte("\xa5\x01\x02\x03\x26\x20\x01" +
	"\x21\x58\x20\x6b\x17\xd1\xf2\xe1\x2c\x42\x47\xf8\xbc\xe6\xe5\x63\xa4\x40\xf2\x77\x03\x7d\x81\x2d\xeb\x33\xa0\xf4\xa1\x39\x45\xd8\x98\xc2\x96" +
	"\x22\x58\x20\x4f\xe3\x42\xe2\xfe\x1a\x7f\x9b\x8e\xe7\xeb\x4a\x7c\x0f\x9e\x16\x2b\xce\x33\x57\x6b\x31\x5e\xce\xcb\xb6\x40\x68\x37\xbf\x51\xf5")

// Asserted is a device's claim to use a key. Nothing of it is believed before Holds.
type Asserted struct {
	Credential, Handle []byte

	parsed *protocol.ParsedCredentialAssertionData
}

// Read reads a claim.
func Read(answer []byte) (*Asserted, error) {
	if len(answer) > mostAnswer {
		return nil, errRefused
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, err
	}
	return &Asserted{parsed.RawID, parsed.Response.UserHandle, parsed}, nil
}

// Holds returns the device's counter where the claim is true: the key signed this challenge.
// A key that is nil takes the same time as another one that did not (OC-04.3).
func (a *Asserted) Holds(p Party, challenge []byte, key *Key) (uses uint32, err error) {
	missing := key == nil || challenge == nil
	if missing {
		key = &Key{PublicKey: nobody, Flags: uint8(a.parsed.Response.AuthenticatorData.Flags)}
	}
	w, session, err := judge(p, challenge)
	if err != nil {
		return 0, err
	}
	kept := webauthn.Credential{ID: a.Credential, PublicKey: key.PublicKey, Flags: webauthn.NewCredentialFlags(protocol.AuthenticatorFlags(key.Flags))}
	find := func(_, _ []byte) (webauthn.User, error) { return &user{a.Handle, []webauthn.Credential{kept}}, nil }
	if _, _, err := w.ValidatePasskeyLogin(find, session, a.parsed); err != nil || missing {
		return 0, errors.Join(errRefused, err)
	}
	return a.parsed.Response.AuthenticatorData.Counter, nil
}
