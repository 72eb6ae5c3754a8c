package ownerapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// RD-42, RD-42.1, RD-43: a program of the owner's reviews, approves and refuses at the protocol's paths,
// with the protocol's codes. Nobody else does: not by a token that reads, and not without one.
func TestConsentByTheProtocol(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	uri := pushes(b)
	sent := func(more string) string { return `{"request_uri":"` + uri + `"` + more + `}` }
	for _, path := range []string{pathReview, pathApprove, pathDeny} {
		b.want("a token that reads: "+path, b.asks(read, "POST", path, sent("")), 403, string(access.CodeScope))
		b.want("nobody: "+path, b.send(b.request("POST", path, sent(""))), 401, "authentication_error")
		b.want("another request: "+path, b.asks(manage, "POST", path, `{"request_uri":"urn:pdpp:pending-consent:none"}`), 400, "invalid_request")
		b.want("a page of another origin: "+path, b.asks(manage, "POST", path, sent(""), "Origin", "https://evil.example"), 403, "web.foreign_request")
	}
	b.want("another subject", b.asks(manage, "POST", pathReview, sent(`,"subject_id":"somebody"`)), 400, "invalid_request")
	for _, choice := range []string{`{"optional_streams":["none"]}`, `{"instance_ids":{"none":["mine"]}}`, `{"instance_ids":{"notes":["none"]}}`, `{"instance_ids":{"notes":[]}}`, `{"expires_at":"soon"}`} {
		b.want("a choice that is not there: "+choice, b.asks(manage, "POST", pathReview, sent(`,"selections":`+choice)), 400, "invalid_request")
	}
	first := b.asks(manage, "POST", pathReview, sent(`,"subject_id":"owner_local","selections":{"instance_ids":{"notes":["mine"]},"expires_at":"1d"}`))
	if first.status != 200 || first.member("batch") != "false" || !strings.Contains(first.member("approval_review"), `"version":"reference.approval-review.v1"`) || first.member("request_uri") != `"`+uri+`"` {
		t.Fatalf("the review: got %d %s, want what would be given", first.status, first.body)
	}
	second := b.asks(manage, "POST", pathReview, sent(""))
	revision := func(a answer) string { return `,"approval_review_revision":` + a.member("approval_review_revision") }
	if revision(first) == revision(second) {
		t.Errorf("got the revision %s for two choices, want two (RD-42.2)", revision(first))
	}
	b.want("a stale revision", b.asks(manage, "POST", pathApprove, sent(revision(first))), 409, "approval_conflict")
	b.want("choices beside the approval", b.asks(manage, "POST", pathApprove, sent(revision(second)+`,"subject_id":"owner_local"`)), 400, "invalid_request")
	made := b.asks(manage, "POST", pathApprove, sent(revision(second)))
	if made.status != 200 || !strings.Contains(made.member("grant"), made.member("grant_id")) || !strings.HasPrefix(made.member("token"), `"pdpp_ct_`) {
		t.Errorf("the approval: got %d %s, want the grant and its token", made.status, made.body)
	}
	again := b.asks(manage, "POST", pathApprove, sent(revision(second)))
	if again.member("grant_id") != made.member("grant_id") || again.member("token") != "" {
		t.Errorf("the same approval: got %d %s, want the same grant and no token", again.status, again.body)
	}
	b.want("a decided request", b.asks(manage, "POST", pathDeny, sent("")), 409, "approval_conflict")
	uri = pushes(b)
	b.want("a refusal", b.asks(manage, "POST", pathDeny, sent("")), 200, "")
}

// RD-44.2: of a request that leaves it to its owner nothing is preselected; streams, fields,
// connections and time are chosen at the protocol's path as well, and what was reviewed is given.
func TestAnOpenRequestIsDecidedByTheProtocol(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	d := &desk.Desk{Store: b.store, Now: b.clock.Now, Random: b.owner.Random}
	waits, err := d.Connect(b.Context(), desk.Waiting{Name: "An app"})
	b.ok(err)
	reviews := func(selections string) answer {
		return b.asks(manage, "POST", pathReview, `{"request_uri":"`+waits.URI+`","selections":`+selections+`}`)
	}
	for _, missing := range []string{`{}`, `{"instance_ids":{"notes":["mine"]}}`, `{"optional_streams":["notes"]}`, `{"streams":[{"name":"notes"}]}`, `{"optional_streams":["notes"],"instance_ids":{"notes":["none"]}}`} {
		b.want("nothing is preselected: "+missing, reviews(missing), 400, "invalid_request")
	}
	if got := reviews(`{"optional_streams":["notes"],"instance_ids":{"notes":["mine"]}}`); got.status != 200 {
		t.Fatalf("a stream of a connection: got %d %s, want what would be given", got.status, got.body)
	}
	conn, err := b.store.Connection(b.Context(), "mine")
	b.ok(err)
	got := reviews(`{"streams":[{"name":"notes","fields":["id"]}],"instance_ids":{"notes":["mine"]},"expires_at":"1d"}`)
	if want := `[{"name":"notes","instance_ids":["` + conn.ID + `"],"fields":["id"]}]`; !strings.Contains(got.body, `"resolved_streams":`+want) {
		t.Fatalf("got %d %s, want the streams %s", got.status, got.body, want)
	}
	made := b.asks(manage, "POST", pathApprove, `{"request_uri":"`+waits.URI+`","approval_review_revision":`+got.member("approval_review_revision")+`}`)
	b.want("the approval", made, 200, "")
	b.clock.forward(desk.Interval)
	if a, err := d.Poll(b.Context(), waits.Polling); err != nil || a.Token == "" || `"`+a.GrantID+`"` != made.member("grant_id") {
		t.Errorf("got %+v, %v, want the token of the grant %s for the app that waits", a, err, made.member("grant_id"))
	}
}

// RD-39.3: the owner removes an app at the path where it registered, with all that it was granted.
func TestAClientIsRemovedWhereItRegistered(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	d := &desk.Desk{Store: b.store, Now: b.clock.Now, Random: b.owner.Random}
	c, err := d.Register(b.Context(), desk.NewClient{Name: "An app"})
	b.ok(err)
	path := "/oauth/register/" + c.ID
	b.want("a token that reads", b.asks(read, "DELETE", path, ""), 403, string(access.CodeScope))
	if got := b.asks(manage, "DELETE", path, ""); got.status != 204 || got.body != "" {
		t.Errorf("got %d %q, want 204 and nothing", got.status, got.body)
	}
	b.want("again", b.asks(manage, "DELETE", path, ""), 404, "grants.client_unknown")
	if got, want := b.audited(), fmt.Sprintf("clients.remove done %s", "token"); got != want {
		t.Errorf("got the audit event %q, want %q", got, want)
	}
}
