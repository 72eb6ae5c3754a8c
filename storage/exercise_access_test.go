package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/access"
)

// exerciseAccess: a set-up link is good once and for its time, a change of the password
// ends the other sessions, and what ended is not found.
func exerciseAccess(t *testing.T, x *exercise) {
	ctx := t.Context()
	hold := func(id string) Session {
		return Session{ID: id, SHA256: "hash of " + id, Address: "192.0.2.1", Agent: "Browser"}
	}
	sessions := func() (ids string) {
		t.Helper()
		all, err := x.s.Sessions(ctx)
		x.ok(err)
		for _, s := range all {
			ids += s.ID + ";"
		}
		return ids
	}
	owner, err := x.s.Owner(ctx)
	x.ok(err)
	x.same(owner.Password, "")
	x.code(x.s.UseLink(ctx, "code", "p1", hold("a")), access.CodeLinkInvalid)

	// OC-03: the link is good once, and until it expires.
	begin := x.clock.Now()
	x.ok(x.s.OfferLink(ctx, "code", begin.Add(15*time.Minute), false))
	for now, want := range map[time.Time]bool{begin: true, begin.Add(15*time.Minute - 1): true, begin.Add(15 * time.Minute): false} {
		open, err := x.s.LinkOpen(ctx, "code", now)
		x.ok(err)
		x.same(open, want)
	}
	x.code(x.s.UseLink(ctx, "other", "p1", hold("a")), access.CodeLinkInvalid)
	x.ok(x.s.UseLink(ctx, "code", "p1", hold("a")))
	x.code(x.s.UseLink(ctx, "code", "p2", hold("b")), access.CodeLinkInvalid)
	x.ok(x.s.OfferLink(ctx, "late", begin.Add(15*time.Minute), false))
	x.clock.forward(15 * time.Minute)
	x.code(x.s.UseLink(ctx, "late", "p2", hold("b")), access.CodeLinkInvalid)
	owner, err = x.s.Owner(ctx)
	x.ok(err)
	x.same(owner.Password, "p1")

	// OC-04: sessions slide, end by themselves and by a new password.
	x.ok(x.s.OpenSession(ctx, hold("b"), time.Time{}, time.Time{}))
	x.clock.forward(access.UsedEvery)
	x.ok(x.s.SessionUsed(ctx, "a"))
	x.same(sessions(), "a;b;")
	found, err := x.s.SessionOf(ctx, "hash of a")
	x.ok(err)
	x.same([]any{found.ID, found.Address, found.Agent, found.Used, found.Created}, []any{"a", "192.0.2.1", "Browser", x.clock.Now().UTC(), begin.UTC()})
	found, err = x.s.SessionOf(ctx, "a")
	x.ok(err)
	x.same(found, (*Session)(nil))
	x.ok(x.s.OpenSession(ctx, hold("c"), time.Time{}, x.clock.Now())) // b was used before
	x.same(sessions(), "a;c;")
	changed, err := x.s.ChangePassword(ctx, "not p1", "p2", "a")
	x.ok(err)
	x.same(changed, false)
	x.ok(x.s.OfferLink(ctx, "open", x.clock.Now().Add(time.Hour), false))
	changed, err = x.s.ChangePassword(ctx, "p1", "p2", "a")
	x.ok(err)
	x.same(changed, true)
	x.same(sessions(), "a;")
	x.code(x.s.UseLink(ctx, "open", "p3", hold("d")), access.CodeLinkInvalid)
	had, err := x.s.EndSession(ctx, "a")
	x.ok(err)
	x.same(had, true)
	had, err = x.s.EndSession(ctx, "a")
	x.ok(err)
	x.same(had, false)

	// OC-03.2: a reset ends the password and all sessions.
	x.ok(x.s.OpenSession(ctx, hold("e"), time.Time{}, time.Time{}))
	x.ok(x.s.OfferLink(ctx, "reset", x.clock.Now().Add(time.Hour), true))
	x.same(sessions(), "")
	owner, err = x.s.Owner(ctx)
	x.ok(err)
	x.same(owner.Password, "")

	// OC-06: tokens are found by their hash until they are revoked.
	expires := x.clock.Now().Add(time.Hour).UTC()
	x.ok(x.s.NewToken(ctx, Token{ID: "t1", SHA256: "hash of t1", Name: "backup", Scope: "read", Expires: expires}))
	token, err := x.s.TokenOf(ctx, "hash of t1")
	x.ok(err)
	x.same(*token, Token{ID: "t1", SHA256: "hash of t1", Name: "backup", Scope: "read", Created: x.clock.Now().UTC(), Expires: expires})
	x.clock.forward(access.UsedEvery)
	x.ok(x.s.TokenUsed(ctx, "t1"))
	all, err := x.s.Tokens(ctx)
	x.ok(err)
	x.same(all[0].Used, x.clock.Now().UTC())
	callers, err := x.s.Callers(ctx)
	x.ok(err)
	x.same(callers, []string{"t1"})
	had, err = x.s.RevokeToken(ctx, "t1")
	x.ok(err)
	x.same(had, true)
	callers, err = x.s.Callers(ctx)
	x.ok(err)
	x.same(callers, []string(nil))
	token, err = x.s.TokenOf(ctx, "hash of t1")
	x.ok(err)
	x.same(token, (*Token)(nil))
}
