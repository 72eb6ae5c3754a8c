package storage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// The store keeps the last refusal of each stream and code until a delivery of the stream is taken. The verdict says it,
// and not that nothing is known.
func TestRefusedDeliveriesAreOpenUntilOneIsTaken(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	ctx := x.Context()
	src := x.enrolled("laptop") // with a collector that puts a manifest
	now := func() *SourceInstance {
		s, err := x.s.SourceInstance(ctx, src.DeviceID, src.ID)
		x.ok(err)
		return s
	}
	open := func() string {
		var all []string
		for _, r := range now().Refusals {
			all = append(all, r.Stream+" "+r.Code+" "+r.Message)
		}
		return strings.Join(all, "; ")
	}
	refuse := func(code, message, stream string) {
		x.clock.forward(time.Second)
		x.ok(x.s.RefuseDelivery(ctx, now(), RefusedDelivery{Code: code, Message: message, Stream: stream}, false))
	}
	says := func() verdict.RenderedVerdict {
		e, err := x.s.EvidenceOf(ctx, "laptop")
		x.ok(err)
		return verdict.OfStored(e.Facts, e.Moment(x.clock.Now(), nil), true)
	}
	refuse(device.CodeRecordsRejected, `records[0] of stream "a": no`, "a")
	refuse(device.CodeRecordsRejected, `records[7] of stream "a": no more`, "a")
	refuse(device.CodeManifestMissing, "put it first", "b")
	refuse(device.CodeBadRequest, "state holds no stream", "")
	x.ok(x.s.RefuseDelivery(ctx, now(), RefusedDelivery{Code: device.CodeBlobQuota, Message: "too much"}, true))
	if got, want := open(), ` invalid_request state holds no stream; b device_manifest_missing put it first; a device_records_rejected records[7] of stream "a": no more`; got != want {
		t.Errorf("open: got %s, want %s", got, want)
	}
	if r := now().Refused; r == nil || r.Code != device.CodeBlobQuota {
		t.Errorf("the last that was refused: got %+v, want the artifact", r)
	}
	v := says()
	if v.Pill.Tone != verdict.Amber || v.ForwardCode != "delivery_refused" || len(v.RequiredActions) == 0 || v.RequiredActions[0].CTACode != "cta_delivery_refused" {
		t.Errorf("got %s, %s, %+v, want amber with the refusal", v.Pill.Tone, v.ForwardCode, v.RequiredActions)
	}
	_, err := x.s.PutDeviceManifest(ctx, src, hashOf("module"), []byte(keptManifest))
	x.ok(err)
	if got, want := open(), `a device_records_rejected records[7] of stream "a": no more`; got != want {
		t.Errorf("open once a manifest was taken: got %s, want %s", got, want)
	}
	x.deliver(src, "r1", "a", "k=1")
	if got := open(); got != "" {
		t.Errorf("open once a batch of its stream was taken: got %s, want nothing", got)
	}
	refuse(device.CodeRecordsRejected, "no such stream", "c")
	x.deliver(src, "r1", "a", "k=2")
	if got, want := open(), "c device_records_rejected no such stream"; got != want {
		t.Errorf("open after a batch of another stream: got %s, want %s", got, want)
	}
	if v := says(); !strings.Contains(v.ForwardStatement, "of stream c, no such stream; install the same version") {
		t.Errorf("got %s, want the refusal and what ends it", v.ForwardStatement)
	}
	x.beat(src, device.StatusRetrying, 1, 0)
	x.beat(src, device.StatusHealthy, 1, 0)
	if open() == "" {
		t.Error("a device that still holds something ended a refusal")
	}
	x.beat(src, device.StatusHealthy, 0, 0)
	if got := open(); got != "" || says().ForwardCode == "delivery_refused" {
		t.Errorf("open of a device that holds nothing: got %q and %s, want nothing", got, says().ForwardCode)
	}
	x.damage(`UPDATE source_instances SET manifest_sha256 = ''`) // it has the public collector from here on
	refuse(device.CodeRecordsRejected, "no such stream", "c")
	refuse(device.CodeBadRequest, "state holds no stream", "")
	refuse(device.CodeManifestMissing, "put it first", "d")
	given := "c device_records_rejected no such stream" // and given up by a collector that goes on without it
	x.beat(src, device.StatusHealthy, 0, 0)
	if got := open(); got != given || says().ForwardCode != "delivery_refused" {
		t.Errorf("open of a public device that holds nothing: got %q and %s, want the refused records", got, says().ForwardCode)
	}
	refuse(device.CodeManifestNotAccepted, "not accepted", "d")
	x.commit(src, x.commitOf("r1"))
	if got := open(); got != given {
		t.Errorf("open once the run has ended: got %q, want the refused records", got)
	}
	x.deliver(src, "r2", "c", "k=3")
	if got := open(); got != "" || says().ForwardCode == "delivery_refused" {
		t.Errorf("open once its stream is taken: got %q and %s, want nothing", got, says().ForwardCode)
	}
	for i := range 20 {
		refuse(device.CodeRecordsRejected, "no", fmt.Sprintf("s%02d", i))
	}
	if all := now().Refusals; len(all) != 16 || all[0].Stream != "s19" || all[15].Stream != "s04" {
		t.Errorf("got %d, want the last 16", len(all))
	}
	_, err = x.s.RevokeDevice(ctx, src.DeviceID)
	x.ok(err)
	if v := says(); v.ForwardCode == "delivery_refused" {
		t.Error("a revoked device's refusals are told, want what to do without a device")
	}
}
