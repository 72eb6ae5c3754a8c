package storage

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// asked keeps a request of client c that ends in ten minutes.
func (x *exercise) asked(id string, change ...func(*GrantRequest)) {
	x.Helper()
	n := GrantRequest{ID: id, URI: "uri of " + id, ClientID: "c", ClientName: "An app", From: FromOwner, Details: []byte(`[{"type":"t"}]`), Expires: x.clock.Now().Add(10 * time.Minute)}
	for _, c := range change {
		c(&n)
	}
	x.ok(x.s.NewGrantRequest(x.Context(), n, 50, 200))
}

// approval is one of the request id, as it was reviewed as "r1".
func (x *exercise) approval(id string, modules map[string]string) Approval {
	return Approval{
		Revision: "r1", Manifest: []byte(`{"m":1}`), Modules: modules,
		Grant: Grant{
			ID: "grt_" + id, RequestID: id, ClientID: "c", Document: []byte(`{"version":"0.1.0"}`), SHA256: "d", Review: []byte("{}"),
			Declaration: "m", Issued: x.clock.Now().UTC(), Expires: x.clock.Now().Add(time.Hour).UTC(),
		},
		Token: GrantToken{ID: "gt_" + id, SHA256: "token of " + id, Expires: x.clock.Now().Add(time.Hour).UTC()},
	}
}

// exerciseGrantRequests: a request is found by hashes, is bounded in number, waits for its
// time, and is decided once (RD-41.1, RD-43.1, RD-43.3).
func exerciseGrantRequests(t *testing.T, x *exercise) {
	ctx := t.Context()
	x.asked("one", func(n *GrantRequest) { n.Polling, n.Token, n.Code = "poll", "tok", "BCDF-GHJK" })
	x.asked("two")
	x.asked("three")
	for by, value := range map[string]string{RequestByID: "one", RequestByURI: "uri of one", RequestByPolling: "poll"} {
		r, err := x.s.GrantRequestOf(ctx, by, value)
		x.ok(err)
		x.same([]any{r.ID, r.Code, r.State, string(r.Details), r.Taken.IsZero()}, []any{"one", "BCDF-GHJK", RequestPending, `[{"type":"t"}]`, true})
		gone, err := x.s.GrantRequestOf(ctx, by, "other")
		x.ok(err)
		x.same(gone, (*GrantRequest)(nil))
	}
	fourth := GrantRequest{ID: "four", URI: "u4", ClientID: "c", Expires: x.clock.Now().Add(10 * time.Minute)}
	x.code(x.s.NewGrantRequest(ctx, fourth, 50, 3), CodeRequestsFull)

	// One client waits, and it is the one that asked.
	_, err := x.s.AwaitGrant(ctx, "uri of two", "another", "poll2", "tok2", "X")
	x.code(err, CodeRequestUnknown)
	r, err := x.s.AwaitGrant(ctx, "uri of two", "c", "poll2", "tok2", "X")
	x.ok(err)
	x.same(r.ID, "two")
	_, err = x.s.AwaitGrant(ctx, "uri of two", "c", "poll3", "tok3", "X")
	x.code(err, CodeRequestWaited)

	x.ok(x.s.DenyGrant(ctx, "two"))
	x.code(x.s.DenyGrant(ctx, "two"), CodeRequestDecided)
	x.code(x.s.KeepReview(ctx, "two", "poll2", "r1", nil), CodeRequestDecided)
	x.code(x.s.DenyGrant(ctx, "none"), CodeRequestUnknown)
	x.code(x.s.KeepReview(ctx, "three", "another's", "r1", nil), CodeApprovalConflict) // who waits is not who was shown
	x.ok(x.s.KeepReview(ctx, "three", "", "r1", []byte("{}")))
	_, err = x.s.AwaitGrant(ctx, "uri of three", "c", "poll3", "tok3", "X")
	x.code(err, CodeRequestReviewed)
	waiting := func(want ...any) {
		t.Helper()
		all, err := x.s.WaitingRequests(ctx)
		x.ok(err)
		got := []any{}
		for i := range all {
			got = append(got, all[i].ID)
			x.same([]string{all[i].Code, string(all[i].Details), string(all[i].Review)}, []string{map[string]string{"one": "BCDF-GHJK"}[all[i].ID], "", ""})
		}
		x.same(got, append([]any{}, want...))
	}
	waiting("one", "three")

	// After its time nothing can be decided any more: it waits no more, and is forgotten soon.
	x.clock.forward(10 * time.Minute)
	waiting()
	x.code(x.s.DenyGrant(ctx, "one"), CodeRequestExpired)
	x.code(x.s.KeepReview(ctx, "one", "poll", "r1", nil), CodeRequestExpired)
	_, err = x.s.AwaitGrant(ctx, "uri of three", "c", "poll3", "tok3", "X")
	x.code(err, CodeRequestExpired)
	_, err = x.s.ApproveGrant(ctx, x.approval("three", nil))
	x.code(err, CodeRequestExpired)
	kept := func(id string, want bool) {
		t.Helper()
		r, err := x.s.GrantRequestOf(ctx, RequestByID, id)
		x.ok(err)
		x.same(r != nil, want)
	}
	x.asked("five") // its client may ask late
	kept("three", true)
	x.clock.forward(10*time.Minute + time.Second)
	x.asked("six")
	kept("three", false)
	kept("two", true) // decided: a day
	x.clock.forward(25 * time.Hour)
	x.asked("seven")
	kept("two", false)
}

