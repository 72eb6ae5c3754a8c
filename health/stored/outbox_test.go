package stored_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// ran is fed after a run of the device that collected everything.
func ran() *stored.Facts {
	s := fed()
	run := &stored.Run{ID: "r", Status: "succeeded", StartedUS: heardAt.Add(-time.Hour).UnixMicro(), EndedUS: heardAt.UnixMicro(), Device: "dev_1"}
	s.Latest, s.Settled, s.Succeeded = run, run, run
	s.CollectedUS = map[string]int64{"a": run.EndedUS}
	s.Device.Sources[0].Device = "dev_1"
	return s
}

func verdictAt(s *stored.Facts, when time.Time) verdict.RenderedVerdict {
	return verdict.OfStored(s, stored.Moment{Now: health.At(when)}, true)
}

func TestRanIsHealthy(t *testing.T) {
	t.Parallel()
	if v := verdictAt(ran(), heardAt.Add(time.Minute)); v.Pill.Tone != verdict.Green {
		t.Fatalf("what the cases begin with: %+v, want %v", v.Pill, verdict.Green)
	}
}

// HL-14.4, HL-16.2: work that a device gave up stays given up until the device reports
// otherwise, whatever its later status.
func TestDeadLettersAreNotForgotten(t *testing.T) {
	t.Parallel()
	for _, status := range []health.Word{"blocked", "starting", "retrying", "healthy", "stopped", "other"} {
		for _, ago := range []time.Duration{time.Minute, health.StaleHeartbeat - time.Minute, health.StaleHeartbeat + time.Minute, 20 * time.Hour} {
			for name, s := range map[string]*stored.Facts{"with a run": ran(), "with none": fed()} {
				t.Run(fmt.Sprintf("%s, %s %v ago", name, status, ago), func(t *testing.T) {
					t.Parallel()
					two := int64(2)
					src := &s.Device.Sources[0]
					src.Status, src.Outbox.DeadLetter = status, &two
					v := verdictAt(s, heardAt.Add(ago))
					if v.Pill.Tone == verdict.Green || v.Channel != verdict.Attention || v.RequiredActions[0].Remediation == nil ||
						v.RequiredActions[0].Remediation.Cause != string(health.CauseDeadLetterBacklog) {
						t.Errorf("got %+v %s %+v %q, want attention and the recovery of what was given up", v.Pill, v.Channel, v.RequiredActions, v.ForwardStatement)
					}
				})
			}
		}
	}
}

// HL-14: abandoned work, and work in an unknown state, is not healthy, even after a
// successful run.
func TestStuckWorkBesideASuccess(t *testing.T) {
	t.Parallel()
	one := int64(1)
	for name, change := range map[string]func(src *stored.Source){
		"a stale lease, idle":    func(src *stored.Source) { src.Outbox.StaleLeases = &one },
		"a stale lease, at work": func(src *stored.Source) { src.Status, src.Outbox.StaleLeases = "retrying", &one },
		"left, and quiet since": func(src *stored.Source) {
			src.Status, src.Outbox.BacklogOpen, src.HeardUS = "retrying", &one, us(-time.Hour)
		},
		"pending, from the future": func(src *stored.Source) { src.Pending, src.HeardUS = &one, us(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ran()
			change(&s.Device.Sources[0])
			snap := snapshotAt(s, heardAt)
			if v := verdictAt(s, heardAt); snap.State == health.StateHealthy || v.Pill.Tone == verdict.Green || v.ForwardCode == "complete" {
				t.Errorf(`verdictAt(s, heardAt): got %s %+v %+v %q, want snap.State != health.StateHealthy && v.Pill.Tone != verdict.Green && v.ForwardCode != "complete"`, snap.State, snap.Axes, v.Pill, v.ForwardStatement)
			}
		})
	}
	s := ran()
	s.Device.Sources[0].Pending, s.Device.Sources[0].Outbox.Pending = &one, &one
	if v := verdictAt(s, heardAt); v.Pill.Tone != verdict.Green || v.Detail.Axes.Outbox != health.OutboxActive {
		t.Errorf("what is on its way: %+v %+v, want v.Pill.Tone == verdict.Green && v.Detail.Axes.Outbox == health.OutboxActive", v.Pill, v.Detail.Axes)
	}
}

