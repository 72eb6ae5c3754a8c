package access_test

import (
	"crypto/rand"
	"net/netip"
	"testing"

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
