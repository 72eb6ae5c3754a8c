package access_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// A session makes what outlasts it within five minutes of its owner's last proof, and not a moment later. A token
// and a command are not asked.
func TestProofOfASession(t *testing.T) {
	t.Parallel()
	r, ctx, tries := newRig(t), t.Context(), &access.Attempts{}
	opened := r.claim()
	mine := r.As(owner.Actor{Face: owner.BrowserSession, ID: opened.ID}, nil)
	makes := func(o *owner.Owner) error {
		_, err := access.CreateToken(ctx, o, access.NewToken{Name: "kept", Scope: access.ScopeManage})
		return err
	}
	r.forward(owner.ProofLife - time.Second)
	r.ok(makes(mine))
	r.forward(time.Second)
	r.code(makes(mine), owner.CodeProofNeeded)
	_, err := access.AskToAdd(ctx, mine, access.Device{})
	r.code(err, owner.CodeProofNeeded)
	r.code(access.Prove(ctx, mine, tries, netip.Prefix{}, password+" "), access.CodePasswordWrong)
	r.code(makes(mine), owner.CodeProofNeeded)
	r.ok(access.Prove(ctx, mine, tries, netip.Prefix{}, password))
	r.ok(makes(mine))
	r.forward(-time.Minute) // a clock that was put back
	r.code(makes(mine), owner.CodeProofNeeded)
	r.forward(time.Hour)
	r.code(makes(r.As(owner.Actor{Face: owner.BrowserSession, ID: "ses_none"}, nil)), access.CodeSignedOut)
	r.code(makes(r.As(owner.Actor{Face: owner.BrowserSession}, nil)), owner.CodeProofNeeded)
	r.ok(makes(r.As(owner.Actor{Face: owner.CommandLine}, nil)))
}

// An owner who has passkeys alone proves a session by one, and a session alone sets no first password.
func TestProofByPasskey(t *testing.T) {
	t.Parallel()
	k := newRig(t).claimedByPasskey()
	r, ctx := k.rig, t.Context()
	mine := r.Owner
	r.forward(owner.ProofLife)
	r.code(access.ChangePassword(ctx, mine, k.tries, netip.Prefix{}, "", "six quiet orchards"), owner.CodeProofNeeded)
	r.code(access.ProveByPasskey(ctx, mine, k.tries, netip.Prefix{}, k.use()), access.CodePasskeyRefused) // an answer to a sign-in
	asked, err := access.AskToProve(mine, k.browser())
	r.ok(access.ProveByPasskey(ctx, mine, k.tries, netip.Prefix{}, k.answers(asked, err, k.device.Use)))
	r.ok(access.ChangePassword(ctx, mine, k.tries, netip.Prefix{}, "", "six quiet orchards"))
}
