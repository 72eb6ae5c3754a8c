package storage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// A connection whose last device was revoked says that nothing comes in any more,
// whatever it was like before, until another one is enrolled; and what that one has
// is not told from what the first had.
func TestNoDeviceIsLeft(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(x *exercise, src *SourceInstance){
		"it was well":        func(x *exercise, src *SourceInstance) { x.commit(src, x.commitOf("r1")) },
		"nothing ever came":  func(*exercise, *SourceInstance) {},
		"its run failed":     func(x *exercise, src *SourceInstance) { x.commit(src, x.refusedOf("r1", "files.root_missing")) },
		"it was not let in":  func(x *exercise, src *SourceInstance) { x.commit(src, x.refusedOf("r1", "credential.missing")) },
		"a run was going on": func(x *exercise, src *SourceInstance) { x.deliver(src, "r1", "a", "k=1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExercise(t)
			src := x.enrolled("laptop")
			before(x, src)
			x.beat(src, device.StatusHealthy, 0, 0)
			x.clock.forward(time.Minute)
			_, err := x.s.RevokeDevice(t.Context(), src.DeviceID)
			x.ok(err)
			v := x.verdict("laptop")
			if v.Pill.Tone != verdict.Amber || v.Channel != verdict.Attention || len(v.RequiredActions) != 1 || v.RequiredActions[0].CTACode != "cta_enroll_device" ||
				v.RequiredActions[0].Audience != verdict.AudienceOwner || v.ForwardCode != "enroll_device" {
				t.Errorf("revoked: got %+v %s %+v %s, want amber, attention, and the owner to enroll the device", v.Pill, v.Channel, v.RequiredActions, v.ForwardCode)
			}
			x.sound()
			f, err := x.s.Fleet(t.Context(), x.clock.Now(), nil, true)
			x.ok(err)
			x.same(f.NeedsOwner, 1)

			next := x.enrolledAgain("laptop")
			x.beat(next, device.StatusHealthy, 0, 0)
			if v := x.verdict("laptop"); v.Pill.Tone != verdict.Grey || len(v.RequiredActions) != 0 {
				t.Errorf("another one was enrolled: got %+v %+v, want grey and no action", v.Pill, v.RequiredActions)
			}
			x.sound()
			x.commit(next, x.commitOf("r2"))
			x.toneOf("laptop", "and has collected", verdict.Green)
			x.sound()
		})
	}
}

// refusedOf is the end of a run that never began on its device.
func (x *exercise) refusedOf(run, code string) *device.RunCommit {
	return x.commitOf(run, func(c *device.RunCommit) {
		c.StateDelta = nil
		c.Outcome.Status, c.Outcome.Reason, c.Outcome.Streams = tables.StatusFailed, "run_refused", nil
		c.Outcome.Error = []byte(`{"code":"` + code + `","message":"it is not there","recovery_hint":"manual_action_required"}`)
	})
}

// enrolledAgain is enrolled for a binding whose manifest is the same.
func (x *exercise) enrolledAgain(binding string) *SourceInstance {
	x.Helper()
	x.runs++
	x.invite("again"+binding, binding)
	src, err := x.enroll("again"+binding, "again"+binding)
	x.ok(err)
	_, err = x.s.PutDeviceManifest(x.Context(), src, hashOf("module"), []byte(keptManifest))
	x.ok(err)
	return src
}

func (x *exercise) toneOf(name, when string, want verdict.Tone) {
	x.Helper()
	if v := x.verdict(name); v.Pill.Tone != want {
		x.Errorf("%s: %+v, want %s", when, v.Pill, want)
	}
}

