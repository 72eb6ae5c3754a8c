package made_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/made"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

// Things that a thief made by a session are listed by whom and from where, and end. Older ones stay, and so does the
// caller's own session.
func TestWhatWasMadeEnds(t *testing.T) {
	t.Parallel()
	h, ctx := served.New(t), t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	makes := func(o *owner.Owner, name string) string {
		t.Helper()
		x, err := access.CreateToken(ctx, o, access.NewToken{Name: name, Scope: access.ScopeManage})
		ok(err)
		return x.ID
	}
	before := makes(h.Owner, "before")
	since := time.Now()
	mine := h.Server.Asks(h.Browser(t, "ses_mine"))
	thief := h.Server.Asks(h.Browser(t, "ses_thief"))
	token := makes(thief, "thief")
	channel, err := notifications.Add(ctx, thief, notifications.NewChannel{Name: "thief's phone", Address: notifications.Address{Service: "https://ntfy.sh/thief"}})
	ok(err)
	all, err := made.Since(ctx, mine, since)
	ok(err)
	got := map[string]made.Thing{}
	for _, x := range all {
		got[x.ID] = x
	}
	for _, id := range []string{token, channel.ID} {
		if x := got[id]; x.By != owner.BrowserSession || x.ByID != "ses_thief" || x.Address != "192.0.2.7" {
			t.Errorf("%s: got %+v, want it by the session ses_thief from 192.0.2.7", id, x)
		}
	}
	if _, listed := got[before]; listed || len(all) != 4 || !got["ses_mine"].Current {
		t.Errorf("got %+v, want what was made since then: a token, a channel and two sessions", all)
	}
	if _, err := made.End(ctx, mine, since, []string{channel.ID, before}); abi.CodeOf(err) != made.CodeUnknown {
		t.Errorf("got %v, want a refusal of what was made before", err)
	}
	ended, err := made.End(ctx, mine, since, []string{channel.ID})
	if err != nil || len(ended) != 1 || ended[0].Code != "" {
		t.Errorf("got %+v, %v, want the channel ended alone", ended, err)
	}
	ended, err = made.EndAll(ctx, mine, since)
	if err != nil || len(ended) != 2 {
		t.Errorf("got %+v, %v, want the token and the thief's session ended", ended, err)
	}
	left, err := made.Since(ctx, mine, time.Time{})
	ok(err)
	var ids []string
	for _, x := range left {
		ids = append(ids, x.ID)
	}
	if want := "ses_mine," + before; len(ids) != 2 || strings.Join(ids, ",") != want {
		t.Errorf("got %v left, want %s", ids, want)
	}
	if _, err := access.CreateToken(ctx, thief, access.NewToken{Name: "again", Scope: access.ScopeRead}); abi.CodeOf(err) != access.CodeSignedOut {
		t.Errorf("the thief's session: got %v, want it signed out", err)
	}
	events, err := h.Owner.AuditEvents(ctx, owner.AuditQuery{ActorID: "ses_mine"})
	ok(err)
	var did []string
	for _, e := range events.Events {
		did = append(did, e.Operation)
	}
	if want := "owner.end_session,tokens.revoke,notifications.remove"; strings.Join(did, ",") != want {
		t.Errorf("the events: got %v, want %s", did, want)
	}
}
