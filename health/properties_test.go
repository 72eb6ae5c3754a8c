package health_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/health"
)

// Invariant 7 and HL-21.2: equal evidence gives equal snapshots, in any order of
// calls, and the evidence is left as it was.
func TestProjectIsPure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e, other := drawEvidence(t, anyWord), drawEvidence(t, anyWord)
		before := encode(t, e)
		first := health.Project(e)
		health.Project(other)
		if second := health.Project(e); !reflect.DeepEqual(first, second) {
			t.Fatalf("health.Project(e): got %+v\n%+v, want reflect.DeepEqual(first, second)", first, second)
		}
		if after := encode(t, e); after != before {
			t.Fatalf("the evidence changed:\n%s\n%s", before, after)
		}
	})
}

// Every snapshot is whole: one condition a type in order, ids that exist, known
// words only.
func TestSnapshotIsWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := health.Project(drawEvidence(t, anyWord))
		ids := make(map[string]bool)
		for i, c := range s.Conditions {
			ids[c.ID] = true
			if c.Type != health.Types[i] || c.ID != string(c.Type)+":"+string(c.Reason) || c.Reason == "" || c.Message == "" || c.Origin == "" ||
				c.Severity == "" || c.Sensitivity == "" || c.Status != health.True && c.Status != health.False && c.Status != health.Unknown {
				t.Fatalf("condition %d: %+v", i, c)
			}
		}
		if s.DominantConditionID != "" && !ids[string(s.DominantConditionID)] {
			t.Fatalf(`dominant %q is none of the conditions, want s.DominantConditionID == "" || ids[string(s.DominantConditionID)]`, s.DominantConditionID)
		}
		for _, id := range s.SupportingConditionIDs {
			if !ids[id] {
				t.Fatalf("%q is none of the conditions, want ids[id]", id)
			}
		}
		if s.State == health.StateNeedsAttention && s.NextAction == nil || s.State != health.StateNeedsAttention && s.NextAction != nil {
			t.Fatalf("%s with next action %+v, want (s.State != health.StateNeedsAttention || s.NextAction != nil) && (s.State == health.StateNeedsAttention || s.NextAction == nil)", s.State, s.NextAction)
		}
	})
}

// Invariant 8: healthy is said only of what is known to be: collected, complete
// and fresh, with nothing in the way.
func TestHealthyIsProven(t *testing.T) {
	t.Parallel()
	drawn, well := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		e := drawNearlyWell(t)
		s := health.Project(e)
		if s.State != health.StateHealthy {
			return
		}
		well++
		for _, c := range s.Conditions {
			switch c.Type {
			case health.CollectionSucceeded, health.SourceCoverageComplete, health.Fresh, health.ProjectionReliable, health.AttentionClear, health.RetryPolicyClear:
				if c.Status != health.True {
					t.Fatalf("healthy with %s %s, want %v", c.ID, c.Status, health.True)
				}
			default:
				if c.Status == health.False && c.Severity != health.Info {
					t.Fatalf("healthy with %s, want c.Status != health.False || c.Severity == health.Info", c.ID)
				}
			}
		}
		if e.Run == nil && (!e.LocalDeviceBacked || s.Axes.Outbox != health.OutboxIdle) {
			t.Fatal("healthy without any collection")
		}
		if o := e.Outbox; e.LocalDeviceBacked && o != nil { // HL-14
			if c := o.Counts; c != nil && (nonNegative(c.DeadLetter) || nonNegative(c.StaleLeases)) {
				t.Fatalf("healthy with %+v, want c == nil || !told(c.DeadLetter) && !told(c.StaleLeases)", c)
			}
			if o.Left && s.Axes.Outbox != health.OutboxActive {
				t.Fatalf("healthy with work left on an outbox that is %s, want !o.Left || s.Axes.Outbox == health.OutboxActive", s.Axes.Outbox)
			}
		}
	})
	if drawn >= 100 && well < fewestWell {
		t.Errorf("got %d healthy of %d, want %d or more", well, drawn, fewestWell)
	}
}

func nonNegative(n *int64) bool { return n != nil && *n > 0 }