// exerciseApproval: only the last review can be approved, while its connections are as they
// were, and once; an approval leaves all that it is made of, or nothing (RD-43.1, RD-43.3,
// RD-43.4).
func exerciseApproval(t *testing.T, x *exercise) {
	ctx := t.Context()
	conn := x.connection("mine")
	fits := map[string]string{conn.ID: conn.PinnedSHA256}
	nothing := func() {
		t.Helper()
		grants, err := x.s.Grants(ctx)
		x.ok(err)
		tokens, err := x.s.GrantTokens(ctx)
		x.ok(err)
		events, err := x.s.AuditEvents(ctx, AuditQuery{})
		x.ok(err)
		x.same([]int{len(grants), len(tokens), len(events)}, []int{0, 0, 0})
	}
	approve := func(a Approval, want abi.Code) {
		t.Helper()
		by, _ := WithAudit(ctx, AuditEvent{Actor: "session", Operation: "grants.approve", Subject: a.Grant.ID, Outcome: "done"}, 0)
		_, err := x.s.ApproveGrant(by, a)
		x.code(err, want)
		nothing()
	}
	x.asked("one")
	approve(x.approval("one", fits), CodeApprovalConflict) // nobody looked at it
	x.ok(x.s.KeepReview(ctx, "one", "", "r2", []byte("{}")))
	approve(x.approval("one", fits), CodeApprovalConflict) // something else was shown since
	x.ok(x.s.KeepReview(ctx, "one", "", "r1", []byte("{}")))
	approve(x.approval("one", map[string]string{conn.ID: "another module"}), CodeApprovalConflict)
	approve(x.approval("one", map[string]string{"gone": ""}), CodeApprovalConflict)
	approve(x.approval("none", fits), CodeRequestUnknown)
	silent := x.approval("one", fits)
	silent.Token.SHA256 = ""
	approve(silent, CodeNobodyWaits)
	by, _ := WithAudit(ctx, AuditEvent{Actor: "session", ActorID: "ended", Operation: "grants.approve", Outcome: "done"}, 0)
	_, err := x.s.ApproveGrant(by, x.approval("one", fits))
	x.code(err, CodeSignedOut)
	nothing()

	// Of many at once one is made.
	var wg sync.WaitGroup
	made := make(chan bool, 8)
	for i := range 8 {
		wg.Go(func() {
			a := x.approval("one", fits)
			a.Grant.ID, a.Token.ID, a.Token.SHA256 = fmt.Sprint("grt_", i), fmt.Sprint("gt_", i), fmt.Sprint("hash ", i)
			_, err := x.s.ApproveGrant(ctx, a)
			if err != nil && abi.CodeOf(err) != CodeRequestDecided {
				t.Errorf("got %v, want %s", err, CodeRequestDecided)
			}
			made <- err == nil
		})
	}
	wg.Wait()
	close(made)
	n := 0
	for ok := range made {
		if ok {
			n++
		}
	}
	grants, err := x.s.Grants(ctx)
	x.ok(err)
	tokens, err := x.s.GrantTokens(ctx)
	x.ok(err)
	x.same([]int{n, len(grants), len(tokens)}, []int{1, 1, 1})
	x.same(tokens[0].GrantID, grants[0].ID)
	r, err := x.s.GrantRequestOf(ctx, RequestByID, "one")
	x.ok(err)
	x.same([]any{r.State, r.GrantID}, []any{RequestApproved, grants[0].ID})
	x.code(x.s.DenyGrant(ctx, "one"), CodeRequestDecided)
}

