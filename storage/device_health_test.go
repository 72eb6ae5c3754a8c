package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	devices "github.com/pdpp-host/pdpp-host/storage/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

func newExercise(t *testing.T) *exercise {
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	return x
}

// beat sends a heartbeat with as much left to send, and as much given up.
func (x *exercise) beat(src *SourceInstance, status string, pending, dead int64) {
	x.Helper()
	oldest := x.clock.Now().Add(-time.Hour)
	_, err := x.s.PutHeartbeat(x.Context(), src, device.Heartbeat{
		Status: status, RecordsPending: &pending, Outbox: &device.Outbox{Pending: pending, DeadLetter: dead, Succeeded: 5, OldestPendingAt: &oldest},
	})
	x.ok(err)
}

func (x *exercise) snapshot(name string) health.Snapshot {
	x.Helper()
	e, err := x.s.EvidenceOf(x.Context(), name)
	x.ok(err)
	return health.Project(e.Facts.Evidence(e.Moment(x.clock.Now(), nil)))
}

// stalls reports how many connections the fleet counts as stalled.
func (x *exercise) stalls() int64 {
	x.Helper()
	f, err := x.s.Fleet(x.Context(), x.clock.Now(), nil, true)
	x.ok(err)
	return f.UploadsStalled
}

// A device whose first run has not ended yet: what came in, and what the device
// says of its stores, is told for what it is (HL-07.2, HL-14.1, HL-17.1-3).
func TestDeviceWithoutARun(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.deliver(src, "r1", "a", "k=1")
	x.beat(src, device.StatusHealthy, 0, 0)
	if s := x.snapshot("laptop"); s.Axes.Coverage != health.CoverageUnknown || s.State == health.StateHealthy { // drained is no proof (HL-17.3)
		t.Errorf("without coverage records: got %s, %s; want %s, and not healthy", s.Axes.Coverage, s.State, health.CoverageUnknown)
	}
	x.deliver(src, "r1", device.CoverageStream, `1={"store":"x","status":"collected"}`, `2={"store":"y","status":"excluded"}`)
	s := x.snapshot("laptop")
	if s.State != health.StateHealthy || s.Axes.Coverage != health.CoverageComplete || s.Axes.Outbox != health.OutboxIdle || s.Axes.Freshness != health.FreshnessFresh {
		t.Errorf("got %s %+v, want healthy, complete, idle and fresh", s.State, s.Axes)
	}
	if v := x.verdict("laptop"); v.Pill.Tone != verdict.Green || v.Progress.RetainedRecords == nil || *v.Progress.RetainedRecords != 1 || v.Progress.Mode != verdict.ModeLocalDevice {
		t.Errorf("got %+v %+v, want green and 1 record of a device, without the two of coverage", v.Pill, v.Progress)
	}
	x.deliver(src, "r1", device.CoverageStream, `2={"store":"y","status":"whatever"}`)
	if s := x.snapshot("laptop"); s.Axes.Coverage != health.CoverageGaps || s.State == health.StateHealthy { // HL-17.2
		t.Errorf("a store that nobody accounts for: got %s, %s; want %s, and not healthy", s.Axes.Coverage, s.State, health.CoverageGaps)
	}
	x.commit(src, x.commitOf("r1"))                                               // what a run says wins (HL-17.4)
	if s := x.snapshot("laptop"); s.Axes.Coverage != health.CoverageUnsupported { // as the manifest has it of one stream
		t.Errorf("after the run: got %s, want unsupported", s.Axes.Coverage)
	}
	x.sound()
}

