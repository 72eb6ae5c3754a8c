package access

import (
	"context"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/passkey"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// Device is a browser that speaks with a device for its owner, and what came of it.
type Device struct {
	Ceremonies *passkey.Ceremonies
	Party      passkey.Party // this host, as the browser reached it
	Ticket     string        // as Asked gave it to the browser
	Answer     []byte        // the device's, as JSON
}

// Asked is what a browser asks a device with.
type Asked struct {
	Ticket  string // the browser alone brings it back, with the answer
	Options []byte // JSON
}

// The purposes of challenges. An answer to one is none to another.
const (
	toSignIn = "sign in"
	toClaim  = "claim "   // with the hash of the set-up code
	toAdd    = "add for " // with the session
	toProve  = "prove "   // with the session
)

// ownerHandle names the key of this host that names its owner to devices: it says nothing of
// them, and stays, so that a device replaces the passkey of a host that was reset.
const ownerHandle = "passkey_owner"

func handle(ctx context.Context, o *owner.Owner) ([]byte, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	return s.ServerKey(ctx, ownerHandle, o.Random)
}

// AskToSignIn asks a device to prove the owner.
func AskToSignIn(o *owner.Owner, d Device) (*Asked, error) {
	return d.askToUse(o, toSignIn)
}

// AskToProve asks a device to prove the owner of the caller's session.
func AskToProve(o *owner.Owner, d Device) (*Asked, error) {
	return d.askToUse(o, toProve+o.Actor.ID)
}

func (d *Device) askToUse(o *owner.Owner, purpose string) (*Asked, error) {
	ticket, challenge, err := d.Ceremonies.Begin(o.Random, o.Now(), purpose, d.Party)
	if err != nil {
		return nil, err
	}
	options, err := passkey.UseOptions(d.Party, challenge)
	return &Asked{ticket, options}, err
}

// AskToClaim asks a device for a passkey with the code of a set-up link, which stays good.
func AskToClaim(ctx context.Context, o *owner.Owner, d Device, code string) (*Asked, error) {
	if err := LinkOpen(ctx, o, code); err != nil {
		return nil, err
	}
	return askToMake(ctx, o, d, toClaim+hashOf(code))
}

// AskToAdd asks a device for one more passkey of the caller's. It returns owner.proof_needed where AddPasskey
// would, before the device makes one.
func AskToAdd(ctx context.Context, o *owner.Owner, d Device) (*Asked, error) {
	if err := o.NeedProof(ctx, opAddPasskey); err != nil {
		return nil, err
	}
	return askToMake(ctx, o, d, toAdd+o.Actor.ID)
}

func askToMake(ctx context.Context, o *owner.Owner, d Device, purpose string) (*Asked, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Passkeys(ctx)
	if err != nil {
		return nil, err
	}
	var known [][]byte
	for i := range all {
		if all[i].Party == d.Party.ID {
			known = append(known, all[i].Credential)
		}
	}
	name, err := handle(ctx, o)
	if err != nil {
		return nil, err
	}
	ticket, challenge, err := d.Ceremonies.Begin(o.Random, o.Now(), purpose, d.Party)
	if err != nil {
		return nil, err
	}
	options, err := passkey.MakeOptions(d.Party, challenge, name, known)
	return &Asked{ticket, options}, err
}

// made is a passkey that a device has just made.
type made struct {
	key   *passkey.Key
	party string
}

// take returns the passkey that a device made for a purpose, or owner.passkey_refused.
func (d *Device) take(ctx context.Context, o *owner.Owner, purpose string) (*made, error) {
	name, err := handle(ctx, o)
	if err != nil {
		return nil, err
	}
	key, err := passkey.Made(d.Party, d.Ceremonies.Take(o.Now(), d.Ticket, purpose, d.Party), name, d.Answer)
	if err != nil {
		return nil, abi.NewError(CodePasskeyRefused, "the device's answer is not one that this host takes, or came too late", "try again").Wrap(err)
	}
	return &made{key, d.Party.ID}, nil
}

// longestPasskeyName is in characters.
const longestPasskeyName = 100

// passkeyName is a name as it is kept: plain text that is not empty.
func passkeyName(name string) string {
	if name = strings.TrimSpace(words.Cut(words.Clean(name), longestPasskeyName)); name == "" {
		return "passkey"
	}
	return name
}
