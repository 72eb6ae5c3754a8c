package storage

import (
	"testing"
	"time"
)

// exerciseRedeem: a code is good for one set of tokens, a refresh token for the next one, and
// neither for a grant that has ended; what was superseded stays known (RD-45.2, RD-47.2).
func exerciseRedeem(t *testing.T, x *exercise) {
	ctx := t.Context()
	x.asked("one", func(n *GrantRequest) {
		n.Flow, n.Issuer, n.Redirect, n.ClientState, n.Challenge, n.Resource = FlowCode, "http://localhost", "https://app.example/", "s", "c", ResourceMCP
	})
	_, err := x.s.AwaitGrant(ctx, "uri of one", "c", "poll", "tok", "X")
	x.code(err, CodeRequestWaited) // its owner's browser brings the answer
	give := Redemption{
		RequestID: "one", Token: &GrantToken{ID: "gtk_1", SHA256: "token 1", Expires: x.clock.Now().Add(10 * time.Minute)},
		Refresh: &RefreshToken{SHA256: "refresh 1", Expires: x.clock.Now().Add(30 * time.Minute)},
	}
	x.code(x.s.Redeem(ctx, give), CodeRedeemRefused) // nobody has approved it
	x.ok(x.s.KeepReview(ctx, "one", "", "r1", []byte("{}")))
	a := x.approval("one", nil)
	a.Code, a.CodeExpires = "code", x.clock.Now().Add(time.Minute)
	awaited, err := x.s.ApproveGrant(ctx, a)
	x.ok(err)
	tokens, err := x.s.GrantTokens(ctx)
	x.ok(err)
	x.same([]any{awaited, len(tokens)}, []any{true, 0})
	r, err := x.s.GrantRequestOf(ctx, RequestByCode, "code")
	x.ok(err)
	x.same([]any{r.ID, r.Flow, r.Issuer, r.Redirect, r.ClientState, r.Challenge, r.Resource, r.CodeExpires.UTC()}, []any{"one", FlowCode, "http://localhost", "https://app.example/", "s", "c", ResourceMCP, a.CodeExpires.UTC()})
	renewed, err := x.s.RenewCode(ctx, "one", "code 2")
	x.ok(err)
	x.same(renewed, true)
	x.ok(x.s.Redeem(ctx, give))
	x.code(x.s.Redeem(ctx, give), CodeReplayed)
	x.ok(x.s.GrantTokenUsed(ctx, "gtk_1"))
	used := x.clock.Now()
	renewed, err = x.s.RenewCode(ctx, "one", "code 3")
	x.ok(err)
	x.same(renewed, false) // it was used

	next := func(n, token string, life time.Duration) (GrantToken, RefreshToken) {
		return GrantToken{ID: "gtk_" + n, SHA256: token, Expires: x.clock.Now().Add(life)}, RefreshToken{SHA256: "refresh " + n, Expires: x.clock.Now().Add(30 * time.Minute)}
	}
	x.clock.forward(11 * time.Minute)
	token, refresh := next("2", "token 2", 10*time.Minute)
	x.code(x.s.Refresh(ctx, "none", token, refresh), CodeRedeemRefused)
	x.ok(x.s.Refresh(ctx, "refresh 1", token, refresh))
	other, another := next("3", "token 3", 10*time.Minute)
	x.clock.forward(RepeatWithin)
	x.ok(x.s.Refresh(ctx, "refresh 1", other, another)) // the answer with refresh 2 was lost
	tokens, err = x.s.GrantTokens(ctx)
	x.ok(err)
	x.same([]any{len(tokens), tokens[0].SHA256, tokens[0].Used.UTC()}, []any{1, "token 3", used.UTC()}) // what has expired goes, and not when it was used
	for hash, want := range map[string]int64{"refresh 1": 0, "refresh 2": 1, "refresh 3": 1} {
		got, g, err := x.s.RefreshTokenOf(ctx, hash)
		x.ok(err)
		x.same([]any{got.Generation, got.Superseded.IsZero(), g.ID}, []any{want, hash == "refresh 3", "grt_one"})
	}
	other, another = next("4", "token 4", 10*time.Minute)
	x.code(x.s.Refresh(ctx, "refresh 2", other, another), CodeReplayed) // it was not lost
	x.clock.forward(time.Microsecond)
	x.code(x.s.Refresh(ctx, "refresh 1", other, another), CodeReplayed) // too late
	x.clock.forward(30 * time.Minute)
	x.code(x.s.Refresh(ctx, "refresh 3", other, another), CodeRedeemRefused) // too old
	x.code(x.s.Refresh(ctx, "refresh 4", other, another), CodeRedeemRefused)

	// A grant that has ended gives nothing.
	x.asked("two", func(n *GrantRequest) { n.Flow = FlowCode })
	x.ok(x.s.KeepReview(ctx, "two", "", "r1", []byte("{}")))
	ended := x.approval("two", nil)
	ended.Code, ended.CodeExpires = "code of two", x.clock.Now().Add(time.Minute)
	_, err = x.s.ApproveGrant(ctx, ended)
	x.ok(err)
	_, err = x.s.RevokeGrant(ctx, "grt_two")
	x.ok(err)
	give.RequestID, give.Token.ID, give.Token.SHA256, give.Refresh.SHA256 = "two", "gtk_9", "token 9", "refresh 9"
	x.code(x.s.Redeem(ctx, give), CodeRedeemRefused)
	got, _, err := x.s.RefreshTokenOf(ctx, "refresh 9")
	x.ok(err)
	x.same(got, (*RefreshToken)(nil))
}