// exerciseDenyGrants: the requests that an owner has seen are refused at once, of one client or of all; the audit event
// says how many. One that came later, was decided or is over is left as it is (RD-43.3).
func exerciseDenyGrants(t *testing.T, x *exercise) {
	ctx := t.Context()
	x.asked("over", func(n *GrantRequest) { n.Expires = x.clock.Now().Add(time.Second) })
	x.clock.forward(time.Second)
	of := func(client string) func(*GrantRequest) { return func(n *GrantRequest) { n.ClientID = client } }
	x.asked("refused", of("a"))
	x.ok(x.s.DenyGrant(ctx, "refused"))
	for _, id := range []string{"a1", "a2", "b1"} {
		x.clock.forward(time.Second)
		x.asked(id, of(id[:1]))
	}
	seen := x.clock.Now()
	x.clock.forward(time.Microsecond)
	x.asked("a3", of("a"))
	denies := func(client string, until time.Time, closed int, subject string, waiting ...string) {
		t.Helper()
		by, _ := WithAudit(ctx, AuditEvent{Actor: "session", Operation: "grants.deny_all", Subject: "all", Outcome: "done"}, 0)
		n, err := x.s.DenyGrants(by, client, until)
		x.ok(err)
		events, err := x.s.AuditEvents(ctx, AuditQuery{Limit: 1})
		x.ok(err)
		all, err := x.s.WaitingRequests(ctx)
		x.ok(err)
		var waits []string
		for i := range all {
			waits = append(waits, all[i].ID)
		}
		x.same([]any{n, events[0].Subject, waits}, []any{closed, subject, waiting})
	}
	denies("none", seen, 0, "all 0", "a3", "b1", "a2", "a1")
	denies("a", seen.Add(-2*time.Second), 1, "all 1", "a3", "b1", "a2")
	denies("a", seen, 1, "all 1", "a3", "b1")
	denies("", seen, 1, "all 1", "a3")
	x.asked("b2", of("b"))
	n, err := x.s.DenyGrants(ctx, "", x.clock.Now()) // without an event
	x.ok(err)
	x.same(n, 2)
	for id, state := range map[string]string{"over": RequestPending, "refused": RequestDenied, "a1": RequestDenied, "b2": RequestDenied} {
		r, err := x.s.GrantRequestOf(ctx, RequestByID, id)
		x.ok(err)
		x.same([]any{r.State, r.Decided.IsZero()}, []any{state, state == RequestPending})
	}
}