// Work that is left and a device that is not heard of stall by time alone, also
// where nothing is read but what a fleet is counted by (HL-16.3).
func TestDeviceGoesQuiet(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.commit(src, x.commitOf("r1"))
	x.beat(src, device.StatusRetrying, 3, 0)
	if s := x.snapshot("laptop"); s.Axes.Outbox != health.OutboxActive || x.stalls() != 0 {
		t.Errorf("on its way: got %s, want active, and none stalled", s.Axes.Outbox)
	}
	e, err := x.s.EvidenceOf(t.Context(), "laptop")
	x.ok(err)
	if want := x.clock.Now().Add(health.StaleHeartbeat + time.Microsecond); !e.NextChange.Equal(want) {
		t.Errorf("it changes at %v, want %v", e.NextChange, want)
	}
	x.clock.forward(health.StaleHeartbeat)
	x.same(x.stalls(), 0)
	x.clock.forward(time.Microsecond)
	v := x.verdict("laptop")
	if x.stalls() != 1 || v.Channel != verdict.Attention || v.RequiredActions[0].Remediation.Cause != "stale_pending" {
		t.Errorf("got %d stalled, %s, %+v, want 1, attention and stale_pending", x.stalls(), v.Channel, v.RequiredActions)
	}
	x.sound()
	x.beat(src, device.StatusRetrying, 2, 0)
	x.same(x.stalls(), 0)
}

// A trusted device's counts are shown, and why it is blocked; a revoked device's are not
// (HL-11.1, HL-11.2, HL-16.1, HL-16.2).
func TestTrustedHeartbeatsAlone(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.commit(src, x.commitOf("r1"))
	for dead, want := range map[int64]health.StalledCause{0: health.CauseStateReadFailed, 2: health.CauseDeadLetterBacklog} {
		x.beat(src, device.StatusBlocked, 3, dead)
		e, err := x.s.EvidenceOf(t.Context(), "laptop")
		x.ok(err)
		o := e.Facts.Evidence(e.Moment(x.clock.Now(), nil)).Outbox
		if o.Axis != health.OutboxStalled || o.Cause != want || *o.Counts.DeadLetter != dead || *o.Counts.Pending != 3 || *o.Counts.Succeeded != 5 ||
			!o.Counts.OldestPendingAt.Equal(x.clock.Now().Add(-time.Hour)) {
			t.Errorf("got %+v %+v, want %s, %d given up, 3 waiting for an hour, 5 taken", o, o.Counts, want, dead)
		}
	}
	_, err := x.s.RevokeDevice(t.Context(), src.DeviceID)
	x.ok(err)
	s := x.snapshot("laptop")
	if s.OutboxCounts != nil || s.Axes.Outbox != health.OutboxUnknown || x.stalls() != 0 {
		t.Errorf("revoked: got %+v, %s, want none and unknown", s.OutboxCounts, s.Axes.Outbox)
	}
	x.sound()
}

// A device whose clock is ahead makes nothing fresh in the future, and one that
// delivers late nothing fresher than it is.
func TestDeviceClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ended time.Duration // from now
		fresh time.Duration // that long
	}{
		"ahead": {10 * 24 * time.Hour, 7 * 24 * time.Hour},
		"late":  {-5 * 24 * time.Hour, 2 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExercise(t)
			src := x.enrolled("laptop")
			x.commit(src, x.commitOf("r1", func(r *device.RunCommit) { r.Outcome.FinishedAt = x.clock.Now().Add(c.ended) }))
			x.clock.forward(c.fresh)
			if v := x.verdict("laptop"); v.Pill.Tone != verdict.Green {
				t.Errorf("got %+v, want green", v.Pill)
			}
			x.clock.forward(time.Microsecond)
			if s := x.snapshot("laptop"); s.Axes.Freshness != health.FreshnessStale {
				t.Errorf("after %s: got %s, want stale", c.fresh, s.Axes.Freshness)
			}
			x.sound()
		})
	}
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.commit(src, x.commitOf("r1", func(r *device.RunCommit) { r.Outcome.FinishedAt = time.Unix(-5, 0) })) // a clock that was never set
	if s := x.snapshot("laptop"); s.Axes.Freshness != health.FreshnessStale {
		t.Errorf("from before all time: got %s, want %s", s.Axes.Freshness, health.FreshnessStale)
	}
	x.sound()
}

