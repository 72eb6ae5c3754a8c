package made

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
)

// Kind is what was made.
type Kind string

// The kinds.
const (
	Token   Kind = "token"
	Passkey Kind = "passkey"
	Channel Kind = "channel" // of notifications
	Grant   Kind = "grant"
	Device  Kind = "device"
	Session Kind = "session"

	Approval   Kind = "token_approval" // of a token that speaks for the owner, which a device may fetch
	Invitation Kind = "invitation"     // of a device, whose code was not used
	Credential Kind = "credential"     // a token of a grant that was made before
)

// Thing is something that was made and holds: it works until it is ended.
type Thing struct {
	Kind    Kind       `json:"kind"`
	ID      string     `json:"id"`
	Name    string     `json:"name"` // as whoever made it chose; "": it has none
	MadeAt  time.Time  `json:"made_at"`
	By      owner.Face `json:"by,omitempty"`      // the face that it was made by; "": the audit does not know
	ByID    string     `json:"by_id,omitempty"`   // which session, token or app
	Address string     `json:"address,omitempty"` // from where; "": this machine, or not known
	Current bool       `json:"current"`           // it is the caller's own session
}

// makers are the operations that make things, with the word of their events' subjects that names what they made: a
// grant's by its request.
var makers = map[string]int{
	"tokens.create": 0, "tokens.approve": 0, "owner.add_passkey": 0, "notifications.add": 0, "grants.approve": 0, "grants.credential": 1, "owner.sign_in": 0, "devices.invite": 0,
}

// lists are the kinds, as they are listed since a time.
var lists = map[Kind]func(ctx context.Context, o *owner.Owner, since time.Time) ([]Thing, error){
	Token: tokens, Passkey: passkeys, Channel: channels, Grant: granted, Device: enrolled, Session: sessions, Approval: approvals, Invitation: invitations, Credential: credentials,
}

// Since returns what was made since a time and holds, the newest first.
func Since(ctx context.Context, o *owner.Owner, since time.Time) ([]Thing, error) {
	var all []Thing
	for _, kind := range order {
		some, err := lists[kind](ctx, o, since)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	all = slices.DeleteFunc(all, func(x Thing) bool { return x.MadeAt.Before(since) })
	slices.SortStableFunc(all, func(a, b Thing) int { return b.MadeAt.Compare(a.MadeAt) })
	return all, witnessed(ctx, o, since, all)
}

// witnessed says of each thing by whom and from where it was made.
func witnessed(ctx context.Context, o *owner.Owner, since time.Time, all []Thing) error {
	if len(all) == 0 {
		return nil
	}
	requests, err := requestsOf(ctx, o)
	if err != nil {
		return err
	}
	by := map[string]*owner.AuditEvent{}
	for operation, word := range makers {
		page, err := o.AuditEvents(ctx, owner.AuditQuery{Operation: operation, Outcome: "done", Since: since.Add(-time.Minute)}) // a thing may be older than its event
		if err != nil {
			return err
		}
		for i := range page.Events {
			if words := strings.Fields(page.Events[i].Subject); len(words) > word {
				by[words[word]] = &page.Events[i]
			}
		}
	}
	for i := range all {
		x := &all[i]
		what := x.ID
		if x.Kind == Grant {
			what = requests[x.ID]
		}
		if e := by[what]; e != nil {
			x.By, x.ByID, x.Address = owner.Face(e.Actor), e.ActorID, e.Address
		}
	}
	return nil
}

// requestsOf are the requests of the grants, by the grants' ids.
func requestsOf(ctx context.Context, o *owner.Owner) (map[string]string, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Grants(ctx)
	out := make(map[string]string, len(all))
	for i := range all {
		out[all[i].ID] = all[i].RequestID
	}
	return out, err
}

func tokens(ctx context.Context, o *owner.Owner, _ time.Time) (out []Thing, err error) {
	all, err := access.Tokens(ctx, o)
	for i := range all {
		if x := &all[i]; !x.Expired {
			out = append(out, Thing{Kind: Token, ID: x.ID, Name: x.Name, MadeAt: x.CreatedAt})
		}
	}
	return out, err
}

func passkeys(ctx context.Context, o *owner.Owner, _ time.Time) (out []Thing, err error) {
	all, err := access.Passkeys(ctx, o)
	for i := range all {
		out = append(out, Thing{Kind: Passkey, ID: all[i].ID, Name: all[i].Name, MadeAt: all[i].CreatedAt})
	}
	return out, err
}

func channels(ctx context.Context, o *owner.Owner, _ time.Time) (out []Thing, err error) {
	all, err := notifications.List(ctx, o)
	if err != nil {
		return nil, err
	}
	for i := range all.Channels {
		x := &all.Channels[i]
		out = append(out, Thing{Kind: Channel, ID: x.ID, Name: x.Name, MadeAt: x.CreatedAt})
	}
	return out, nil
}

func granted(ctx context.Context, o *owner.Owner, _ time.Time) (out []Thing, err error) {
	all, err := grants.List(ctx, o)
	for i := range all {
		if x := &all[i]; x.State != grants.Revoked && x.State != grants.Expired {
			out = append(out, Thing{Kind: Grant, ID: x.ID, Name: x.Name(), MadeAt: x.IssuedAt})
		}
	}
	return out, err
}

func enrolled(ctx context.Context, o *owner.Owner, _ time.Time) (out []Thing, err error) {
	all, err := devices.List(ctx, o)
	for i := range all {
		if x := &all[i]; x.RevokedAt == nil {
			out = append(out, Thing{Kind: Device, ID: x.ID, Name: x.Name(), MadeAt: x.CreatedAt})
		}
	}
	return out, err
}

func sessions(ctx context.Context, o *owner.Owner, _ time.Time) (out []Thing, err error) {
	all, err := access.Sessions(ctx, o)
	for i := range all {
		x := &all[i]
		out = append(out, Thing{Kind: Session, ID: x.ID, Name: x.Agent, MadeAt: x.CreatedAt, By: owner.BrowserSession, Address: x.Address, Current: x.Current})
	}
	return out, err
}

func approvals(ctx context.Context, o *owner.Owner, _ time.Time) (out []Thing, err error) {
	all, err := grants.UnfetchedTokens(ctx, o)
	for i := range all {
		out = append(out, Thing{Kind: Approval, ID: all[i].ID, Name: all[i].Name(), MadeAt: all[i].DecidedAt})
	}
	return out, err
}

func invitations(ctx context.Context, o *owner.Owner, _ time.Time) (out []Thing, err error) {
	all, err := devices.Invitations(ctx, o)
	for i := range all {
		out = append(out, Thing{Kind: Invitation, ID: all[i].ID, Name: all[i].Connector + " " + all[i].Binding, MadeAt: all[i].CreatedAt})
	}
	return out, err
}

// credentials are those of grants that do not end with them, since they were made before.
func credentials(ctx context.Context, o *owner.Owner, since time.Time) (out []Thing, err error) {
	all, err := grants.Credentials(ctx, o)
	for i := range all {
		if x := &all[i]; x.IssuedAt.Before(since) {
			out = append(out, Thing{Kind: Credential, ID: x.ID, Name: x.Client, MadeAt: x.CreatedAt})
		}
	}
	return out, err
}
