package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// conditionOf returns the verdict's condition of a type.
func conditionOf(v *verdict.RenderedVerdict, of health.Type) (c health.Condition) {
	for _, c = range v.Detail.Conditions {
		if c.Type == of {
			break
		}
	}
	return c
}

// A run that fails does not make what was collected before it any older, and
// does not leave the connection green (Invariant 8, HL-23.2).
func TestFailedRunKeepsFreshness(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  Outcome
		want verdict.Tone
	}{
		"rejected":    {Outcome{Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_auth_failed", Message: "401"}}, verdict.Red},
		"unreachable": {Outcome{Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_http_500"}}, verdict.Amber},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, _ := kept(t, keptManifest)
			x.succeed(x.begin("c", allStreams), nil)
			x.clock.forward(time.Second)
			x.ok(x.begin("c", allStreams).Finish(t.Context(), c.end))
			v := x.verdict("c")
			if v.Pill.Tone != c.want || conditionOf(&v, health.Fresh).Status != health.True || conditionOf(&v, health.CollectionSucceeded).Status != health.False {
				t.Errorf("got %+v %+v %s, want %s, fresh, and a collection that failed", v.Pill, conditionOf(&v, health.Fresh), v.ForwardStatement, c.want)
			}
			if len(v.Annotations) != 1 || v.Annotations[0].Code != "last_successful_refresh" {
				t.Errorf("got %+v, want last_successful_refresh alone", v.Annotations)
			}
			if v.Streams[0].Coverage != health.CoveragePartial || v.Streams[0].Code != "not_in_full" {
				t.Errorf("got %+v, want partial, not_in_full", v.Streams[0])
			}
			// It ages from its last success all the same.
			x.clock.forward(8 * 24 * time.Hour)
			if v := x.verdict("c"); conditionOf(&v, health.Fresh).Status != health.False {
				t.Errorf("eight days later: got %+v, want %s", conditionOf(&v, health.Fresh), health.False)
			}
			x.sound()
		})
	}
}

// Where a failed run named the streams that failed, they alone did, and the
// others are as fresh as it; where it may have named more than is kept, all did.
func TestFailedStreamsAreNamed(t *testing.T) {
	t.Parallel()
	const named = `{"kind":"skip","stream":"b","severity":"recoverable","reason":"stream_collection_failed"}`
	for name, c := range map[string]struct {
		code, gaps string
		a          health.CoverageAxis
		refreshed  bool
	}{
		"named":               {string(abi.ReasonStreamCollectionFailed), "[" + named + "]", health.CoverageComplete, true},
		"of another failure":  {"demo_http_500", "[" + named + "]", health.CoveragePartial, false},
		"without a name":      {string(abi.ReasonStreamCollectionFailed), "[]", health.CoveragePartial, false},
		"with more than kept": {string(abi.ReasonStreamCollectionFailed), "[" + named + `,{"kind":"truncated","severity":"informational"}]`, health.CoveragePartial, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, _ := kept(t, keptManifest)
			x.succeed(x.begin("c", allStreams), nil)
			x.clock.forward(6 * 24 * time.Hour)
			x.ok(x.begin("c", allStreams).Finish(t.Context(), Outcome{
				Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: c.code}, KnownGaps: []byte(c.gaps),
			}))
			v := x.verdict("c")
			x.same([]any{v.Pill.Tone, v.Streams[0].Coverage, v.Streams[1].Coverage}, []any{verdict.Amber, c.a, health.CoveragePartial})
			if c.refreshed {
				x.same(conditionOf(&v, health.SourceCoverageComplete).Streams, []string{"b"})
			}
			// b has to be collected before the connection is green. Two days later what
			// the failed run did collect is still fresh.
			x.clock.forward(time.Hour)
			x.succeed(x.begin("c", onlyStream("b")), nil)
			x.tone("b", map[bool]verdict.Tone{true: verdict.Green, false: verdict.Amber}[c.refreshed])
			x.clock.forward(2 * 24 * time.Hour)
			v = x.verdict("c")
			x.same(conditionOf(&v, health.Fresh).Status, map[bool]health.Status{true: health.True, false: health.False}[c.refreshed])
			x.sound()
		})
	}
}

// Of a connection that never collected anything, nobody says that its data is
// old, nor of one whose run was cancelled that none has ended.
func TestNothingCollected(t *testing.T) {
	t.Parallel()
	failed := Outcome{Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_http_500"}}
	for name, end := range map[string]*Outcome{"new": nil, "cancelled": {Status: tables.StatusCancelled, Reason: "owner_cancelled"}, "failed": &failed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, c := kept(t, keptManifest)
			if end != nil {
				x.ok(x.begin("c", allStreams).Finish(t.Context(), *end))
			}
			v := x.verdict("c")
			if v.Pill.Tone == verdict.Green || len(v.Annotations) != 1 || v.Annotations[0].Code != "nothing_collected" {
				t.Errorf("got %+v %+v, want another than green, and nothing_collected alone", v.Pill, v.Annotations)
			}
			if got := conditionOf(&v, health.CollectionSucceeded); end != &failed && got.Message != "No run of this connection has succeeded or failed yet." {
				t.Errorf("got %+v, want that no run has succeeded or failed", got)
			}
			// Nothing is stored, so nothing of it was accepted.
			x.same(conditionOf(&v, health.CredentialsValid).Reason, health.Word("credentials_not_applicable"))
			x.succeed(x.begin("c", allStreams), nil)
			v = x.verdict("c")
			x.same([]any{v.Pill.Tone, conditionOf(&v, health.CredentialsValid).Status}, []any{verdict.Green, health.Unknown})
			x.ok(x.s.PutCredentials(t.Context(), c.ID, map[string][]byte{"token": {1}}))
			x.succeed(x.begin("c", allStreams), nil)
			v = x.verdict("c")
			x.same(conditionOf(&v, health.CredentialsValid).Reason, health.Word("credentials_accepted"))
			x.sound()
		})
	}
}
