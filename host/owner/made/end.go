package made

import (
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
)

// CodeUnknown reports a thing that was not made since the time, or has ended already.
const CodeUnknown abi.Code = "owner.made_unknown"

// Ended is what became of a thing that was to end.
type Ended struct {
	Thing

	Code abi.Code `json:"code,omitempty"` // why it goes on; "": it has ended
}

// End ends things that were made since a time, by their ids. It returns owner.made_unknown, and ends nothing, where one of them was
// not made since then or has ended. A thing that cannot end, as the only way to sign in, is returned with its code.
func End(ctx context.Context, o *owner.Owner, since time.Time, ids []string) ([]Ended, error) {
	all, err := Since(ctx, o, since)
	if err != nil {
		return nil, err
	}
	var chosen []Thing
	for _, id := range ids {
		n := slices.IndexFunc(all, func(x Thing) bool { return x.ID == id })
		if n < 0 {
			return nil, abi.NewError(CodeUnknown, "nothing of that id was made since then, or it has ended already", "`pdpp-host owner made` lists what there is")
		}
		chosen = append(chosen, all[n])
	}
	return end(ctx, o, chosen)
}

// CodeLeft reports a thing that was made while the rest ended, over and over.
const CodeLeft abi.Code = "owner.made_left"

// mostRounds bounds how often EndAll looks for what was made while it ended the rest.
const mostRounds = 10

// EndAll ends all that was made since a time but the caller's own session. The holder of a token may make another one
// meanwhile, so the list is read again until nothing is left. A thing that is there after ten rounds has the code
// owner.made_left.
func EndAll(ctx context.Context, o *owner.Owner, since time.Time) ([]Ended, error) {
	return endAll(func() ([]Thing, error) { return Since(ctx, o, since) }, func(all []Thing) ([]Ended, error) { return end(ctx, o, all) })
}

func endAll(list func() ([]Thing, error), end func([]Thing) ([]Ended, error)) ([]Ended, error) {
	var out []Ended
	for round := 0; ; round++ {
		all, err := list()
		if err != nil {
			return out, err
		}
		all = slices.DeleteFunc(all, func(x Thing) bool {
			return x.Current || slices.ContainsFunc(out, func(e Ended) bool { return e.ID == x.ID && e.Code != "" })
		})
		if len(all) == 0 {
			return out, nil
		}
		if round == mostRounds {
			for _, x := range all {
				out = append(out, Ended{x, CodeLeft})
			}
			return out, nil
		}
		ended, err := end(all)
		out = append(out, ended...)
		if err != nil {
			return out, err
		}
	}
}

// end ends one thing after the other. Tokens come first, since who holds one could make more, and the caller's own
// session last, which asks for all of it. A thing that another ended meanwhile counts as ended. Where one fails, the
// rest ends all the same, and the first error is returned.
func end(ctx context.Context, o *owner.Owner, all []Thing) (out []Ended, first error) {
	slices.SortStableFunc(all, func(a, b Thing) int { return rank(a) - rank(b) })
	for _, x := range all {
		err := ends[x.Kind](ctx, o, x.ID)
		switch code := abi.CodeOf(err); {
		case err == nil, slices.Contains(gone, code):
			out = append(out, Ended{x, ""})
		case code == access.CodePasskeyLast, code == devices.CodeInvitationUnknown: // a device has enrolled with it
			out = append(out, Ended{x, code})
		case first == nil:
			first = err
		}
	}
	return out, first
}

// gone are the codes of what is there no more: a session ends with a passkey, and whoever made a thing may end it.
var gone = []abi.Code{access.CodeSessionUnknown, access.CodeTokenUnknown, access.CodePasskeyUnknown, notifications.CodeUnknown, grants.CodeNoSuch}

func rank(x Thing) int {
	if x.Current {
		return len(order)
	}
	return slices.Index(order, x.Kind)
}

var order = []Kind{Token, Session, Passkey, Approval, Invitation, Device, Channel, Grant, Credential}

var ends = map[Kind]func(context.Context, *owner.Owner, string) error{
	Token:   access.RevokeToken,
	Session: access.EndSession,
	Passkey: access.RemovePasskey,
	Grant:   grants.Revoke,

	Approval:   grants.WithdrawToken,
	Invitation: devices.Withdraw,
	Credential: grants.RevokeCredential,

	Channel: func(ctx context.Context, o *owner.Owner, id string) error {
		_, err := notifications.Remove(ctx, o, id)
		return err
	},
	Device: func(ctx context.Context, o *owner.Owner, id string) error {
		_, err := devices.Revoke(ctx, o, id, func(*devices.Device) error { return nil })
		return err
	},
}
