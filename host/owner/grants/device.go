package grants

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// EnterCode takes the code that a device shows, and returns the id of the device's request:
// it can be approved from then on. Errors: grants.user_code_unknown, and
// grants.too_many_user_codes after ten that were wrong within an hour.
func EnterCode(ctx context.Context, o *owner.Owner, code string) (id string, err error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return "", err
	}
	err = o.Audited(ctx, d.Store, "grants.enter_code", "device", func(ctx context.Context) error {
		r, err := d.TypeUserCode(ctx, code)
		if err == nil {
			id = r.ID
		}
		return err
	})
	return id, err
}

// The times that an owner's token lasts which a device asked for.
const (
	DeviceTokenLife = 30 * 24 * time.Hour
	mostTokenLife   = 365 * 24 * time.Hour
)

// OwnerToken lets a device speak for its owner.
type OwnerToken struct {
	RequestID string
	Scope     access.Scope
	Expires   time.Duration // 0: DeviceTokenLife
}

// ApproveOwnerToken has the device whose code was typed fetch a token that speaks for the
// owner. Errors: grants.user_code_needed, grants.decided, grants.request_expired, and
// grants.approval_conflict where it did not ask for one.
func ApproveOwnerToken(ctx context.Context, o *owner.Owner, t OwnerToken) error {
	if t.Expires == 0 {
		t.Expires = DeviceTokenLife
	}
	switch {
	case !t.Scope.Valid():
		return abi.NewError(abi.CodeUsage, "the token's scope is not read, run or manage", "read looks, run starts runs as well, manage may do everything")
	case t.Expires < time.Minute || t.Expires > mostTokenLife:
		return abi.NewError(abi.CodeUsage, "a token lasts between one minute and 365 days", "leave it out for 30 days")
	}
	d, err := deskOf(ctx, o)
	if err != nil {
		return err
	}
	if _, err := d.Request(ctx, t.RequestID); err != nil {
		return err
	}
	return o.Audited(ctx, d.Store, "tokens.approve", t.RequestID, func(ctx context.Context) error {
		return d.ApproveOwnerToken(ctx, t.RequestID, desk.Chosen{Scope: string(t.Scope), Expires: d.Now().Add(t.Expires).UTC().Truncate(time.Second)})
	})
}

// UnfetchedTokens returns the approved requests whose devices may fetch a token that speaks for the owner and have not
// yet. DecidedAt of each is when its owner approved it.
func UnfetchedTokens(ctx context.Context, o *owner.Owner) ([]Request, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	all, err := d.Store.UnfetchedOwnerTokens(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Request, len(all))
	for i := range all {
		out[i] = shown(d, &all[i])
		out[i].DecidedAt = all[i].Decided
	}
	return out, nil
}

// WithdrawToken has the device of an approved request fetch no token of the owner's any more. One that it has fetched
// meanwhile ends. It returns grants.request_unknown where there is no such approval.
func WithdrawToken(ctx context.Context, o *owner.Owner, id string) error {
	d, err := deskOf(ctx, o)
	if err != nil {
		return err
	}
	if _, err := d.Request(ctx, id); err != nil {
		return err
	}
	return o.Audited(ctx, d.Store, "tokens.withdraw", id, func(ctx context.Context) error {
		return d.Store.WithdrawOwnerToken(ctx, id)
	})
}