// Another device that takes over collects from the beginning; the gaps of the device before
// it end once everything was collected.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	ctx := t.Context()
	first := x.enrolled("laptop")
	x.commit(first, x.commitOf("r1"))
	gap := func(src *SourceInstance, stream, boundary string) {
		_, err := x.s.PutDeviceGap(ctx, src, device.Gap{Stream: stream, Boundary: boundary, Reason: "temporary_unavailable", Retryable: true, LastRunID: "r"})
		x.ok(err)
	}
	gap(first, "a", "old")
	gap(first, "b", "old")
	x.clock.forward(time.Minute)
	second := x.enrolledAgain("laptop")
	state, _, _, err := x.s.DeviceState(ctx, second, StatePart{})
	x.ok(err)
	x.same([]any{len(state), x.cursors("laptop")}, []any{0, ""})
	open := func() string {
		all, err := x.s.Gaps(ctx, "laptop", GapQuery{})
		x.ok(err)
		var out []string
		for _, g := range all {
			if g.Status == GapPending {
				out = append(out, g.Stream+"/"+g.RecordKey)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	x.clock.forward(time.Minute)
	gap(second, "a", "new")
	only := func(c *device.RunCommit) { c.StateDelta = nil; c.Outcome.Streams = []string{"a"} }
	x.commit(second, x.commitOf("r2", only, func(c *device.RunCommit) { c.Outcome.Status = tables.StatusFailed }))
	x.commit(second, x.commitOf("r3", only, func(c *device.RunCommit) { c.Outcome.Narrowed = true }))
	x.same(open(), "a/new a/old b/old")
	x.commit(second, x.commitOf("r4", only))
	x.same(open(), "a/new b/old")
	x.commit(second, x.commitOf("r5"))
	x.same(open(), "a/new")
	x.sound()

	// An answer that was lost is no other device.
	x.invite("lost", "desk")
	desk, err := x.enroll("lost", "t1")
	x.ok(err)
	_, err = x.s.PutDeviceManifest(ctx, desk, hashOf("module"), []byte(keptManifest))
	x.ok(err)
	x.commit(desk, x.commitOf("d1"))
	again, err := x.enroll("lost", "t2")
	x.ok(err)
	state, _, _, err = x.s.DeviceState(ctx, again, StatePart{})
	x.ok(err)
	x.same(len(state), 1)
}

// The deliveries of earlier runs are forgotten, and those of the last one are still known; a
// repeated one after that names a run that has ended.
func TestDeliveriesAreForgotten(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	ctx := t.Context()
	src := x.enrolled("laptop")
	rows := func() (n int) {
		x.ok(x.s.db.Read.NewRaw("SELECT count(*) FROM device_batches").Scan(ctx, &n))
		return n
	}
	old := x.delivery(src, "r1", "a", "k=1")
	_, _, err := x.s.IngestBatch(ctx, old)
	x.ok(err)
	x.deliver(src, "r1", "a", "l=1")
	x.commit(src, x.commitOf("r1"))
	x.same(rows(), 2)
	_, replayed, err := x.s.IngestBatch(ctx, old)
	x.ok(err)
	x.same(replayed, true)
	last := x.delivery(src, "r2", "a", "m=1")
	_, _, err = x.s.IngestBatch(ctx, last)
	x.ok(err)
	x.same(rows(), 3)
	x.commit(src, x.commitOf("r2"))
	x.same(rows(), 1)
	_, replayed, err = x.s.IngestBatch(ctx, last)
	x.ok(err)
	x.same(replayed, true)
	_, _, err = x.s.IngestBatch(ctx, old)
	x.code(err, device.CodeRunConflict)
	_, err = x.s.RevokeDevice(ctx, src.DeviceID)
	x.ok(err)
	x.same(rows(), 0)
}

// A run that was refused on its device says why, and what it left alone stays as it
// was known.
func TestARefusedDeviceRun(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]verdict.Code{
		"files.root_missing": "cta_put_right_folder", "plugin.changed": "cta_put_right_module", "plugin.unknown": "cta_put_right_module",
		"binding.missing": "cta_put_right_binding", "connection.origin_changed": "cta_put_right_address", "other.thing": "cta_put_right",
	} {
		x := newExercise(t)
		src := x.enrolled("laptop")
		x.commit(src, x.commitOf("r1"))
		x.clock.forward(time.Minute)
		x.commit(src, x.refusedOf("r2", code))
		x.beat(src, device.StatusStarting, 0, 0)
		v := x.verdict("laptop")
		if v.Pill.Tone == verdict.Green || v.Pill.Tone == verdict.Grey || v.Channel != verdict.Attention || v.RequiredActions[0].CTACode != want {
			t.Errorf("%s: got %+v %s %+v, want red or amber, and attention", code, v.Pill, v.Channel, v.RequiredActions)
		}
		x.sound()
		r, err := x.s.Run(t.Context(), "r2")
		x.ok(err)
		x.same([]string{r.Status, r.Reason, r.Error.Code}, []string{tables.StatusFailed, "run_refused", code})
		x.clock.forward(time.Minute)
		x.commit(src, x.commitOf("r3"))
		x.toneOf("laptop", "collected again", verdict.Green)
		x.sound()
	}
}

// A device that has begun and has nothing on its way delivers nothing; one that was
// not heard of lately does not either.
func TestBeginningIsNoDelivery(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	x.commit(src, x.commitOf("r1"))
	for _, status := range []string{device.StatusStarting, device.StatusRetrying} {
		x.beat(src, status, 0, 0)
		if s := x.snapshot("laptop"); s.Axes.Outbox != health.OutboxUnknown {
			t.Errorf("%s with nothing left: got %s, want %s", status, s.Axes.Outbox, health.OutboxUnknown)
		}
		if v := x.verdict("laptop"); v.ForwardCode == "uploading" {
			t.Errorf("%s: got %s, want nothing on its way", status, v.ForwardStatement)
		}
		// The rest is counted, though no sum of it was given.
		_, err := x.s.PutHeartbeat(t.Context(), src, device.Heartbeat{Status: status, Outbox: &device.Outbox{Retrying: 2}})
		x.ok(err)
		x.same(x.snapshot("laptop").Axes.Outbox, health.OutboxActive)
		e, err := x.s.EvidenceOf(t.Context(), "laptop")
		x.ok(err)
		x.same(e.NextChange.Equal(x.clock.Now().Add(health.StaleHeartbeat+time.Microsecond)), true)
		x.clock.forward(health.StaleHeartbeat)
		x.same(x.snapshot("laptop").Axes.Outbox, health.OutboxActive)
		x.clock.forward(time.Microsecond)
		x.same(x.snapshot("laptop").Axes.Outbox, health.OutboxUnknown)
		x.sound()
	}
}
