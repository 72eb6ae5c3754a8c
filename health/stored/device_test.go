package stored_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// drawDevice draws what devices could have said, up to two hours before, and after,
// where a clock was put back since.
func drawDevice(t *rapid.T, around time.Time) *stored.Device {
	count := func(what string) *int64 {
		n := rapid.SampledFrom([]int64{-1, 0, 0, 0, 3}).Draw(t, what)
		if n < 0 {
			return nil
		}
		return &n
	}
	d := &stored.Device{}
	for i := range rapid.IntRange(0, 2).Draw(t, "sources") {
		s := stored.Source{ID: []string{"src_1", "src_2"}[i], Device: rapid.SampledFrom([]string{"dev_1", "dev_2"}).Draw(t, "device")}
		if rapid.IntRange(0, 4).Draw(t, "heard") > 0 {
			s.HeardUS = around.Add(-time.Duration(rapid.IntRange(-120, 120).Draw(t, "minutes")) * time.Minute).UnixMicro()
			s.Status = rapid.SampledFrom([]health.Word{"starting", "healthy", "retrying", "blocked", "stopped", "other"}).Draw(t, "beat")
			s.Pending = count("pending")
			s.Outbox = &stored.Outbox{Pending: s.Pending, DeadLetter: count("dead"), Retrying: count("retrying")}
		}
		d.Sources = append(d.Sources, s)
	}
	for range rapid.IntRange(0, 2).Draw(t, "stores") {
		if d.Stores == nil {
			d.Stores = map[health.Word]int64{}
		}
		d.Stores[rapid.SampledFrom([]health.Word{"collected", "excluded", "unaccounted"}).Draw(t, "store")]++
	}
	return d
}

var heardAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fed is a connection that a device feeds and that no run of ended, with
// everything delivered and every store accounted for.
func fed() *stored.Facts {
	none, kept := int64(0), int64(7)
	return &stored.Facts{
		Manifest: &stored.Manifest{MaximumStalenessS: 86400, Streams: []health.ManifestStream{{Name: "a"}}},
		Device: &stored.Device{
			Sources: []stored.Source{{
				ID: "src_1", HeardUS: heardAt.UnixMicro(), Status: "healthy", Pending: &none,
				Outbox: &stored.Outbox{Pending: &none, DeadLetter: &none, Succeeded: &kept},
			}},
			Stores: map[health.Word]int64{"collected": 2, "excluded": 1},
		},
		Retained: &kept,
	}
}

func snapshotAt(s *stored.Facts, when time.Time) health.Snapshot {
	return health.Project(s.Evidence(stored.Moment{Now: health.At(when)}))
}

func TestStoredDevice(t *testing.T) {
	t.Parallel()
	now := heardAt.Add(time.Minute)
	n := int64(3)
	for name, c := range map[string]struct {
		change   func(s *stored.Facts)
		state    health.State
		coverage health.CoverageAxis
		outbox   health.OutboxState
	}{
		"HL-14.1 HL-17.1 drained and accounted for": {func(*stored.Facts) {}, health.StateHealthy, health.CoverageComplete, health.OutboxIdle},
		"HL-14.2 no freshness policy":               {func(s *stored.Facts) { s.Manifest.MaximumStalenessS = 0 }, health.StateIdle, health.CoverageComplete, health.OutboxIdle},
		"HL-14.3 a run failed": {func(s *stored.Facts) {
			s.Settled = &stored.Run{ID: "r", Status: "failed", EndedUS: heardAt.UnixMicro()}
			s.Latest = s.Settled
		}, health.StateDegraded, health.CoveragePartial, health.OutboxIdle},
		"HL-17.2 a store is unaccounted for": {func(s *stored.Facts) { s.Device.Stores[stored.StoreStatus("forgotten")]++ }, health.StateDegraded, health.CoverageGaps, health.OutboxIdle},
		"HL-17.3 no coverage records":        {func(s *stored.Facts) { s.Device.Stores = nil }, "", health.CoverageUnknown, health.OutboxIdle},
		"HL-11.2 no trusted source":          {func(s *stored.Facts) { s.Device.Sources = nil }, "", health.CoverageComplete, health.OutboxUnknown},
		"given up although it says healthy":  {func(s *stored.Facts) { s.Device.Sources[0].Outbox.DeadLetter = &n }, health.StateDegraded, health.CoverageComplete, health.OutboxStalled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fed()
			c.change(s)
			snap := snapshotAt(s, now)
			if snap.Axes.Coverage != c.coverage || snap.Axes.Outbox != c.outbox || c.state != "" && snap.State != c.state || c.state == "" && snap.State == health.StateHealthy {
				t.Errorf("%s, coverage %s, outbox %s", snap.State, snap.Axes.Coverage, snap.Axes.Outbox)
			}
		})
	}
}

// A heartbeat with work left stalls by time alone, at the announced moment
// (HL-16.3), and one without does not.
func TestQuietDeviceStalls(t *testing.T) {
	t.Parallel()
	s := fed()
	n := int64(3)
	s.Device.Sources[0].Pending, s.Device.Sources[0].Status = &n, "retrying"
	s.Device.Sources[0].Outbox.Pending = &n
	next := s.NextChange(health.At(heardAt))
	if want := heardAt.Add(health.StaleHeartbeat + time.Microsecond); !next.Equal(want) {
		t.Fatalf("%v, want %v", next, want)
	}
	before := snapshotAt(s, next.Add(-time.Microsecond))
	after := s.Evidence(stored.Moment{Now: next})
	if before.Axes.Outbox != health.OutboxActive || after.Outbox.Axis != health.OutboxStalled || after.Outbox.Cause != health.CauseStalePending {
		t.Errorf("before %s, after %+v, want before.Axes.Outbox == health.OutboxActive && after.Outbox.Axis == health.OutboxStalled && after.Outbox.Cause == health.CauseStalePending", before.Axes.Outbox, after.Outbox)
	}
	if v := verdict.OfStored(s, stored.Moment{Now: next}, true); v.Channel != verdict.Attention {
		t.Errorf("stalled, and the channel is %s, want %v", v.Channel, verdict.Attention)
	}
	if idle := fed(); snapshotAt(idle, next.Time).Axes.Outbox != health.OutboxIdle {
		t.Error("a quiet device with nothing left to send stalls")
	}
}
