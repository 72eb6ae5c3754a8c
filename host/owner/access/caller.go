package access

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Scope is what a caller may do. Each holds the ones before it.
type Scope string

// The scopes.
const (
	ScopeRead   Scope = "read"   // look
	ScopeRun    Scope = "run"    // start and stop runs, too
	ScopeManage Scope = "manage" // everything
)

// ScopeIntrospect lets a resource server of the owner's ask what the tokens stand for that it
// is shown (RFC 7662), and nothing else: no operation takes a token of it.
const ScopeIntrospect Scope = storage.ScopeIntrospect

var ranks = map[Scope]int{ScopeRead: 1, ScopeRun: 2, ScopeManage: 3}

// Valid reports whether s is a scope.
func (s Scope) Valid() bool { return ranks[s] > 0 }

// Caller is who asks for an operation over HTTP.
type Caller struct {
	Actor owner.Actor
	Scope Scope
	// Secret proves the session to itself: forms are bound to it. "": a token.
	Secret string
}

// Allows returns tokens.scope where the caller may not ask for an operation that needs a
// scope. It is the only place that decides so (OC-06.1).
func (c *Caller) Allows(need Scope) error {
	if ranks[c.Scope] >= ranks[need] && ranks[need] > 0 {
		return nil
	}
	return abi.NewError(CodeScope, "the token's scope does not allow this", "make a token with the scope "+string(need))
}

// How long a session lasts: since it was used last, and in all.
const (
	sessionIdle = 30 * 24 * time.Hour
	sessionLife = 90 * 24 * time.Hour
)

// BySession returns the caller whose browser holds secret, or owner.signed_out.
func BySession(ctx context.Context, o *owner.Owner, secret string) (*Caller, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.SessionOf(ctx, hashOf(secret))
	if err != nil {
		return nil, err
	}
	now := o.Now()
	if found == nil || ended(found, now) {
		return nil, abi.NewError(CodeSignedOut, "you are signed out", "sign in again")
	}
	if now.Sub(found.Used) >= storage.UsedEvery {
		if err := unlessRefused(s.SessionUsed(ctx, found.ID)); err != nil {
			return nil, err
		}
	}
	return &Caller{Actor: owner.Actor{Face: owner.BrowserSession, ID: found.ID}, Scope: ScopeManage, Secret: secret}, nil
}

func ended(s *storage.Session, now time.Time) bool {
	return now.Sub(s.Used) >= sessionIdle || now.Sub(s.Created) >= sessionLife
}

// ByToken returns the caller that holds the token, or tokens.refused.
func ByToken(ctx context.Context, o *owner.Owner, secret string) (*Caller, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.TokenOf(ctx, hashOf(secret))
	if err != nil {
		return nil, err
	}
	now := o.Now()
	if found == nil || !now.Before(found.Expires) || found.Scope == storage.ScopeIntrospect {
		return nil, abi.NewError(CodeTokenRefused, "the token is missing, unknown, revoked or too old", "make one with `pdpp-host tokens create`")
	}
	if now.Sub(found.Used) >= storage.UsedEvery {
		if err := unlessRefused(s.TokenUsed(ctx, found.ID)); err != nil {
			return nil, err
		}
	}
	return &Caller{Actor: owner.Actor{Face: owner.APIToken, ID: found.ID}, Scope: Scope(found.Scope)}, nil
}

// unlessRefused returns the error of noting that somebody was here, but for a store that takes no
// writes: who may read learns there what is wrong.
func unlessRefused(err error) error {
	if storage.RefusesWrites(err) {
		return nil
	}
	return err
}

// Introspects reports whether a resource server shows a token of the scope introspect, with
// the token's id as its name (RD-49).
func Introspects(ctx context.Context, o *owner.Owner, id, secret string) (bool, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return false, err
	}
	found, err := s.TokenOf(ctx, hashOf(secret))
	if err != nil || found == nil || found.ID != id || found.Scope != storage.ScopeIntrospect || !o.Now().Before(found.Expires) {
		return false, err
	}
	if o.Now().Sub(found.Used) >= storage.UsedEvery {
		err = unlessRefused(s.TokenUsed(ctx, found.ID))
	}
	return err == nil, err
}