// exerciseGiveWay: what strangers have a store keep gives way by address, the oldest of whoever has most, and neither
// what the owner has looked at nor who has a use (RD-39.2, RD-41).
func exerciseGiveWay(t *testing.T, x *exercise) {
	ctx := t.Context()
	ask := func(id, client, from string) error {
		x.clock.forward(time.Second)
		return x.s.NewGrantRequest(ctx, GrantRequest{ID: id, URI: "u " + id, ClientID: client, From: from, Expires: x.clock.Now().Add(10 * time.Minute)}, 3, 5)
	}
	waits := func(want ...string) {
		x.Helper()
		all, err := x.s.WaitingRequests(ctx)
		x.ok(err)
		var got []string
		for _, one := range slices.Backward(all) {
			got = append(got, one.ID)
		}
		x.same(got, want)
	}
	x.ok(ask("a1", "c1", "A"))
	x.ok(ask("b1", "c2", "B"))
	x.ok(ask("b2", "c3", "B"))
	x.ok(ask("b3", "c3", "B"))
	x.ok(ask("b4", "c4", "B")) // three of one address: of those of B the oldest of c3, which has most
	waits("a1", "b1", "b3", "b4")
	x.ok(ask("d1", "c5", "D"))
	x.ok(ask("d2", "c5", "D")) // five in all: the oldest of B
	waits("a1", "b3", "b4", "d1", "d2")
	x.ok(x.s.KeepReview(ctx, "b3", "", "r", nil))
	x.ok(ask("e1", "c5", "E")) // B and D have two: the oldest of the client that has most
	waits("a1", "b3", "b4", "d2", "e1")
	x.ok(ask("f1", "c5", "F")) // the one of B that its owner has not looked at
	waits("a1", "b3", "d2", "e1", "f1")
	for _, id := range []string{"a1", "d2", "e1", "f1"} {
		x.ok(x.s.KeepReview(ctx, id, "", "r", nil))
	}
	x.code(ask("g1", "c9", "G"), CodeRequestsFull)

	known := func(want ...string) {
		x.Helper()
		all, err := x.s.Clients(ctx)
		x.ok(err)
		var got []string
		for _, one := range slices.Backward(all) {
			got = append(got, one.ID)
		}
		x.same(got, want)
	}
	for _, c := range []Client{{ID: "c1", From: "A"}, {ID: "i1", From: "A"}, {ID: "i2", From: "B"}, {ID: "i3", From: "B"}, {ID: "i4", From: "C"}} {
		x.clock.forward(time.Second)
		x.ok(x.s.NewClient(ctx, c, time.Hour, 4))
	}
	known("c1", "i1", "i3", "i4") // c1 asks
	x.ok(x.s.DenyGrant(ctx, "a1"))
	x.clock.forward(time.Second)
	x.ok(x.s.NewClient(ctx, Client{ID: "i5", From: "C"}, time.Hour, 4))
	known("i1", "i3", "i4", "i5")

	x.clock.forward(10 * time.Minute)
	x.ok(ask("o1", "c1", FromOwner))
	x.ok(ask("o2", "c2", FromOwner))
	x.ok(ask("u1", "c3", "")) // nobody said from where: a stranger's
	x.ok(ask("u2", "c4", ""))
	x.ok(ask("u3", "c5", ""))
	x.ok(ask("h1", "c6", "H"))
	waits("o1", "o2", "u2", "u3", "h1")
	x.ok(ask("o3", "c7", FromOwner))
	x.ok(ask("o4", "c8", FromOwner)) // the bound by address is not for its owner
	waits("o1", "o2", "h1", "o3", "o4")

	for _, c := range []struct{ honest, format string }{{"203.0.113.1/32", "198.18.%d.1/32"}, {"2001:db8::/64", "2001:db9:%d::/64"}} {
		x.clock.forward(10 * time.Minute)
		x.ok(ask("p"+c.honest, "pdpp_cli", c.honest)) // whose client anybody can name
		var want []string
		for i := range 7 {
			id := "s" + fmt.Sprintf(c.format, i)
			x.ok(ask(id, "pdpp_cli", id[1:])) // each has one: those of one large network go first
			want = append(want, id)
		}
		waits(append([]string{"p" + c.honest}, want[len(want)-4:]...)...)
	}

	for _, c := range []struct {
		id, from string
		want     []string
	}{
		{"o1", FromOwner, []string{"i1", "i3", "i5", "o1"}},
		{"o2", FromOwner, []string{"i3", "i5", "o1", "o2"}},
		{"o3", FromOwner, []string{"i5", "o1", "o2", "o3"}},
		{"i6", "D", []string{"o1", "o2", "o3", "i6"}},
		{"i7", "D", []string{"o1", "o2", "o3", "i7"}},
		{"o4", FromOwner, []string{"o1", "o2", "o3", "o4"}},
		{"i8", "D", []string{"o2", "o3", "o4", "i8"}}, // the owner's go last
	} {
		x.clock.forward(time.Second)
		x.ok(x.s.NewClient(ctx, Client{ID: c.id, From: c.from}, time.Hour, 4))
		known(c.want...)
	}
}

