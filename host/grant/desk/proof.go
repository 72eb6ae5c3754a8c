package desk

import (
	"context"

	"github.com/pdpp-host/pdpp-host/storage"
)

// Proof is a kind of secret that this desk gives out.
type Proof string

// The kinds of proof. Each is found by its hash, in one indexed read.
const (
	ProofCode    Proof = storage.RequestByCode    // that an owner's browser brings to an app
	ProofPolling Proof = storage.RequestByPolling // that an app or a device waits with
	ProofURI     Proof = storage.RequestByURI     // the address of a request
	ProofRefresh Proof = "refresh"
	ProofToken   Proof = "token" // of a grant, or one that speaks for the owner
)

// Gave reports whether a secret is one of those that this desk gave out, whatever became of it. A caller that shows one is no
// stranger. It counts as no use.
func (d *Desk) Gave(ctx context.Context, kind Proof, secret string) bool {
	hash := hashOf(secret)
	var found bool
	var err error
	switch kind {
	case ProofRefresh:
		found, err = is(d.Store.RefreshTokenOf(ctx, hash))
	case ProofToken:
		found = d.Knows(ctx, secret) || d.Gave(ctx, ProofRefresh, secret)
		if !found {
			var t *storage.Token
			t, err = d.Store.TokenOf(ctx, hash)
			found = t != nil
		}
	default:
		if kind == ProofURI {
			hash = uriHash(secret)
		}
		var r *storage.GrantRequest
		r, err = d.Store.GrantRequestOf(ctx, string(kind), hash)
		found = r != nil
	}
	return err == nil && found
}

func is(r *storage.RefreshToken, _ *storage.Grant, err error) (bool, error) { return r != nil, err }
