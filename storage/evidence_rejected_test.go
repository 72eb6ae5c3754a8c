package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// HL-29.2: what a run said against the credentials stands until a run gets in, another
// is refused over them, or the owner leaves new ones: a run that was killed said
// nothing of them.
func TestARejectionStands(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	failed := func(code string) Outcome {
		return Outcome{Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: code}}
	}
	dead := func(n *NewRun) { n.HolderAlive = func(string) bool { return false } }
	for name, c := range map[string]struct {
		then   func(x *exercise, c *Connection)
		reason health.Word // "": it does not stand
	}{
		"nothing since": {func(*exercise, *Connection) {}, "demo_auth_failed"},
		"a run was killed": {func(x *exercise, _ *Connection) {
			x.begin("c", allStreams)
			x.begin("c", allStreams, dead)
			x.begin("c", allStreams, dead, func(n *NewRun) { n.Holder = "gone" })
		}, "demo_auth_failed"},
		"and another failed besides": {func(x *exercise, _ *Connection) {
			x.begin("c", allStreams)
			x.ok(x.begin("c", allStreams, dead).Finish(ctx, failed("demo_http_500")))
		}, "demo_auth_failed"},
		"its owner stopped the next": {func(x *exercise, _ *Connection) {
			x.ok(x.begin("c", allStreams).Finish(ctx, Outcome{Status: "cancelled", Reason: "owner_cancelled"}))
		}, "demo_auth_failed"},
		"another rejection": {func(x *exercise, _ *Connection) {
			x.ok(x.begin("c", allStreams).Finish(ctx, failed("demo_token_expired")))
			x.begin("c", allStreams)
			x.begin("c", allStreams, dead, func(n *NewRun) { n.Holder = "gone" })
		}, "demo_token_expired"},
		"new ones": {func(x *exercise, c *Connection) {
			x.ok(x.s.PutCredentials(ctx, c.ID, map[string][]byte{"token": {2}}))
			x.begin("c", allStreams)
			x.begin("c", allStreams, dead, func(n *NewRun) { n.Holder = "gone" })
		}, ""},
		"a run of one stream got in": {func(x *exercise, _ *Connection) {
			x.succeed(x.begin("c", onlyStream("a")), func(o *Outcome) { o.Narrowed = true })
			x.begin("c", allStreams)
			x.begin("c", allStreams, dead, func(n *NewRun) { n.Holder = "gone" })
		}, ""},
		"a run that failed got all of a stream": {func(x *exercise, _ *Connection) {
			o := failed(string(abi.ReasonStreamCollectionFailed))
			o.KnownGaps = []byte(`[{"kind":"skip","stream":"b","severity":"transient","reason":"stream_collection_failed"}]`)
			x.ok(x.begin("c", allStreams).Finish(ctx, o))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, conn := kept(t, keptManifest)
			x.ok(x.s.PutCredentials(ctx, conn.ID, map[string][]byte{"token": {1}}))
			x.clock.forward(time.Minute)
			x.succeed(x.begin("c", allStreams), nil)
			x.ok(x.begin("c", allStreams).Finish(ctx, failed("demo_auth_failed")))
			x.clock.forward(time.Minute)
			c.then(x, conn)
			v := x.verdict("c")
			var said health.Word
			if len(v.RequiredActions) > 0 && v.RequiredActions[0].Kind == verdict.Reauth {
				said = v.RequiredActions[0].Reason
			}
			if loud := v.Pill.Tone == verdict.Red && v.Channel == verdict.Attention; said != c.reason || loud != (c.reason != "") {
				t.Errorf("got %+v %s %+v, want red and attention where there is a reason, and that reason", v.Pill, v.Channel, v.RequiredActions)
			}
			x.sound()
		})
	}
}

// One device's sign-in says nothing about another's.
func TestARejectionIsOfItsDevice(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	failed := func(code string) func(*device.RunCommit) {
		return func(c *device.RunCommit) {
			c.StateDelta, c.Outcome.Status, c.Outcome.Reason = nil, tables.StatusFailed, "connector_reported_failed"
			c.Outcome.Error = []byte(`{"code":"` + code + `"}`)
		}
	}
	signIn := func() bool {
		v := x.verdict("laptop")
		return len(v.RequiredActions) > 0 && v.RequiredActions[0].Kind == verdict.Reauth
	}
	first := x.enrolled("laptop")
	x.commit(first, x.commitOf("r1", failed("demo_auth_failed")))
	x.commit(first, x.commitOf("r2", failed("demo_http_500")))
	if !signIn() {
		t.Error("its device failed besides, and it is forgotten")
	}
	x.clock.forward(time.Minute)
	second := x.enrolledAgain("laptop")
	if signIn() {
		t.Error("another device has taken over")
	}
	x.commit(second, x.commitOf("r3", failed("demo_http_500")))
	if signIn() {
		t.Error("the other failed over something else")
	}
	x.sound()
}

// AC-10: a failure that only its owner can put right is no promise that another run fetches what is
// missing.
func TestAFailureOfTheOwners(t *testing.T) {
	t.Parallel()
	for said, want := range map[RunError]verdict.Code{
		{Code: "demo_export_of_another", RecoveryHint: "retry_by_runtime"}:                        "cta_retry_gap",
		{Code: "demo_export_of_another", RecoveryHint: "manual_action_required"}:                  "cta_put_right_gap",
		{Code: "demo_auth_failed", RecoveryHint: "manual_action_required"}:                        "cta_sign_in",
		{Code: "demo_export_of_another", RecoveryHint: "manual_action_required", Submitted: true}: "cta_put_right_sign_in",
	} {
		x, _ := kept(t, keptManifest)
		x.ok(x.begin("c", allStreams).Finish(t.Context(), Outcome{
			Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &said,
		}))
		if v := x.verdict("c"); len(v.RequiredActions) == 0 || v.RequiredActions[0].CTACode != want {
			t.Errorf("%+v: got %+v, want %s", said, v.RequiredActions, want)
		}
		x.sound()
	}
}

// AC-11: a credential that the service refused just after it had renewed it is told apart.
func TestARenewedCredentialRefused(t *testing.T) {
	t.Parallel()
	for cause, want := range map[abi.Cause]verdict.Code{"": "cta_reauth", abi.CauseRenewedRefused: "cta_renewed_refused", abi.CauseNoAnswer: "cta_reauth"} {
		x, conn := kept(t, keptManifest)
		x.ok(x.s.PutCredentials(t.Context(), conn.ID, map[string][]byte{"token": {1}}))
		x.clock.forward(time.Minute)
		x.ok(x.begin("c", allStreams).Finish(t.Context(), Outcome{
			Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_auth_failed", Cause: cause},
		}))
		if v := x.verdict("c"); len(v.RequiredActions) == 0 || v.RequiredActions[0].CTACode != want {
			t.Errorf("%q: got %+v, want %s", cause, v.RequiredActions, want)
		}
		x.sound()
	}
}