func us(after time.Duration) int64 { return heardAt.Add(after).UnixMicro() }

// A heartbeat dated further ahead than it could be old implies that the clock was set
// back: its age is unknown until its time is near enough.
func TestHeartbeatOfTheFuture(t *testing.T) {
	t.Parallel()
	one := int64(1)
	s := ran()
	src := &s.Device.Sources[0]
	src.Pending, src.Outbox.Pending = &one, &one
	src.HeardUS = us(400 * 24 * time.Hour)
	if v := verdictAt(s, heardAt); v.Detail.Axes.Outbox != health.OutboxUnknown || v.Pill.Tone == verdict.Green {
		t.Errorf("verdictAt(s, heardAt): got %+v %+v, want v.Detail.Axes.Outbox == health.OutboxUnknown && v.Pill.Tone != verdict.Green", v.Detail.Axes, v.Pill)
	}
	src.Status = "blocked"
	if v := verdictAt(s, heardAt); v.Detail.Axes.Outbox != health.OutboxStalled {
		t.Errorf("what is blocked is so at any time: %+v, want %v", v.Detail.Axes, health.OutboxStalled)
	}
	src.Status, src.HeardUS = "healthy", us(time.Hour)
	near := s.NextChange(health.At(heardAt))
	if want := heardAt.Add(time.Hour - health.StaleHeartbeat); !near.Equal(want) {
		t.Fatalf("near enough at %v, want %v", near, want)
	}
	for when, want := range map[time.Time]health.OutboxState{near.Add(-time.Microsecond): health.OutboxUnknown, near.Time: health.OutboxActive} {
		if got := snapshotAt(s, when).Axes.Outbox; got != want {
			t.Errorf("at %v: %s, want %s", when, got, want)
		}
	}
}

// Counts add up to the largest number there is, and to no negative one: two sources
// that give up records are never fewer than one.
func TestCountsDoNotOverflow(t *testing.T) {
	t.Parallel()
	most, one := int64(math.MaxInt64), int64(1)
	s := ran()
	src := &s.Device.Sources[0]
	src.Pending, src.Outbox.Pending, src.Outbox.DeadLetter = &most, &most, &most
	second := *src
	second.ID, second.Pending = "src_2", &one
	second.Outbox = &stored.Outbox{Pending: &one, DeadLetter: &one}
	s.Device.Sources = append(s.Device.Sources, second)
	o := s.Evidence(stored.Moment{Now: health.At(heardAt)}).Outbox
	if *o.Counts.DeadLetter != most || *o.Counts.Pending != most {
		t.Errorf("%d given up, %d pending, want *o.Counts.DeadLetter == most && *o.Counts.Pending == most", *o.Counts.DeadLetter, *o.Counts.Pending)
	}
	if v := verdictAt(s, heardAt); v.Pill.Tone != verdict.Red {
		t.Errorf("v.Pill.Tone: got %+v, want %v", v.Pill, verdict.Red)
	}
	beat := health.Heartbeat{DeviceStatus: "active", SourceStatus: "active", LastHeartbeatAt: health.At(heardAt), LastHeartbeatStatus: "healthy", RecordsPending: &most}
	if r := health.OutboxAxis([]health.Heartbeat{beat, beat}, health.At(heardAt), health.StaleHeartbeat); *r.RecordsPending != most {
		t.Errorf("%d pending, want %v", *r.RecordsPending, most)
	}
}

