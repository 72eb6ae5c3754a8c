package ownerapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/storage"
)

// pushes has an app push a request for the notes of "mine", and returns its address.
func pushes(b *bed) string {
	b.Helper()
	conn, err := b.store.Connection(b.Context(), "mine")
	b.ok(err)
	d := &desk.Desk{Store: b.store, Now: b.clock.Now, Random: b.owner.Random}
	details, err := json.Marshal([]object{{
		"type": grant.Type, "source": object{"id": declaration.SourceOf(conn.PinnedManifest).ID}, "purpose_code": "https://example.org/why", "access_mode": "continuous",
		"streams": []object{{"name": "notes", "resources": []string{"a/b"}}}, "retention": object{"max_duration": "P1D", "on_expiry": "delete"},
		"client_claims": object{"commitments": []string{"We sell nothing."}},
	}})
	b.ok(err)
	pushed, err := d.Push(b.Context(), desk.Ask{ClientID: desk.PreRegistered, Details: details})
	b.ok(err)
	return pushed.URI
}

// wants has an app push that and wait, and returns the request and what the app polls with.
func wants(b *bed) (request, polling string) {
	b.Helper()
	uri := pushes(b)
	d := &desk.Desk{Store: b.store, Now: b.clock.Now, Random: b.owner.Random}
	a, err := d.Connect(b.Context(), desk.Waiting{ClientID: desk.PreRegistered, URI: uri})
	b.ok(err)
	kept, err := d.Find(b.Context(), uri)
	b.ok(err)
	return kept.ID, a.Polling
}

// revisionOf is that of a review of the connection mine.
func revisionOf(b *bed, request string) string {
	b.Helper()
	r, err := grants.Review(b.Context(), b.owner, request, grant.Choices{Connections: []string{"mine"}})
	b.ok(err)
	return r.Revision
}

// grantOf approves a request and returns its grant.
func grantOf(b *bed, request string) string {
	b.Helper()
	made, err := grants.Approve(b.Context(), b.owner, grants.Approval{RequestID: request, Revision: revisionOf(b, request)})
	b.ok(err)
	return made.GrantID
}

// RD-02.4: the token of an app is told that it may not ask here, and an unknown one that it is
// unknown.
func TestAnAppMayNotAskHere(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	request, polling := wants(b)
	grantOf(b, request)
	d := &desk.Desk{Store: b.store, Now: b.clock.Now, Random: b.owner.Random}
	b.api.Client = d.Knows
	token, err := d.Poll(b.Context(), polling)
	b.ok(err)
	for secret, want := range map[string]string{token.Token: "permission_error", token.Token + "x": "tokens.refused"} {
		status := map[string]int{"permission_error": 403, "tokens.refused": 401}[want]
		b.want(want, b.send(b.request("GET", "/v1/owner/status", "", "Authorization", "Bearer "+secret)), status, want)
	}
}

// RD-42, RD-43.2, RD-54: a program of the owner's looks, reviews, approves once and revokes by
// the API, with an event for each; a token that only reads decides nothing.
func TestGrantsByTheAPI(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	request, polling := wants(b)
	path := "/v1/owner/grant-requests/" + request
	for _, act := range []string{"/review", "/approve", "/deny"} {
		b.want("a token that reads: "+act, b.asks(read, "POST", path+act, `{}`), 403, string(access.CodeScope))
	}
	b.want("choices beside the approval", b.asks(manage, "POST", path+"/approve", `{"approval_review_revision":"x","expires":"1d"}`), 400, "invalid_request")
	b.want("an approval of nothing that was shown", b.asks(manage, "POST", path+"/approve", `{"approval_review_revision":"x"}`), 409, string(grants.CodeApproval))
	b.want("a choice that is not there", b.asks(manage, "POST", path+"/review", `{"streams":[{"name":"none"}]}`), 422, string(grants.CodeChoice))
	reviewed := b.asks(manage, "POST", path+"/review", `{"expires":"1d"}`)
	if got := reviewed.member("would_get"); !strings.Contains(got, "one record that the app names") || !strings.Contains(got, `"mine"`) {
		t.Errorf("the review: got %s, want its words", reviewed.body)
	}
	approval := fmt.Sprintf(`{"approval_review_revision":%s}`, reviewed.member("approval_review_revision"))
	made := b.asks(manage, "POST", path+"/approve", approval)
	if made.status != 201 || made.member("token") != "" {
		t.Errorf("the approval: got %d %s, want a grant, and its token for the app alone", made.status, made.body)
	}
	if got, want := b.audited(), "grants.approve done token"; got != want {
		t.Errorf("the audit event: got %q, want %q", got, want)
	}
	d := &desk.Desk{Store: b.store, Now: b.clock.Now, Random: b.owner.Random}
	answer, err := d.Poll(b.Context(), polling)
	b.ok(err)
	id := strings.Trim(made.member("grant_id"), `"`)
	if answer.GrantID != id {
		t.Errorf("the app got the grant %s, want %s", answer.GrantID, id)
	}
	readUp(b, id, answer.Token)
	b.want("a grant that there is none of", b.asks(read, "GET", "/v1/owner/grants/none", ""), 404, string(grants.CodeUnknown))
	b.want("the revocation", b.asks(manage, "DELETE", "/v1/owner/grants/"+id, ""), 200, "")
	if got, want := b.audited(), "grants.revoke done token"; got != want {
		t.Errorf("the audit event: got %q, want %q", got, want)
	}
	if _, err := d.Admit(b.Context(), answer.Token); err == nil {
		t.Error("the token of a revoked grant is admitted, want it refused")
	}
}

