// Package passkey speaks WebAuthn for the operations of host/owner/access: it makes the
// challenges and the options that a browser asks a device with, and judges what the device
// answered (OC-03).
//
// A device has to verify its user, keep the key so that it finds it by the host's name, and
// answer the challenge that this process gave to this browser for this purpose, in time and
// once. The device's maker is not asked for: a statement about it is refused unread, so that
// no certificate of a stranger's is ever looked at.
//
// It keeps no key and knows no store, no page and no owner. It alone imports
// github.com/go-webauthn/webauthn.
package passkey
