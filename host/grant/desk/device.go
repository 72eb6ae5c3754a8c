package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// DeviceInterval is how long a device waits before it asks again.
const DeviceInterval = 5 * time.Second

var polledByDevice = pacing{DeviceInterval, func(d time.Duration) time.Duration { return d + DeviceInterval }}

// Device is a device whose owner is to type a code (RD-46, RFC 8628).
type Device struct {
	DeviceCode string // it asks with it
	UserCode   string // it shows it
	Expires    time.Duration
}

// StartDevice has a device wait for its owner: for what it asks for, or, where it says
// nothing, for a token that speaks for the owner.
func (d *Desk) StartDevice(ctx context.Context, a Ask) (*Device, error) {
	n := storage.GrantRequest{Flow: storage.FlowOwner}
	c, err := d.asking(ctx, &a, &n)
	if err != nil {
		return nil, err
	}
	if len(n.Details) > 0 {
		n.Flow = storage.FlowDevice
	}
	out := &Device{Expires: RequestLife}
	if out.DeviceCode, err = d.secret(); err != nil {
		return nil, err
	}
	if out.UserCode, err = d.code(); err != nil {
		return nil, err
	}
	n.Polling, n.UserCode = hashOf(out.DeviceCode), hashOf(out.UserCode)
	_, err = d.keep(ctx, c, &n)
	return out, err
}

// How many codes of devices may be wrong, and within which time (RD-46.1).
const (
	mostWrongCodes   = 10
	wrongCodesWindow = time.Hour
)

// TypeUserCode keeps that an owner typed the code that a device shows, and returns the
// device's request: it can be approved from then on.
func (d *Desk) TypeUserCode(ctx context.Context, code string) (*storage.GrantRequest, error) {
	return d.Store.TypeUserCode(ctx, hashOf(typedCode(code)), mostWrongCodes, wrongCodesWindow)
}

// Chosen is what an owner lets a device do that asked for a token of theirs.
type Chosen struct {
	Scope   string    `json:"scope"`
	Expires time.Time `json:"expires_at"`
}

// ApproveOwnerToken has a device fetch a token that speaks for the owner.
func (d *Desk) ApproveOwnerToken(ctx context.Context, id string, c Chosen) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return d.Store.ApproveOwnerToken(ctx, id, text)
}

// RedeemDevice gives a device what its owner approved, or says that it waits: grants.pending, grants.slow_down,
// grants.denied, grants.request_expired. Within storage.RepeatWithin it gives the same device other tokens for those
// that nobody has used.
func (d *Desk) RedeemDevice(ctx context.Context, w Witness, clientID, deviceCode, resource string) (*Issued, error) {
	hash := hashOf(deviceCode)
	r, err := d.Store.GrantRequestOf(ctx, storage.RequestByPolling, hash)
	if err != nil {
		return nil, err
	}
	if r == nil || r.Flow != storage.FlowDevice && r.Flow != storage.FlowOwner || r.ClientID != clientID {
		return nil, refusedCode()
	}
	now := d.Now()
	switch {
	case r.State == storage.RequestDenied:
		return nil, abi.NewError(CodeDenied, "the owner refused it", "")
	case !now.Before(r.Expires) && now.Sub(r.Taken) > storage.RepeatWithin:
		return nil, abi.NewError(CodeRequestExpired, "the request's time is over", "ask again")
	case r.State == storage.RequestPending:
		if _, early, _ := d.paces.take(hash, now, polledByDevice); early {
			return nil, abi.NewError(CodeSlowDown, "the device asks too early", "wait five seconds more each time")
		}
		return nil, abi.NewError(CodePending, "the owner has not decided yet", "ask again after the interval")
	case !isFor(r.Resource, resource):
		return nil, refusedResource()
	case r.Flow == storage.FlowOwner:
		return d.giveOwner(ctx, w, r)
	}
	issued, err := d.give(ctx, w, r)
	if abi.CodeOf(err) == CodeReplayed {
		err = refusedCode()
	}
	return issued, err
}

// giveOwner keeps the token that an owner allowed a device, and returns it.
func (d *Desk) giveOwner(ctx context.Context, w Witness, r *storage.GrantRequest) (*Issued, error) {
	var c Chosen
	if err := json.Unmarshal(r.Review, &c); err != nil || !d.Now().Before(c.Expires) {
		return nil, refusedCode()
	}
	if _, err := d.client(ctx, r.ClientID); err != nil {
		return nil, err
	}
	secret, err := d.secret()
	if err != nil {
		return nil, err
	}
	id, err := d.id("tok_")
	if err != nil {
		return nil, err
	}
	out := &Issued{Token: ownerPrefix + secret, Expires: c.Expires}
	err = d.Store.Redeem(w(ctx, "tokens.create", id+" "+c.Scope), storage.Redemption{
		RequestID: r.ID, Shown: shownOf(r), Owner: &storage.Token{ID: id, SHA256: hashOf(out.Token), Name: cmp.Or(r.ClientName, r.Display, r.ClientID), Scope: c.Scope, Expires: c.Expires, Client: r.ClientID},
	})
	switch {
	case abi.CodeOf(err) == CodeReplayed:
		return nil, refusedCode()
	case err != nil:
		return nil, err
	}
	return out, nil
}
