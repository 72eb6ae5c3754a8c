package storage

import (
	"fmt"
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
	open := func(password string, n Session, used time.Time) {
		t.Helper()
		for _, p := range []string{"another", password} {
			ok, err := x.s.OpenSession(ctx, p, n, time.Time{}, used)
			x.ok(err)
			x.same(ok, p == password)
		}
	}
	owner, err := x.s.Owner(ctx)
	x.ok(err)
	x.same(owner.Password, "")
	x.code(x.s.UseLink(ctx, "code", "p1", nil, hold("a")), access.CodeLinkInvalid)

	// OC-03: the link is good once, and until it expires.
	begin := x.clock.Now()
	x.ok(x.s.OfferLink(ctx, "code", begin.Add(15*time.Minute), false))
	for now, want := range map[time.Time]bool{begin: true, begin.Add(15*time.Minute - 1): true, begin.Add(15 * time.Minute): false} {
		open, err := x.s.LinkOpen(ctx, "code", now)
		x.ok(err)
		x.same(open, want)
	}
	x.code(x.s.UseLink(ctx, "other", "p1", nil, hold("a")), access.CodeLinkInvalid)
	x.ok(x.s.UseLink(ctx, "code", "p1", nil, hold("a")))
	x.code(x.s.UseLink(ctx, "code", "p2", nil, hold("b")), access.CodeLinkInvalid)
	x.ok(x.s.OfferLink(ctx, "late", begin.Add(15*time.Minute), false))
	x.clock.forward(15 * time.Minute)
	x.code(x.s.UseLink(ctx, "late", "p2", nil, hold("b")), access.CodeLinkInvalid)
	owner, err = x.s.Owner(ctx)
	x.ok(err)
	x.same(owner.Password, "p1")

	// OC-04: sessions slide, end by themselves and by a new password.
	open("p1", hold("b"), time.Time{})
	x.clock.forward(access.UsedEvery)
	x.ok(x.s.SessionUsed(ctx, "a"))
	x.same(sessions(), "a;b;")
	found, err := x.s.SessionOf(ctx, "hash of a")
	x.ok(err)
	x.same([]any{found.ID, found.Address, found.Agent, found.Used, found.Created}, []any{"a", "192.0.2.1", "Browser", x.clock.Now().UTC(), begin.UTC()})
	found, err = x.s.SessionOf(ctx, "a")
	x.ok(err)
	x.same(found, (*Session)(nil))
	open("p1", hold("c"), x.clock.Now()) // b was used before
	x.same(sessions(), "a;c;")
	changed, err := x.s.ChangePassword(ctx, "not p1", "p2", "a")
	x.ok(err)
	x.same(changed, false)
	x.ok(x.s.OfferLink(ctx, "open", x.clock.Now().Add(time.Hour), false))
	changed, err = x.s.ChangePassword(ctx, "p1", "p2", "a")
	x.ok(err)
	x.same(changed, true)
	x.same(sessions(), "a;")
	x.code(x.s.UseLink(ctx, "open", "p3", nil, hold("d")), access.CodeLinkInvalid)
	had, err := x.s.EndSession(ctx, "a")
	x.ok(err)
	x.same(had, true)
	had, err = x.s.EndSession(ctx, "a")
	x.ok(err)
	x.same(had, false)

	// OC-03.2: a reset ends the password and all sessions.
	open("p2", hold("e"), time.Time{})
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
	by, _ := WithAudit(ctx, AuditEvent{Actor: "token", ActorID: "t1", Operation: "tokens.revoke", Subject: "t1", Outcome: "done"}, 0)
	had, err = x.s.RevokeToken(by, "t1") // it may end itself
	x.ok(err)
	x.same(had, true)
	late, _ := WithAudit(ctx, AuditEvent{Actor: "token", ActorID: "t1", Operation: "tokens.create", Subject: "t2", Outcome: "done"}, 0)
	x.code(x.s.NewToken(late, Token{ID: "t2", SHA256: "hash of t2", Name: "late", Scope: "read", Expires: expires}), access.CodeSignedOut)
	callers, err = x.s.Callers(ctx)
	x.ok(err)
	x.same(callers, []string(nil))
	token, err = x.s.TokenOf(ctx, "hash of t1")
	x.ok(err)
	x.same(token, (*Token)(nil))
}

