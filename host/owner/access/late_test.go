package access_test

import (
	"crypto/rand"
	"net/netip"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// meanwhile reads random bytes, and first does something that happens at that moment.
type meanwhile struct{ do func() }

func (m *meanwhile) Read(p []byte) (int, error) {
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return rand.Read(p)
}

// at returns an owner who asks as an actor, while something happens once a secret is made.
func (r *rig) at(a owner.Actor, do func()) *owner.Owner {
	o := r.As(a, nil)
	o.Random = &meanwhile{do}
	return o
}

// OC-03.2, OC-04: who is signing in with the password while it ends gets no session that
// outlives it.
func TestNoSessionOutlivesItsPassword(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*rig, string) error{
		"a reset": func(r *rig, _ string) error { _, err := access.Reset(r.t.Context(), r.Owner); return err },
		"another password": func(r *rig, session string) error {
			o := r.As(owner.Actor{Face: owner.BrowserSession, ID: session}, nil)
			return access.ChangePassword(r.t.Context(), o, &access.Attempts{}, netip.Prefix{}, password, "five other plain words")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			mine := r.claim()
			late := r.at(r.Actor, func() { r.ok(end(r, mine.ID)) })
			_, err := access.SignInWith(t.Context(), late, &access.Attempts{}, access.SignIn{Password: password})
			r.code(err, access.CodePasswordWrong)
			all, err := access.Sessions(t.Context(), r.Owner)
			r.ok(err)
			for _, s := range all {
				if s.ID != mine.ID {
					t.Errorf("got the session %s, want none but that of the change", s.ID)
				}
			}
		})
	}
}

// OC-03.2, OC-04: a request that was let in while its session or its token was good changes
// nothing once that has ended, however long its body took to come.
func TestNothingIsChangedByWhoHasEnded(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	mine := r.claim()
	token, err := access.CreateToken(ctx, r.operator(), access.NewToken{Name: "program", Scope: access.ScopeManage})
	r.ok(err)
	for _, tc := range []struct {
		name string
		by   owner.Actor
		end  func() error
	}{
		{"a token", owner.Actor{Face: owner.APIToken, ID: token.ID}, func() error { return access.RevokeToken(ctx, r.Owner, token.ID) }},
		{"a session", owner.Actor{Face: owner.BrowserSession, ID: mine.ID}, func() error { _, err := access.Reset(ctx, r.Owner); return err }},
	} {
		if _, err := access.CreateToken(ctx, r.at(tc.by, nil), access.NewToken{Name: "early", Scope: access.ScopeRead}); err != nil {
			t.Errorf("%s, while it is good: got %v, want a token", tc.name, err)
		}
		_, err := access.CreateToken(ctx, r.at(tc.by, func() { r.ok(tc.end()) }), access.NewToken{Name: "late", Scope: access.ScopeManage})
		if abi.CodeOf(err) != access.CodeSignedOut {
			t.Errorf("%s that has ended: got %v, want %s", tc.name, err, access.CodeSignedOut)
		}
	}
	all, err := access.Tokens(ctx, r.Owner)
	r.ok(err)
	for _, x := range all {
		if x.Name == "late" {
			t.Errorf("got the token %s, want none of who has ended", x.ID)
		}
	}
	if page, err := r.AuditEvents(ctx, owner.AuditQuery{Operation: "tokens.create", Outcome: string(access.CodeSignedOut)}); err != nil || len(page.Events) != 2 {
		t.Errorf("got the events %+v, %v, want both refusals", page, err)
	}
}