// A run that the device goes on with is alive, and left behind once nothing was
// heard of it for as long as a heartbeat is fresh.
func TestDeviceRunAlive(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.deliver(src, "r1", "a", "k=1")
	alive := func() bool {
		e, err := x.s.EvidenceOf(t.Context(), "laptop")
		x.ok(err)
		return e.Moment(x.clock.Now(), func(string) bool { return false }).RunAlive // no process of this machine
	}
	x.clock.forward(health.StaleHeartbeat - time.Microsecond)
	x.same(alive(), true)
	x.beat(src, device.StatusRetrying, 1, 0)
	x.clock.forward(health.StaleHeartbeat - time.Microsecond)
	x.same(alive(), true)
	x.clock.forward(time.Microsecond)
	x.same(alive(), false)
	if v := x.verdict("laptop"); v.Pill.Tone == verdict.Green {
		t.Errorf("got %+v, want another than green", v.Pill)
	}
	x.sound()
}

// An unreadable heartbeat makes the device unknown, and does not leave its earlier state
// (Invariant 8).
func TestUnreadableHeartbeat(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.commit(src, x.commitOf("r1"))
	x.beat(src, device.StatusHealthy, 0, 0)
	if v := x.verdict("laptop"); v.Pill.Tone != verdict.Green {
		t.Fatalf("before: got %+v, want green", v.Pill)
	}
	x.ok(x.s.db.Alone(t.Context(), "damage", func(tx *db.Tx) error {
		_, err := tx.DB.ExecContext(tx.Ctx, `UPDATE source_instances SET heartbeat = '{"status'`)
		return err
	}))
	if differ, err := x.s.CheckEvidence(t.Context()); err != nil || len(differ) != 1 {
		t.Errorf("the damage: got %v and %v, want one connection that differs", differ, err)
	}
	x.ok(x.s.RepairEvidence(t.Context(), "laptop"))
	if v := x.verdict("laptop"); v.Pill.Tone != verdict.Grey {
		t.Errorf("after: got %+v, want grey", v.Pill)
	}
	if all, err := x.s.SourceInstances(t.Context(), ""); err != nil || len(all) != 1 || all[0].Heartbeat != nil {
		t.Errorf("got %+v, %v, want one source without a heartbeat", all, err)
	}
	x.beat(src, device.StatusHealthy, 0, 0)
	if v := x.verdict("laptop"); v.Pill.Tone != verdict.Green {
		t.Errorf("heard of again: got %+v, want green", v.Pill)
	}
	x.sound()
}

// More coverage records than are read prove nothing.
func TestTooManyStores(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	in := x.delivery(src, "r1", device.CoverageStream)
	for i := range evidence.MostStores + 1 {
		in.Records.Add(0, []byte{'k', byte('0' + i/1000), byte('0' + i/100%10), byte('0' + i/10%10), byte('0' + i%10)}, []byte(`{"status":"collected"}`), []byte("t"), false)
	}
	_, _, err := x.s.IngestBatch(t.Context(), in)
	x.ok(err)
	x.beat(src, device.StatusHealthy, 0, 0)
	if s := x.snapshot("laptop"); s.Axes.Coverage != health.CoverageUnknown {
		t.Error(s.Axes.Coverage)
	}
	x.deliver(src, "r1", device.CoverageStream, "-k1000")
	if s := x.snapshot("laptop"); s.Axes.Coverage != health.CoverageComplete {
		t.Error(s.Axes.Coverage)
	}
	x.sound()
}

// Why something was given up is told as the device names it: how the host answered, and the
// host's own word for why. A text that is not such a name is not shown (LC-07.4).
func TestWhyWorkWasGivenUp(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	const none = "unclassified"
	token := device.TokenPrefix + hashOf("token")
	last := &device.LastError{Kind: device.ErrorDeadLetters}
	want := []string{"shape", "http_422:device_records_rejected", none, none, none, none, none}
	for i, class := range []string{want[0], want[1], token, "http_400:" + token, "http_400:", "a:b:c", "/home/ada"} {
		last.Classes = append(last.Classes, device.ErrorClass{Count: int64(i), Class: class})
	}
	_, err := x.s.PutHeartbeat(t.Context(), src, device.Heartbeat{Status: device.StatusBlocked, LastError: last})
	x.ok(err)
	kept, err := x.s.SourceInstance(t.Context(), src.DeviceID, src.ID)
	x.ok(err)
	var got []string
	for _, c := range kept.Heartbeat.LastError.Classes {
		got = append(got, c.Class)
	}
	x.same(got, want)
}