// exercisePasskeys: a passkey is kept once, opens sessions while its counter goes up, and
// ends them with itself; the last way to sign in stays (OC-03).
func exercisePasskeys(t *testing.T, x *exercise) {
	ctx := t.Context()
	hold := func(id string) Session { return Session{ID: id, SHA256: "hash of " + id} }
	key := func(n int) *Passkey {
		return &Passkey{ID: fmt.Sprintf("pk%02d", n), Credential: []byte{0, 255, byte(n)}, PublicKey: []byte("public\x00\xff"), Party: "localhost", Name: "laptop", Flags: 0x5d}
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
	never := time.Time{}
	begin := x.clock.Now()
	x.ok(x.s.OfferLink(ctx, "code", begin.Add(time.Minute), false))
	x.ok(x.s.UseLink(ctx, "code", "", key(1), hold("a")))
	owner, err := x.s.Owner(ctx)
	x.ok(err)
	x.same([]any{owner.Password, owner.Passkeys, owner.Claimed()}, []any{"", true, true})
	found, err := x.s.PasskeyOf(ctx, []byte{0, 255, 1})
	x.ok(err)
	want := key(1)
	want.Created = begin.UTC()
	x.same(*found, *want)
	found, err = x.s.PasskeyOf(ctx, []byte{0, 255})
	x.ok(err)
	x.same(found, (*Passkey)(nil))
	x.code(x.s.AddPasskey(ctx, key(1)), access.CodePasskeyKnown)
	x.code(x.s.RemovePasskey(ctx, "pk01", "a"), access.CodePasskeyLast)
	x.code(x.s.RemovePasskey(ctx, "pk02", "a"), access.CodePasskeyUnknown)

	// A new session takes the place of the one that its browser had.
	next := hold("next")
	next.Former = "u0"
	x.ok(x.s.OpenSessionBy(ctx, "pk01", 0, hold("u0"), never, never))
	x.ok(x.s.OpenSessionBy(ctx, "pk01", 0, next, never, never))
	former, err := x.s.SessionOf(ctx, "hash of u0")
	x.ok(err)
	x.same(former, (*Session)(nil))

	// The counter of a device goes up, or stays 0 where it has none.
	for i, uses := range []uint32{0, 0, 7, 8} {
		x.ok(x.s.OpenSessionBy(ctx, "pk01", uses, hold(fmt.Sprint("u", i)), never, never))
	}
	x.clock.forward(time.Second)
	for _, uses := range []uint32{0, 7, 8} {
		x.code(x.s.OpenSessionBy(ctx, "pk01", uses, hold("copy"), never, never), access.CodePasskeyCopied)
	}
	x.code(x.s.OpenSessionBy(ctx, "pk02", 1, hold("gone"), never, never), access.CodePasskeyUnknown)
	found, err = x.s.PasskeyOf(ctx, []byte{0, 255, 1})
	x.ok(err)
	x.same([]any{found.Uses, found.Used}, []any{uint32(8), begin.UTC()})

	for n := 2; n <= access.MostPasskeys; n++ {
		x.ok(x.s.AddPasskey(ctx, key(n)))
	}
	x.code(x.s.AddPasskey(ctx, key(access.MostPasskeys+1)), access.CodePasskeysFull)
	x.ok(x.s.RemovePasskey(ctx, "pk01", "a"))
	x.same(sessions(), "a;")
	all, err := x.s.Passkeys(ctx)
	x.ok(err)
	x.same([]any{len(all), all[0].ID}, []any{access.MostPasskeys - 1, "pk02"})

	// OC-03.2: a reset ends the passkeys as well; the last one goes where there is a password.
	x.ok(x.s.OfferLink(ctx, "reset", x.clock.Now().Add(time.Minute), true))
	owner, err = x.s.Owner(ctx)
	x.ok(err)
	x.same([]any{owner.Claimed(), sessions()}, []any{false, ""})
	x.ok(x.s.UseLink(ctx, "reset", "p", nil, hold("b")))
	x.ok(x.s.AddPasskey(ctx, key(1)))
	x.ok(x.s.RemovePasskey(ctx, "pk01", ""))
	x.same(sessions(), "")
}
