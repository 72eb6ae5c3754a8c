package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	devices "github.com/pdpp-host/pdpp-host/storage/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// onDevice is what the random history knows of a binding.
type onDevice struct {
	src *SourceInstance
	run string   // that goes on, "" for none
	ran []string // the ids of those that have ended
}

// refusedDevice passes what the store may answer a device that is late, that was
// revoked, or that names another's run.
func (d *history) refusedDevice(err error) bool {
	if slices.Contains([]abi.Code{device.CodeUnauthorized, device.CodeRunConflict, device.CodeManifestMissing, device.CodeNotFound}, abi.CodeOf(err)) && err != nil {
		return true
	}
	d.ok(err)
	return false
}

// device does something that a device, or its owner, does.
func (d *history) device() {
	binding := d.draw("binding", "e", "f")
	if d.fed == nil {
		d.fed = map[string]*onDevice{}
	}
	x := d.fed[binding]
	what := d.draw("on the device", "enroll", "manifest", "batch", "batch", "batch", "beat", "beat", "beat", "gap", "recover", "state", "commit", "commit", "revoke", "remove")
	if x == nil {
		what = "enroll"
	}
	switch what {
	case "enroll":
		d.enroll(binding)
	case "manifest":
		_, err := d.s.PutDeviceManifest(d.ctx, x.src, hashOf("module"), []byte(d.draw("manifest", keptManifest, `{"streams":[{"name":"a"}]}`)))
		if abi.CodeOf(err) == device.CodeManifestNotAccepted && rapid.Bool().Draw(d.t, "accept") {
			var seen *SourceInstance
			seen, err = d.s.SourceInstance(d.ctx, x.src.DeviceID, x.src.ID)
			d.ok(err)
			err = d.s.AcceptDeviceManifest(d.ctx, seen)
		}
		if abi.CodeOf(err) != device.CodeManifestNotAccepted {
			d.refusedDevice(err)
		}
	case "batch":
		d.deliver(x)
	case "beat":
		_, err := d.s.PutHeartbeat(d.ctx, x.src, d.beat())
		d.refusedDevice(err)
	case "gap":
		_, err := d.s.PutDeviceGap(d.ctx, x.src, device.Gap{
			Reason: d.draw("reason", "rate_limited", "retryable_error"), Retryable: rapid.Bool().Draw(d.t, "retryable"), Stream: d.draw("stream", "a", "b", "gone", ""),
			Boundary: d.draw("boundary", "1", "2"), BackoffMS: int64(rapid.IntRange(-1, 1).Draw(d.t, "backoff")) * 3600000, LastRunID: d.runOf(x),
		})
		d.refusedDevice(err)
	case "recover":
		_, err := d.s.RecoverDeviceGap(d.ctx, x.src, device.GapRecovered{
			Reason: "rate_limited", Stream: d.draw("stream", "a", "b"), Boundary: d.draw("boundary", "1", "2"), RecoveredRunID: d.runOf(x),
		})
		d.refusedDevice(err)
	case "state":
		d.refusedDevice(d.s.CommitDeviceState(d.ctx, x.src, d.runOf(x), map[string][]byte{"a": []byte("1")}))
	case "commit":
		d.commit(x)
	case "revoke":
		_, err := d.s.RevokeDevice(d.ctx, x.src.DeviceID)
		d.ok(err)
		x.run = ""
	case "remove":
		err := d.s.RemoveConnection(d.ctx, x.src.ConnectionName, nil)
		if abi.CodeOf(err) != abi.CodeConnectionBusy || err == nil {
			d.ok(err)
			delete(d.fed, binding)
			delete(d.known, x.src.ConnectionName)
		}
	}
}

// goesWell has a device with nothing left to send either end a whole run, or
// account for all it has.
func (d *history) goesWell() {
	x := d.fed[d.draw("binding", "e", "f")]
	if x == nil {
		return
	}
	none := int64(0)
	if _, err := d.s.PutHeartbeat(d.ctx, x.src, device.Heartbeat{Status: device.StatusHealthy, RecordsPending: &none}); d.refusedDevice(err) {
		return
	}
	run := d.runOf(x)
	if rapid.Bool().Draw(d.t, "ends") {
		d.conclude(x, run, device.Outcome{Status: tables.StatusSucceeded, Mode: abi.ModeIncremental, Streams: []string{"a", "b", "extra"}, FinishedAt: d.clock.Now()})
		return
	}
	d.runs++
	b := &Batch{}
	fill(b, 0, `k={"status":"collected"}`, `l={"status":"excluded"}`)
	_, _, err := d.s.IngestBatch(d.ctx, IngestBatch{
		Source: x.src, RunID: run, BatchID: fmt.Sprint(d.runs), BodyHash: hashOf("body"), Seq: int64(d.runs), Records: b, Streams: []string{device.CoverageStream},
	})
	d.refusedDevice(err)
}

func (d *history) enroll(binding string) {
	d.runs++
	code, token := hashOf("code", fmt.Sprint(d.runs)), hashOf("token", fmt.Sprint(d.runs))
	d.ok(d.s.NewEnrollmentCode(d.ctx, EnrollmentCode{CodeHash: code, ConnectorID: "demo", Binding: binding, ExpiresAt: d.clock.Now().Add(time.Hour)}))
	src, err := d.s.Enroll(d.ctx, Enrolling{CodeHash: code, TokenHash: token, Label: "laptop"})
	d.ok(err)
	d.fed[binding] = &onDevice{src: src}
}

