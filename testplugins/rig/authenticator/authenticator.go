package authenticator

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// The flags of what a device says.
const (
	Present  = 0x01
	Verified = 0x04
	Eligible = 0x08 // for a backup
	BackedUp = 0x10
	attested = 0x40
)

// Device holds passkeys.
type Device struct {
	Origin string // that the browser says it is at
	Flags  byte   // Present and Verified unless a test says otherwise
	Counts bool   // each use
	Uses   uint32
	// Lie changes what the browser says of the page; nil: it is honest.
	Lie func(client map[string]any)
	// Statement and its Format say who made the device; "": none.
	Format    string
	Statement []byte // CBOR

	keys []*key
}

type key struct {
	id, handle []byte
	party      string
	private    *ecdsa.PrivateKey
}

// New returns a device of a browser that is at an origin.
func New(origin string) *Device { return &Device{Origin: origin, Flags: Present | Verified} }

var encoded = base64.RawURLEncoding

// Copy is the device with the keys and the count that it has now.
func (d *Device) Copy() *Device {
	c := *d
	return &c
}

func text(s string) []byte {
	if len(s) < 24 {
		return append([]byte{0x60 | byte(len(s))}, s...)
	}
	return append([]byte{0x78, byte(len(s))}, s...)
}

func bytes(b []byte) []byte {
	return append([]byte{0x59, byte(len(b) >> 8), byte(len(b))}, b...)
}

// said is what a device says before it signs.
func (d *Device) said(party string, flags byte) []byte {
	hash := sha256.Sum256([]byte(party))
	if d.Counts {
		d.Uses++
	}
	return binary.BigEndian.AppendUint32(append(hash[:], flags), d.Uses)
}

func (d *Device) client(kind, challenge string) []byte {
	c := map[string]any{"type": "webauthn." + kind, "challenge": challenge, "origin": d.Origin, "crossOrigin": false}
	if d.Lie != nil {
		d.Lie(c)
	}
	out, err := json.Marshal(c)
	if err != nil {
		panic(err) // it is a map of texts
	}
	return out
}

func answer(id []byte, response map[string]any) []byte {
	maps.DeleteFunc(response, func(_ string, v any) bool { return v == "" })
	out, err := json.Marshal(map[string]any{
		"id": encoded.EncodeToString(id), "rawId": encoded.EncodeToString(id), "type": "public-key", "authenticatorAttachment": "platform",
		"clientExtensionResults": map[string]any{}, "response": response,
	})
	if err != nil {
		panic(err) // it is a map of texts
	}
	return out
}

// options are what a host asks with.
type options map[string]any

func read(text []byte) (o options, err error) {
	err = json.Unmarshal(text, &o)
	return o, err
}

// text is the member at a path; "": there is none.
func (o options) text(path ...string) string {
	var at any = map[string]any(o)
	for _, name := range path {
		m, _ := at.(map[string]any)
		at = m[name]
	}
	s, _ := at.(string)
	return s
}

// Make makes a passkey as options ask, and answers.
func (d *Device) Make(asked []byte) ([]byte, error) {
	o, err := read(asked)
	if err != nil {
		return nil, err
	}
	if o.text("authenticatorSelection", "residentKey") != "required" || o.text("authenticatorSelection", "userVerification") != "required" || o.text("attestation") != "none" {
		return nil, errors.New("the options ask for less than a passkey, or for more")
	}
	known, _ := o["excludeCredentials"].([]any)
	for _, e := range known {
		for _, k := range d.keys {
			if m, _ := e.(map[string]any); m["id"] == encoded.EncodeToString(k.id) {
				return nil, errors.New("the device has a passkey of this owner")
			}
		}
	}
	handle, err := encoded.DecodeString(o.text("user", "id"))
	if err != nil {
		return nil, err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	k := &key{id: make([]byte, 20), handle: handle, party: o.text("rp", "id"), private: private}
	if _, err := rand.Read(k.id); err != nil {
		return nil, err
	}
	d.keys = append(d.keys, k)
	point, err := private.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return nil, err
	}
	said := d.said(k.party, d.Flags|attested)
	said = append(said, make([]byte, 16)...) // no maker
	said = append(binary.BigEndian.AppendUint16(said, uint16(len(k.id))), k.id...)
	said = append(append(said, 0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32), point[1:33]...)
	said = append(append(said, 0x22, 0x58, 32), point[33:]...)
	format, statement := "none", []byte{0xa0}
	if d.Format != "" {
		format, statement = d.Format, d.Statement
	}
	object := append(append([]byte{0xa3}, text("fmt")...), text(format)...)
	object = append(append(object, text("attStmt")...), statement...)
	object = append(append(object, text("authData")...), bytes(said)...)
	return answer(k.id, map[string]any{
		"clientDataJSON": encoded.EncodeToString(d.client("create", o.text("challenge"))), "attestationObject": encoded.EncodeToString(object), "transports": []string{"internal"},
	}), nil
}

// Use uses the last passkey for the host that options name, and answers.
func (d *Device) Use(asked []byte) ([]byte, error) {
	o, err := read(asked)
	if err != nil {
		return nil, err
	}
	if o.text("userVerification") != "required" {
		return nil, errors.New("the options ask for no proof of the user")
	}
	var k *key
	for _, one := range d.keys {
		if one.party == o.text("rpId") {
			k = one
		}
	}
	if k == nil {
		return nil, errors.New("the device has no passkey for " + o.text("rpId"))
	}
	client, said := d.client("get", o.text("challenge")), d.said(k.party, d.Flags)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(slices.Clip(said), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, k.private, digest[:])
	if err != nil {
		return nil, err
	}
	return answer(k.id, map[string]any{
		"clientDataJSON": encoded.EncodeToString(client), "authenticatorData": encoded.EncodeToString(said),
		"signature": encoded.EncodeToString(signature), "userHandle": encoded.EncodeToString(k.handle),
	}), nil
}