// readUp holds what is told of a grant, and of what was read by it, against what was (RD-54).
func readUp(b *bed, id, token string) {
	b.Helper()
	now := b.clock.Now()
	one := storage.Disclosure{At: now, RequestID: "req", TokenID: "t", GrantID: id, ClientID: "c", Route: "/v1/streams", Records: map[string]int64{"notes": 3}, Bytes: 9, Status: 200}
	earlier, refused, owners := one, one, one
	earlier.At, earlier.Records = now.AddDate(0, 0, -1), map[string]int64{"notes": 2}
	refused.Status, refused.Code, refused.Records = 403, "field_not_granted", nil
	owners.GrantID, owners.ClientID = "", ""
	b.ok(b.store.Disclose(b.Context(), []storage.Disclosure{earlier, one, one, refused, owners}))
	shown := b.asks(read, "GET", "/v1/owner/grants/"+id, "")
	days := fmt.Sprintf(`[{"date":"%s","reads":1,"record_count":2},{"date":"%s","reads":2,"record_count":6}]`, earlier.At.UTC().Format(time.DateOnly), now.UTC().Format(time.DateOnly))
	for name, want := range map[string]string{"records_read": "8", "token_count": "1", "days": days, "last_read_at": `"` + now.UTC().Format(time.RFC3339Nano) + `"`} {
		if got := shown.member(name); got != want {
			b.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	g, err := b.store.GrantOf(b.Context(), id)
	b.ok(err)
	if got, want := shown.member("source_declaration_sha256"), `"`+g.Declaration+`"`; got != want || len(got) != 66 {
		b.Errorf("the digest: got %s, want %s", got, want)
	}
	if got := shown.member("approval_review"); got != string(g.Review) || len(got) < 10 {
		b.Errorf("the review: got %s, want %s", got, g.Review)
	}
	if strings.Contains(shown.body, token) {
		b.Error("the grant shows its token, want it nowhere")
	}
	for path, want := range map[string]int{"/disclosures": 5, "/disclosures?grant_id=" + id: 4, "/disclosures?grant_id=" + id + "&limit=1": 1, "/grants/" + id + "/reads": 4} {
		if got := strings.Count(b.asks(read, "GET", "/v1/owner"+path, "").member("data"), `"request_id"`); got != want {
			b.Errorf("%s: got %d reads, want %d", path, got, want)
		}
	}
	if got := b.asks(read, "GET", "/v1/owner/disclosures?grant_id="+id+"&limit=1", "").member("data"); !strings.Contains(got, `"code":"field_not_granted"`) || !strings.Contains(got, `"grant_id":"`+id) {
		b.Errorf("the newest read: got %s, want the refused one", got)
	}
	b.want("the reads of no grant", b.asks(read, "GET", "/v1/owner/disclosures?grant_id=none", ""), 404, string(grants.CodeUnknown))
	for query, want := range map[string]int{"": 1, "?client_id=" + g.ClientID: 1, "?client_id=none": 0, "?state=holds": 1, "?state=revoked": 0, "?state=holds&client_id=none": 0} {
		if got := strings.Count(b.asks(read, "GET", "/v1/owner/grants"+query, "").member("data"), `"grant_id":"`+id); (got > 0) != (want > 0) {
			b.Errorf("grants%s: got %d, want %d", query, got, want)
		}
	}
}
