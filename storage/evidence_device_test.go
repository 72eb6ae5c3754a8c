package storage

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// TestGreenByDevice drives devices alone through random deliveries, heartbeats
// and ends of runs, and holds what they make of their connections as
// TestEvidenceFollowsFacts and TestGreenIsKnown do.
//
// Invariant 7 and Invariant 8.
func TestGreenByDevice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n, byRun, byDevice := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d := &history{t: rt, known: map[string]*collected{}, ctx: t.Context(), clock: newClock(), path: anew(t, filepath.Join(dir, fmt.Sprint(n))), fed: map[string]*onDevice{}}
		d.open()
		defer func() { _ = d.s.Close() }()
		for _, binding := range []string{"e", "f"} {
			d.enroll(binding)
			_, err := d.s.PutDeviceManifest(d.ctx, d.fed[binding].src, hashOf("module"), []byte(keptManifest))
			d.ok(err)
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			d.clock.forward(time.Duration(rapid.IntRange(0, 120).Draw(rt, "minutes")) * time.Minute)
			if rapid.IntRange(0, 3).Draw(rt, "luck") > 0 {
				d.device()
			} else {
				d.goesWell()
			}
			differ, err := d.s.CheckEvidence(d.ctx)
			if d.ok(err); len(differ) > 0 {
				rt.Fatalf("the evidence of %v is not what its facts make: %s", differ, d.difference(differ[0]))
			}
			d.countsAgree()
			if d.greenIsKnown() == 0 {
				continue
			}
			page, err := d.s.EvidencePage(d.ctx, "", 0)
			d.ok(err)
			for i := range page {
				if page[i].SucceededRun != "" {
					byRun++
				} else {
					byDevice++
				}
			}
		}
	})
	if n >= enoughHistories && (byRun == 0 || byDevice == 0) {
		t.Errorf("green by runs %d times, by devices %d", byRun, byDevice)
	}
}

// knownByDevice holds a green verdict of a connection that no run settled to what
// its device said (HL-14).
func (d *history) knownByDevice(e *Evidence, now time.Time) {
	sources, err := d.s.SourceInstances(d.ctx, e.ConnectionID)
	d.ok(err)
	trusted := 0
	for _, s := range sources {
		if !s.Active() {
			continue
		}
		trusted++
		h := s.Heartbeat
		if h == nil || h.Status != device.StatusHealthy && h.Status != device.StatusStopped || now.Sub(s.HeardAt) > 7*24*time.Hour || h.Outbox != nil && h.Outbox.DeadLetter > 0 {
			d.t.Fatalf("%s is green by a device that said %+v at %v", e.Name, h, s.HeardAt)
		}
	}
	stores := 0
	if err := d.s.EachRecord(d.ctx, e.Name, device.CoverageStream, func(r Record) error {
		if !r.Deleted {
			stores++
			if string(r.Data) == `{"status":"forgotten"}` {
				d.t.Fatalf("%s is green with a store that nobody accounts for", e.Name)
			}
		}
		return nil
	}); abi.CodeOf(err) != abi.CodeStreamUnknown {
		d.ok(err)
	}
	if trusted == 0 || stores == 0 {
		d.t.Fatalf("%s is green by %d devices and %d stores", e.Name, trusted, stores)
	}
}