// exerciseUserCodes: an owner types the code of a device that waits; ten that are wrong
// within an hour end it (RD-46.1). A request is not approved before.
func exerciseUserCodes(t *testing.T, x *exercise) {
	ctx := t.Context()
	typed := func(code string) error {
		_, err := x.s.TypeUserCode(ctx, code, 2, time.Hour)
		return err
	}
	x.asked("one", func(n *GrantRequest) { n.Flow, n.UserCode, n.Polling = FlowDevice, "user code", "device" })
	x.asked("two", func(n *GrantRequest) { n.Flow, n.UserCode, n.Polling = FlowOwner, "another", "device 2" })
	x.ok(x.s.KeepReview(ctx, "one", "device", "r1", []byte("{}")))
	_, err := x.s.ApproveGrant(ctx, x.approval("one", nil))
	x.code(err, CodeUserCodeNeeded)
	x.code(x.s.ApproveOwnerToken(ctx, "two", []byte(`{"scope":"read"}`)), CodeUserCodeNeeded)
	x.code(typed("wrong"), CodeUserCode)
	r, err := x.s.TypeUserCode(ctx, "user code", 2, time.Hour)
	x.ok(err)
	x.same([]any{r.ID, r.Typed.UTC()}, []any{"one", x.clock.Now().UTC()})
	x.ok(typed("another"))
	x.code(x.s.ApproveOwnerToken(ctx, "one", nil), CodeApprovalConflict)
	x.code(typed("wrong"), CodeUserCode)
	x.code(typed("user code"), CodeUserCodes) // no more are looked at
	_, err = x.s.ApproveGrant(ctx, x.approval("one", nil))
	x.ok(err)
	_, err = x.s.ApproveGrant(ctx, x.approval("two", nil))
	x.code(err, CodeApprovalConflict)
	x.ok(x.s.ApproveOwnerToken(ctx, "two", []byte(`{"scope":"read"}`)))
	x.code(x.s.ApproveOwnerToken(ctx, "two", nil), CodeRequestDecided)
	x.ok(x.s.Redeem(ctx, Redemption{RequestID: "two", Owner: &Token{ID: "tok_1", SHA256: "owner's", Name: "A TV", Scope: "read", Expires: x.clock.Now().Add(time.Hour)}}))
	x.code(x.s.Redeem(ctx, Redemption{RequestID: "two", Owner: &Token{ID: "tok_2", SHA256: "owner's 2", Name: "A TV", Scope: "read"}}), CodeReplayed)
	all, err := x.s.Tokens(ctx)
	x.ok(err)
	x.same([]any{len(all), all[0].ID}, []any{1, "tok_1"})
	exerciseWithdrawn(t, x)
	x.clock.forward(time.Hour)
	x.code(typed("user code"), CodeUserCode) // it was decided, and its time is over
}

// exerciseWithdrawn: an approval that was withdrawn gives no token, and ends one that was fetched; a token of a grant ends alone.
func exerciseWithdrawn(t *testing.T, x *exercise) {
	ctx := t.Context()
	for _, id := range []string{"tv", "fetched"} {
		x.asked(id, func(n *GrantRequest) { n.Flow, n.UserCode, n.Polling = FlowOwner, "code of "+id, "device of "+id })
		_, err := x.s.TypeUserCode(ctx, "code of "+id, 3, time.Hour)
		x.ok(err)
		x.code(x.s.WithdrawOwnerToken(ctx, id), CodeRequestUnknown) // nobody has approved it
		x.ok(x.s.ApproveOwnerToken(ctx, id, []byte(`{"scope":"manage"}`)))
	}
	redeem := func(id string) error {
		return x.s.Redeem(ctx, Redemption{RequestID: id, Shown: "device of " + id, Owner: &Token{ID: "tok_" + id, SHA256: "owner's of " + id, Name: "A TV", Scope: "manage", Expires: x.clock.Now().Add(time.Hour)}})
	}
	x.ok(redeem("fetched"))
	waits, err := x.s.UnfetchedOwnerTokens(ctx)
	x.ok(err)
	x.same([]any{len(waits), waits[0].ID}, []any{1, "tv"})
	for _, id := range []string{"tv", "fetched"} {
		x.ok(x.s.WithdrawOwnerToken(ctx, id))
		x.code(redeem(id), CodeRedeemRefused)
	}
	all, err := x.s.Tokens(ctx)
	x.ok(err)
	x.same([]any{len(all), all[0].ID}, []any{1, "tok_1"})

	x.ok(x.s.AddGrantToken(ctx, GrantToken{ID: "gtk_more", SHA256: "one more", GrantID: "grt_one", Expires: x.clock.Now().Add(time.Hour)}))
	added, err := x.s.AddedGrantTokens(ctx)
	x.ok(err)
	x.same([]any{added[0].ID, added[0].GrantID}, []any{"gtk_more", "grt_one"})
	for _, want := range []bool{true, false} {
		had, err := x.s.RevokeGrantToken(ctx, "gtk_more")
		x.ok(err)
		x.same(had, want)
	}
	token, _, err := x.s.GrantByToken(ctx, "one more")
	x.ok(err)
	x.same(token == nil, true)
}