// exerciseGrants: a grant is found by its token's hash until the end of time, with when it
// was revoked (RD-36.2, RD-48.3), beside the whole declaration that it was read by (RD-32.1). Clients without a request or a grant go in time (RD-39.2).
func exerciseGrants(t *testing.T, x *exercise) {
	ctx := t.Context()
	x.ok(x.s.NewClient(ctx, Client{ID: "c", Name: "An app"}, time.Hour, 2))
	x.asked("first")
	x.clock.forward(time.Second)
	x.ok(x.s.NewClient(ctx, Client{ID: "older"}, time.Hour, 2))
	x.code(x.s.NewClient(ctx, Client{ID: "none"}, time.Hour, 1), CodeClientsFull) // while all ask
	x.clock.forward(time.Second)
	x.ok(x.s.NewClient(ctx, Client{ID: "idle", Name: "Another"}, time.Hour, 2))
	for id, want := range map[string]bool{"c": true, "older": false, "idle": true, "none": false} { // the oldest that asks for nothing gives way
		c, err := x.s.ClientOf(ctx, id)
		x.ok(err)
		x.same(c != nil, want)
	}
	x.asked("one", func(n *GrantRequest) { n.Polling, n.Token = "poll", "awaited" })
	x.ok(x.s.KeepReview(ctx, "one", "poll", "r1", []byte(`{"shown":1}`)))
	a := x.approval("one", nil)
	awaited, err := x.s.ApproveGrant(ctx, a)
	x.ok(err)
	x.same(awaited, true)
	for hash, want := range map[string]bool{"awaited": true, "token of one": false, "gt_one": false, "": false} {
		token, grant, err := x.s.GrantByToken(ctx, hash)
		x.ok(err)
		x.same(token != nil && grant != nil, want)
	}
	token, grant, err := x.s.GrantByToken(ctx, "awaited")
	x.ok(err)
	x.same(*token, GrantToken{ID: "gt_one", SHA256: "awaited", GrantID: "grt_one", Created: x.clock.Now().UTC(), Expires: a.Token.Expires})
	x.same(*grant, a.Grant)
	var declared string
	x.ok(x.s.db.Read.QueryRowContext(ctx, "SELECT manifest FROM declarations WHERE sha256 = ?", grant.Declaration).Scan(&declared))
	x.same(declared, string(a.Manifest))

	first, err := x.s.TakeGrant(ctx, "one")
	x.ok(err)
	x.clock.forward(time.Minute)
	again, err := x.s.TakeGrant(ctx, "one")
	x.ok(err)
	x.same(again.UTC(), first.UTC())
	x.ok(x.s.GrantTokenUsed(ctx, "gt_one"))
	token, _, err = x.s.GrantByToken(ctx, "awaited")
	x.ok(err)
	x.same(token.Used, x.clock.Now().UTC())

	for _, want := range []bool{true, false} {
		held, err := x.s.RevokeGrant(ctx, "grt_one")
		x.ok(err)
		x.same(held, want)
		x.clock.forward(time.Minute)
	}
	_, grant, err = x.s.GrantByToken(ctx, "awaited")
	x.ok(err)
	x.same(grant.Revoked, x.clock.Now().Add(-2*time.Minute).UTC())
	_, err = x.s.RevokeGrant(ctx, "none")
	x.code(err, CodeGrantUnknown)
	_, err = x.s.GrantOf(ctx, "none")
	x.code(err, CodeGrantUnknown)

	x.clock.forward(time.Hour)
	x.ok(x.s.NewClient(ctx, Client{ID: "third"}, time.Hour, 2))
	for id, want := range map[string]bool{"c": true, "idle": false, "third": true} {
		c, err := x.s.ClientOf(ctx, id)
		x.ok(err)
		x.same(c != nil, want)
	}
}
