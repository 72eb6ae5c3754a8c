package owner_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/owner/made"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

// outlasting makes what outlasts a session.
type outlasting struct {
	*testing.T

	o     *owner.Owner
	store *storage.Store
	desk  *desk.Desk
}

func (b *outlasting) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// granted is a grant of an app whose owner's browser was sent back to it.
func (b *outlasting) granted(id string, at time.Time) {
	b.Helper()
	ctx := b.Context()
	b.ok(b.store.NewGrantRequest(ctx, storage.GrantRequest{ID: id, URI: id, ClientID: desk.PreRegistered, Flow: storage.FlowCode, Details: []byte(`[{"type":"t"}]`), Expires: at.Add(2 * time.Hour)}, 50, 200))
	b.ok(b.store.KeepReview(ctx, id, "", "r1", []byte("{}")))
	_, err := b.store.ApproveGrant(ctx, storage.Approval{
		Revision: "r1", Manifest: []byte(`{"m":1}`), Code: "code of " + id, CodeExpires: at.Add(2 * time.Hour),
		Grant: storage.Grant{ID: "grt_" + id, RequestID: id, ClientID: desk.PreRegistered, Document: []byte(`{"version":"0.1.0"}`), SHA256: "d", Review: []byte("{}"), Declaration: "m", Issued: at, Expires: at.Add(2 * time.Hour)},
	})
	b.ok(err)
}

// makes are the things that each operation makes, by the operation, with what tells whether one works.
func (b *outlasting) makes() map[string]func(n string) (works func() bool) {
	ctx, o := b.Context(), b.o
	speaks := func(secret string) bool {
		caller, err := access.ByToken(ctx, o, secret)
		return err == nil && caller != nil
	}
	return map[string]func(n string) func() bool{
		"tokens.create": func(n string) func() bool {
			x, err := access.CreateToken(ctx, o, access.NewToken{Name: n, Scope: access.ScopeManage})
			b.ok(err)
			return func() bool { return speaks(x.Secret) }
		},
		"tokens.approve": func(string) func() bool {
			d, err := b.desk.StartDevice(ctx, desk.Ask{ClientID: desk.PreRegistered})
			b.ok(err)
			id, err := grants.EnterCode(ctx, o, d.UserCode)
			b.ok(err)
			b.ok(grants.ApproveOwnerToken(ctx, o, grants.OwnerToken{RequestID: id, Scope: access.ScopeManage}))
			return func() bool {
				none := func(ctx context.Context, _, _ string) context.Context { return ctx }
				got, err := b.desk.RedeemDevice(ctx, none, desk.PreRegistered, d.DeviceCode, "")
				return err == nil && speaks(got.Token)
			}
		},
		"grants.approve": func(n string) func() bool {
			b.granted(n, time.Now())
			return func() bool {
				return b.store.Redeem(ctx, storage.Redemption{RequestID: n, Token: &storage.GrantToken{ID: "gtk_" + n, SHA256: "token " + n, Expires: time.Now().Add(time.Hour)}}) == nil
			}
		},
		"grants.credential": func(n string) func() bool {
			b.ok(b.store.AddGrantToken(o.Witness(ctx, "grants.credential", "grt_old"), storage.GrantToken{ID: "gtk_more" + n, SHA256: "more " + n, GrantID: "grt_old", Expires: time.Now().Add(time.Hour)}))
			return func() bool { token, _, err := b.store.GrantByToken(ctx, "more "+n); return err == nil && token != nil }
		},
		"owner.add_passkey": func(n string) func() bool {
			b.ok(b.store.AddPasskey(ctx, &storage.Passkey{ID: "pk_" + n, Credential: []byte(n), PublicKey: []byte(n), Party: "localhost", Name: n}))
			return func() bool { k, err := b.store.PasskeyOf(ctx, []byte(n)); return err == nil && k != nil }
		},
		owner.OpFirstPassword: func(n string) func() bool { // what one signs in with ends by a reset
			was, err := b.store.Owner(ctx)
			b.ok(err)
			_, err = b.store.ChangePassword(ctx, was.Password, n, "")
			b.ok(err)
			return func() bool { now, err := b.store.Owner(ctx); return err == nil && now.Password == n }
		},
		"notifications.add": func(n string) func() bool {
			x, err := notifications.Add(ctx, o, notifications.NewChannel{Name: n, Address: notifications.Address{Service: "https://ntfy.sh/" + n}})
			b.ok(err)
			return func() bool { _, err := notifications.Show(ctx, o, x.ID); return err == nil }
		},
		"devices.invite": func(n string) func() bool {
			x, err := devices.Invite(ctx, o, devices.Invitation{Connector: "notes", Binding: "home" + n, Expires: time.Hour, Meant: true})
			b.ok(err)
			return func() bool {
				_, err := b.store.Enroll(ctx, storage.Enrolling{CodeHash: device.SecretHash(x.Code), TokenHash: device.SecretHash(n), Label: n})
				return err == nil
			}
		},
	}
}

// Each operation of the table makes two things. The first is used before all that was made since is ended, and the
// second is tried afterwards: it works no more.
func TestWhatOutlastsASessionEnds(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	fresh.Store(t, filepath.Join(dir, "pdpp.sqlite"))
	o := served.Owner(t, dir, nil)
	t.Cleanup(func() { _ = o.Close() })
	store, err := o.Store(ctx)
	b := &outlasting{t, o, store, &desk.Desk{Store: store, Now: o.Now, Random: o.Random}}
	b.ok(err)
	b.granted("old", time.Now().Add(-time.Hour))
	since, makes, left := time.Now().Truncate(time.Microsecond), b.makes(), map[string]func() bool{}
	for _, operation := range owner.Lasting() {
		if slices.Contains([]string{owner.OpSetAddress, owner.OpInstall, owner.OpAccept}, operation) {
			continue // it makes nothing that anybody uses: its owner sees the address and the module with the connection
		}
		if makes[operation] == nil {
			t.Errorf("%s: got nothing that it makes in this test, want it, so that it is seen to end", operation)
			continue
		}
		if !makes[operation]("one" + operation[:3])() {
			t.Errorf("%s: got a thing that does not work, want one that does", operation)
		}
		left[operation] = makes[operation]("two" + operation[:3])
	}
	all, err := made.Since(ctx, o, since)
	b.ok(err)
	for _, x := range all {
		if known := []made.Kind{made.Channel, made.Approval, made.Invitation, made.Credential}; slices.Contains(known, x.Kind) && x.By == "" {
			t.Errorf("%s %s: got nobody who made it, want whom the audit names", x.Kind, x.Name)
		}
	}
	ended, err := made.EndAll(ctx, o, since)
	b.ok(err)
	for _, x := range ended {
		if x.Code != "" {
			t.Errorf("%s %s: got %s, want it ended", x.Kind, x.ID, x.Code)
		}
	}
	_, err = access.Reset(ctx, o)
	b.ok(err)
	for operation, works := range left {
		if works() {
			t.Errorf("%s: what it made works after all that was made since has ended, want it ended", operation)
		}
	}
	if g, err := store.GrantOf(ctx, "grt_old"); err != nil || !g.Revoked.IsZero() {
		t.Errorf("got %+v, %v, want the grant of before as it was", g, err)
	}
}