// HL-11.2: where no device is trusted any more the owner has to enrol one, and what
// the last one said is nothing to go by.
func TestDesertedWaitsForADevice(t *testing.T) {
	t.Parallel()
	s := ran()
	s.Device.Sources = nil
	snap := snapshotAt(s, heardAt)
	v := verdictAt(s, heardAt)
	if snap.State != health.StateNeedsAttention || snap.OutboxCounts != nil || v.Channel != verdict.Attention || v.ForwardCode != "enroll_device" {
		t.Errorf(`got %s %+v %s %s, want snap.State == health.StateNeedsAttention && snap.OutboxCounts == nil && v.Channel == verdict.Attention && v.ForwardCode == "enroll_device"`, snap.State, snap.OutboxCounts, v.Channel, v.ForwardCode)
	}
}

// HL-14.1: everything is delivered once the last source reports it; while one source
// reports otherwise, the time is unknown.
func TestDrainedSinceTheOldest(t *testing.T) {
	t.Parallel()
	s := fed()
	s.Manifest.MaximumStalenessS = 3600
	second := s.Device.Sources[0]
	second.ID, second.HeardUS = "src_2", us(-2*time.Hour)
	s.Device.Sources = append(s.Device.Sources, second)
	if snap := snapshotAt(s, heardAt); snap.Axes.Freshness != health.FreshnessStale || snap.State == health.StateHealthy {
		t.Errorf("the other is two hours old: %s, %s, want snap.Axes.Freshness == health.FreshnessStale && snap.State != health.StateHealthy", snap.Axes.Freshness, snap.State)
	}
	s.Device.Sources[1].HeardUS = us(-time.Minute)
	if snap := snapshotAt(s, heardAt); snap.Axes.Freshness != health.FreshnessFresh || snap.State != health.StateHealthy {
		t.Errorf("both are fresh: %s, %s, want snap.Axes.Freshness == health.FreshnessFresh && snap.State == health.StateHealthy", snap.Axes.Freshness, snap.State)
	}
	one := int64(1)
	s.Device.Sources[1].Pending = &one
	if snap := snapshotAt(s, heardAt); snap.Axes.Freshness != health.FreshnessUnknown || snap.State == health.StateHealthy {
		t.Errorf("one is at it: %s, %s, want snap.Axes.Freshness == health.FreshnessUnknown && snap.State != health.StateHealthy", snap.Axes.Freshness, snap.State)
	}
	s.Device.Sources[1].Pending, s.Device.Sources[1].Outbox = nil, &stored.Outbox{StaleLeases: &one}
	if snap := snapshotAt(s, heardAt); snap.Axes.Freshness != health.FreshnessUnknown || snap.State == health.StateHealthy {
		t.Errorf("one has left it lying: %s, %s, want snap.Axes.Freshness == health.FreshnessUnknown && snap.State != health.StateHealthy", snap.Axes.Freshness, snap.State)
	}
	for _, second := range []stored.Source{{Status: "other", HeardUS: us(-time.Minute)}, {Status: "blocked", HeardUS: us(-time.Minute)}, {}} {
		second.ID = "src_2"
		s.Device.Sources[1] = second
		if snap := snapshotAt(s, heardAt); snap.Axes.Freshness != health.FreshnessUnknown || snap.State == health.StateHealthy {
			t.Errorf("one says %q: %s, %s, want snap.Axes.Freshness == health.FreshnessUnknown && snap.State != health.StateHealthy", second.Status, snap.Axes.Freshness, snap.State)
		}
	}
}

// HL-14.3: what a device that is not there any more accounted for proves nothing of
// the one that took over, before that has ended a run.
func TestStoresOfAnotherDevice(t *testing.T) {
	t.Parallel()
	s := ran()
	s.Device.Sources[0].Device = "dev_2"
	snap := snapshotAt(s, heardAt)
	v := verdictAt(s, heardAt)
	if snap.Axes.Coverage != health.CoverageUnknown || snap.State == health.StateHealthy || v.Pill.Tone == verdict.Green {
		t.Errorf("got %s %s %+v, want snap.Axes.Coverage == health.CoverageUnknown && snap.State != health.StateHealthy && v.Pill.Tone != verdict.Green", snap.Axes.Coverage, snap.State, v.Pill)
	}
}