// runOf is mostly the run that goes on, else a new one, and now and then one that
// has ended.
func (d *history) runOf(x *onDevice) string {
	if len(x.ran) > 0 && rapid.IntRange(0, 5).Draw(d.t, "late") == 0 {
		return x.ran[0]
	}
	if x.run == "" || rapid.IntRange(0, 5).Draw(d.t, "next") == 0 {
		if x.run != "" {
			x.ran = append(x.ran, x.run)
		}
		d.runs++
		x.run = fmt.Sprintf("device-run%d", d.runs)
	}
	return x.run
}

func (d *history) deliver(x *onDevice) {
	d.runs++
	b := &Batch{}
	streams := []string{d.draw("stream", "a", "b", device.CoverageStream)}
	for range rapid.IntRange(0, 3).Draw(d.t, "records") {
		status := d.draw("status", "collected", "excluded", "forgotten")
		b.Add(0, []byte(d.draw("key", "k", "l")), []byte(`{"status":"`+status+`"}`), []byte("t"), rapid.IntRange(0, 4).Draw(d.t, "op") == 0)
	}
	in := IngestBatch{Source: x.src, RunID: d.runOf(x), BatchID: fmt.Sprint(d.runs), BodyHash: hashOf("body"), Seq: int64(d.runs), Records: b, Streams: streams}
	n, replayed, err := d.s.IngestBatch(d.ctx, in)
	if d.refusedDevice(err) {
		return
	}
	if replayed || n != int64(b.Len()) {
		d.t.Fatalf("got %d, want %d; replayed %v, want not", n, b.Len(), replayed)
	}
	if n, replayed, err = d.s.IngestBatch(d.ctx, in); err != nil || !replayed || n != int64(b.Len()) {
		d.t.Fatalf("again: got %d, replayed %v, %v; want %d, true, no error", n, replayed, err, b.Len())
	}
}

func (d *history) beat() device.Heartbeat {
	count := func(what string) int64 { return int64(rapid.SampledFrom([]int{0, 0, 0, 2, -1}).Draw(d.t, what)) }
	h := device.Heartbeat{Status: d.draw("beat", devices.HeartbeatStatuses...)}
	if rapid.IntRange(0, 3).Draw(d.t, "told") > 0 {
		n := count("pending")
		h.RecordsPending = &n
		when := d.clock.Now().Add(time.Duration(rapid.IntRange(-2, 2).Draw(d.t, "oldest")) * time.Hour)
		h.Outbox = &device.Outbox{Pending: n, DeadLetter: count("dead"), Succeeded: 7, OldestPendingAt: &when}
	}
	return h
}

func (d *history) commit(x *onDevice) {
	run, now := d.runOf(x), d.clock.Now()
	ended := now.Add(time.Duration(rapid.IntRange(-200, 50).Draw(d.t, "ended")) * time.Hour)
	d.conclude(x, run, device.Outcome{
		Status: d.draw("status", "succeeded", "succeeded", "failed", "cancelled"), Mode: abi.ModeIncremental, Narrowed: rapid.Bool().Draw(d.t, "narrowed"),
		Streams: [][]string{{"a", "b", "extra"}, {"a", "gone"}, {"b"}}[rapid.IntRange(0, 2).Draw(d.t, "scope")], StartedAt: ended.Add(-time.Minute), FinishedAt: ended,
		KnownGaps: []byte(d.draw("known", "", `[]`, `{}`, `[{"kind":"skip","stream":"gone","severity":"actionable","reason":"x"}]`,
			`[{"kind":"skip","stream":"a","severity":"actionable","reason":"selector","recovery_hint":"update_selector"}]`)),
		Coverage: []device.Coverage{{Stream: "a", StateStream: "a", Required: 4, Hydrated: 2}},
	})
}

// conclude ends a run, twice as if the answer had been lost.
func (d *history) conclude(x *onDevice, run string, o device.Outcome) {
	d.runs++
	c := &device.RunCommit{Version: 1, CommitID: fmt.Sprint("commit", d.runs), RunID: run, Outcome: o}
	if c.Outcome.Status == tables.StatusSucceeded {
		c.StateDelta = map[string]json.RawMessage{"a": []byte(`{"at":1}`)}
	}
	event, replayed, err := d.s.CommitDeviceRun(d.ctx, x.src, c, hashOf("envelope"))
	if d.refusedDevice(err) {
		return
	}
	if again, replayed, err := d.s.CommitDeviceRun(d.ctx, x.src, c, hashOf("envelope")); err != nil || !replayed || again != event {
		d.t.Fatalf("again: got %q, replayed %v, %v; want %q, true, no error", again, replayed, err, event)
	}
	if replayed {
		d.t.Fatal("a new commit was known")
	}
	x.ran, x.run = append(x.ran, run), ""
	d.remember(x, c, o.FinishedAt)
}

// remember keeps what somebody knows who remembers every run of the device.
func (d *history) remember(x *onDevice, c *device.RunCommit, ended time.Time) {
	conn, err := d.s.Connection(d.ctx, x.src.ConnectionName)
	d.ok(err)
	if len(conn.PinnedManifest) == 0 {
		return // of what it ran nothing is known
	}
	if now := d.clock.Now(); ended.After(now) {
		ended = now
	}
	streams := c.Outcome.Streams
	if string(conn.PinnedManifest) != keptManifest {
		streams = slices.DeleteFunc(slices.Clone(streams), func(s string) bool { return s != "a" })
	}
	known := string(c.Outcome.KnownGaps)
	if known == "{}" {
		known = "not JSON"
	}
	d.of(conn.Name).keep(streams, Outcome{Status: c.Outcome.Status, Narrowed: c.Outcome.Narrowed, KnownGaps: []byte(known)}, ended)
}

// hashOf is the hash of words, in hex.
func hashOf(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, " ")))
	return hex.EncodeToString(sum[:])
}