// HL-02.1: no secret leaves, whatever field it came in by.
func TestNoSecretLeaves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret, text := drawSecret(t)
		e := drawEvidence(t, func(*rapid.T) health.Word { return health.Word(text) })
		e.CollectionRate = nil // the host's own, passed through
		if out := encode(t, health.Project(e)); strings.Contains(strings.ToLower(out), strings.ToLower(secret)) {
			t.Fatalf("%q of %q stands in %s, want !strings.Contains(strings.ToLower(out), strings.ToLower(secret))", secret, text, out)
		}
	})
}

// HL-02.2, HL-04.1: expired or superseded evidence has no effect, except on the
// condition that reports it.
func TestExpiryAndSupersession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := drawEvidence(t, anyWord)
		e.ObservedAt = drawnNow
		e.Attention = drawAttention(t, anyWord)
		e.Attention.ExpiresAt = drawnNow
		e.Backoff = drawBackoff(t, anyWord)
		if rapid.Bool().Draw(t, "superseded") {
			e.Run = &health.Run{LatestStatus: health.RunSucceeded, LastSuccessAt: drawnNow}
			e.Backoff.RecordedAt = drawnNow
		} else {
			e.Backoff.NextRunAt = drawnNow
		}
		without := e
		without.Attention, without.Backoff = nil, nil
		a, b := health.Project(e), health.Project(without)
		if a.State != b.State || a.ReasonCode != b.ReasonCode || a.Axes != b.Axes || a.DominantConditionID != b.DominantConditionID ||
			a.ForwardDisposition != b.ForwardDisposition || a.NextAttemptAt != b.NextAttemptAt {
			t.Fatalf("with the expired request and back-off: got %+v, want what it is without them:\n%+v", a, b)
		}
	})
}

// HL-19.1: the backlog moves nothing, least of all that a connection is well.
func TestBacklogMovesNothing(t *testing.T) {
	t.Parallel()
	drawn, well := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		e := drawNearlyWell(t)
		with := health.Project(e)
		e.DetailGaps = nil
		without := health.Project(e)
		if b := with.DetailGapBacklog; without.State == health.StateHealthy && b != nil && b.Pending > 0 && b.PendingOther > 0 {
			well++
		}
		with.DetailGapBacklog = nil
		if !reflect.DeepEqual(with, without) {
			t.Fatalf("got %+v\n%+v, want reflect.DeepEqual(with, without)", with, without)
		}
	})
	if drawn >= 100 && well < fewestWell {
		t.Errorf("got %d healthy with a backlog of %d, want %d or more", well, drawn, fewestWell)
	}
}

// HL-14.3: with a run that ended, a device's evidence proves nothing.
func TestRunDecides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := drawEvidence(t, anyWord)
		e.Run = &health.Run{LatestStatus: health.RunFailed}
		e.LocalDeviceBacked = true
		if s := health.Project(e); s.State == health.StateHealthy || s.Conditions[4].Status != health.False {
			t.Fatalf("health.Project(e): got %s, %+v, want s.State != health.StateHealthy && s.Conditions[4].Status == health.False", s.State, s.Conditions[4])
		}
	})
}

// HL-11.1, HL-11.2: only trusted sources count, and their order does not matter.
// HL-16.4: a stalled axis has a cause and no other axis does.
func TestOutboxRollup(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(drawHeartbeat), 0, 5).Draw(t, "rows")
		var trusted []health.Heartbeat
		for _, h := range rows {
			if h.DeviceStatus == "active" && h.SourceStatus == "active" && h.DeviceRevokedAt.IsZero() {
				trusted = append([]health.Heartbeat{h}, trusted...)
			}
		}
		all, some := health.OutboxAxis(rows, drawnNow, 30*time.Minute), health.OutboxAxis(trusted, drawnNow, 30*time.Minute)
		if !reflect.DeepEqual(all, some) || all.SourceCount != len(trusted) {
			t.Fatalf("got %+v\n%+v, want reflect.DeepEqual(all, some) && all.SourceCount == len(trusted)", all, some)
		}
		if (all.Cause != "") != (all.Axis == health.OutboxStalled) {
			t.Fatalf("cause %q on %s, want %v", all.Cause, all.Axis, (all.Axis == health.OutboxStalled))
		}
		if !reflect.DeepEqual(health.RollupOutboxCounts(rows), health.RollupOutboxCounts(trusted)) {
			t.Fatal("an untrusted source counts")
		}
	})
}

func encode(t *rapid.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
