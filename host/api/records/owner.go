package records

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// OwnerTokens are the tokens that an owner makes, which see everything.
func OwnerTokens(as func(owner.Actor) *owner.Owner) read.Callers { return ownerTokens(as) }

type ownerTokens func(owner.Actor) *owner.Owner

// Caller is the owner, whatever the token's scope: the least of them looks.
func (as ownerTokens) Caller(ctx context.Context, token string) (*read.Caller, error) {
	c, err := access.ByToken(ctx, as(owner.Actor{Face: owner.APIToken}), token)
	if abi.CodeOf(err) == access.CodeTokenRefused {
		return nil, abi.NewError(read.CodeTokenUnknown, "the token is missing, unknown, revoked or too old", "make one with `pdpp-host tokens create`")
	}
	if err == nil {
		err = c.Allows(access.ScopeRead)
	}
	if err != nil {
		return nil, err
	}
	return &read.Caller{Scope: read.OwnerScope(), Token: c.Actor.ID}, nil
}