// HL-14.4, HL-16.2: a device that begins again has not delivered what it gave up.
func TestDeadLettersOutliveABeginning(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.commit(src, x.commitOf("r1"))
	for _, status := range []string{device.StatusBlocked, device.StatusStarting, device.StatusRetrying, device.StatusHealthy, device.StatusStopped} {
		x.beat(src, status, 0, 2)
		for range 2 {
			v := x.verdict("laptop")
			if x.stalls() != 1 || v.Channel != verdict.Attention || v.RequiredActions[0].Remediation.Cause != string(health.CauseDeadLetterBacklog) {
				t.Errorf("%s: got %d stalled, %s %+v, want 1, attention and dead_letter_backlog", status, x.stalls(), v.Channel, v.RequiredActions)
			}
			x.clock.forward(health.StaleHeartbeat + time.Minute)
		}
		x.sound()
	}
	x.beat(src, device.StatusStarting, 2, 0) // they were put back
	if v := x.verdict("laptop"); v.Pill.Tone != verdict.Green || v.Detail.Axes.Outbox != health.OutboxActive {
		t.Errorf("requeued: got %+v %+v, want green and active", v.Pill, v.Detail.Axes)
	}
}

// A device's counts are kept as far as every reader can count, and add up.
func TestCountsOfADeviceAreBounded(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	const most = 1<<63 - 1
	pending := int64(most)
	_, err := x.s.PutHeartbeat(t.Context(), src, device.Heartbeat{
		Status: device.StatusBlocked, RecordsPending: &pending,
		Outbox:    &device.Outbox{Pending: most, Leased: most, Retrying: most, DeadLetter: most, StaleLeases: most, Succeeded: most, Total: most, BacklogOpen: -most},
		LastError: &device.LastError{Kind: device.ErrorDeadLetters, Classes: []device.ErrorClass{{Count: most, Class: "shape"}, {Count: -1, Class: "shape"}}},
	})
	x.ok(err)
	in, err := x.s.SourceInstance(t.Context(), src.DeviceID, src.ID)
	x.ok(err)
	h := in.Heartbeat
	x.same([]int64{
		*h.RecordsPending, h.Outbox.Pending, h.Outbox.Leased, h.Outbox.Retrying, h.Outbox.DeadLetter, h.Outbox.StaleLeases, h.Outbox.Succeeded,
		h.Outbox.Total, h.Outbox.BacklogOpen, h.LastError.Classes[0].Count, h.LastError.Classes[1].Count,
	}, []int64{devices.MaxCount, devices.MaxCount, devices.MaxCount, devices.MaxCount, devices.MaxCount, devices.MaxCount, devices.MaxCount, devices.MaxCount, 0, devices.MaxCount, 0})
	x.sound()
}

// A connection's standing is worked out as far ahead as time alone changes it, however
// many sources there are.
func TestStandingsOfManySources(t *testing.T) {
	t.Parallel()
	now, one := newClock().Now(), int64(1)
	f := &stored.Facts{Device: &stored.Device{}}
	for i := range 20 {
		heard := now.Add(time.Duration(i+1) * 24 * time.Hour).UnixMicro() // of a clock that was put back
		f.Device.Sources = append(f.Device.Sources, stored.Source{ID: string(rune('a' + i)), HeardUS: heard, Status: device.StatusHealthy, Pending: &one})
	}
	rows := evidence.Standings("", f, now)
	last := rows[len(rows)-1]
	if next := f.NextChange(health.At(db.Time(last.FromUS))); !next.IsZero() || !last.Stalled {
		t.Errorf("the last of %d rows: got stalled %t, changing at %v; want true, and no change", len(rows), last.Stalled, next)
	}
}
