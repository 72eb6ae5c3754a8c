package storage

import (
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// invite makes a code for a binding of connector demo, good for an hour.
func (x *exercise) invite(code, binding string) {
	x.Helper()
	x.ok(x.s.NewEnrollmentCode(x.Context(), EnrollmentCode{
		CodeHash: hashOf(code), ConnectorID: "demo", Binding: binding, DisplayName: "the laptop", ExpiresAt: x.clock.Now().Add(time.Hour),
	}))
}

func (x *exercise) enroll(code, token string) (*SourceInstance, error) {
	return x.s.Enroll(x.Context(), Enrolling{CodeHash: hashOf(code), TokenHash: hashOf(token), Label: "work\x1b[2J", AgentVersion: "1.0"})
}

// enrolled is a source whose manifest is kept.
func (x *exercise) enrolled(binding string) *SourceInstance {
	x.Helper()
	x.runs++
	code := fmt.Sprint("code", x.runs)
	x.invite(code, binding)
	src, err := x.enroll(code, "token"+code)
	x.ok(err)
	changed, err := x.s.PutDeviceManifest(x.Context(), src, hashOf("module"), []byte(keptManifest))
	x.ok(err)
	x.same(changed, true)
	return src
}

func (x *exercise) letIn(token string) error {
	_, err := x.s.DeviceByToken(x.Context(), hashOf(token))
	return err
}

func exerciseEnroll(_ *testing.T, x *exercise) {
	_, err := x.enroll("never made", "t")
	x.code(err, device.CodeUnauthorized)
	x.code(x.letIn("t"), device.CodeUnauthorized)

	x.invite("withdrawn", "laptop")
	codes, err := x.s.EnrollmentCodes(x.Context())
	x.ok(err)
	x.same([]any{len(codes), codes[0].CodeHash, codes[0].ConnectorID, codes[0].CreatedAt.UTC()}, []any{1, hashOf("withdrawn"), "demo", x.clock.Now().UTC()})
	x.invite("code", "laptop")
	first, err := x.enroll("code", "t1")
	x.ok(err)
	for code, want := range map[string]bool{"withdrawn": true, "code": false} { // one was used
		had, err := x.s.ForgetEnrollmentCode(x.Context(), hashOf(code))
		x.ok(err)
		x.same(had, want)
	}
	_, err = x.enroll("withdrawn", "t")
	x.code(err, device.CodeUnauthorized)
	x.same([]string{first.ConnectionName, first.ConnectorID, first.Binding, first.DeviceLabel}, []string{"laptop", "demo", "laptop", "work[2J"})

	// The answer was lost: the same device, another credential.
	second, err := x.enroll("code", "t2")
	x.ok(err)
	x.same([]string{second.ID, second.DeviceID, second.ConnectionID}, []string{first.ID, first.DeviceID, first.ConnectionID})
	x.code(x.letIn("t1"), device.CodeUnauthorized)
	_, err = x.s.Enroll(x.Context(), Enrolling{CodeHash: hashOf("code"), TokenHash: hashOf("t3"), Label: "another"})
	x.code(err, device.CodeCodeRaced)
	// It was not: the code no longer works for anybody.
	x.ok(x.letIn("t2"))
	_, err = x.enroll("code", "t4")
	x.code(err, device.CodeCodeUsed)
	x.ok(x.letIn("t2"))

	// The same binding again: the same connection, another device in place of the first.
	x.invite("code2", "laptop")
	again, err := x.enroll("code2", "t5")
	x.ok(err)
	x.same(again.ConnectionID, first.ConnectionID)
	x.code(x.letIn("t2"), device.CodeUnauthorized)
	x.ok(x.letIn("t5"))
	all, err := x.s.SourceInstances(x.Context(), first.ConnectionID)
	x.ok(err)
	x.same([]bool{len(all) == 2, all[0].Active() != all[1].Active()}, []bool{true, true})
	devices, err := x.s.Devices(x.Context())
	x.ok(err)
	x.same(len(devices), 2)

	x.invite("late", "desk")
	x.invite("lost", "desk2")
	_, err = x.enroll("lost", "t6")
	x.ok(err)
	x.clock.forward(time.Hour)
	_, err = x.enroll("late", "t7")
	x.code(err, device.CodeCodeExpired)
	_, err = x.enroll("lost", "t8") // a lost answer is asked for within the code's lifetime
	x.code(err, device.CodeCodeExpired)
}

func exerciseBindings(_ *testing.T, x *exercise) {
	own := x.connection("c")
	for binding, want := range map[string]string{"home": "home", "my laptop": "demo-my-laptop", "../é": "demo", "c": "c-2"} {
		src := x.enrolled(binding)
		x.same(src.ConnectionName, want)
		if src.ConnectionID == own.ID {
			x.Fatal("a device took over a connection of this host")
		}
	}
	x.ok(x.s.NewEnrollmentCode(x.Context(), EnrollmentCode{CodeHash: hashOf("other"), ConnectorID: "other", Binding: "home", ExpiresAt: x.clock.Now().Add(time.Hour)}))
	src, err := x.enroll("other", "t")
	x.ok(err)
	x.same(src.ConnectionName, "home-2")
	x.code(x.s.NewEnrollmentCode(x.Context(), EnrollmentCode{CodeHash: hashOf("x"), ConnectorID: "demo", Binding: "a\nb"}), device.CodeBadRequest)
	x.code(x.s.NewEnrollmentCode(x.Context(), EnrollmentCode{CodeHash: "a code in clear", ConnectorID: "demo", Binding: "b"}), device.CodeBadRequest)

	// A removed connection is gone: the device, its credential and everything of it.
	gone := x.enrolled("gone")
	x.deliver(gone, "run-gone", "a", "k=1")
	x.ok(x.s.PutBlob(x.Context(), gone, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "text/plain", []byte("abc")))
	x.code(x.s.RemoveConnection(x.Context(), "gone", nil), abi.CodeConnectionBusy)
	_, err = x.s.RevokeDevice(x.Context(), gone.DeviceID)
	x.ok(err)
	x.ok(x.s.RemoveConnection(x.Context(), "gone", nil))
	_, err = x.s.SourceInstance(x.Context(), gone.DeviceID, gone.ID)
	x.code(err, device.CodeNotFound)
	_, err = x.s.BlobPart(x.Context(), gone.ConnectionID, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 0)
	x.code(err, device.CodeNotFound)
	_, err = x.s.RevokeDevice(x.Context(), gone.DeviceID)
	x.code(err, device.CodeNotFound)
	for _, table := range []string{"device_batches", "device_commits"} {
		var n int64
		x.ok(x.s.db.Read.QueryRowContext(x.Context(), "SELECT count(*) FROM "+table+" WHERE source_id = ?", gone.ID).Scan(&n))
		x.same(n, 0)
	}
}

// delivery is a batch of one stream: "key=data" for a record, "-key" for a
// deletion. Its id is the next one.
func (x *exercise) delivery(src *SourceInstance, run, stream string, records ...string) IngestBatch {
	x.runs++
	b := &Batch{}
	fill(b, 0, records...)
	return IngestBatch{
		Source: src, RunID: run, BatchID: fmt.Sprint("batch", x.runs), BodyHash: hashOf("body", fmt.Sprint(x.runs)), Seq: int64(x.runs), Records: b, Streams: []string{stream},
	}
}

func (x *exercise) deliver(src *SourceInstance, run, stream string, records ...string) {
	x.Helper()
	n, replayed, err := x.s.IngestBatch(x.Context(), x.delivery(src, run, stream, records...))
	x.ok(err)
	x.same([]any{n, replayed}, []any{len(records), false})
}

func exerciseDelivery(_ *testing.T, x *exercise) {
	src := x.enrolled("laptop")
	b := x.delivery(src, "r1", "a", "k=1", "l=2")
	n, replayed, err := x.s.IngestBatch(x.Context(), b)
	x.ok(err)
	x.same([]any{n, replayed}, []any{2, false})
	n, replayed, err = x.s.IngestBatch(x.Context(), b)
	x.ok(err)
	x.same([]any{n, replayed}, []any{2, true})
	x.deliver(src, "r1", "a", "k=1", "-l", "m=3") // unchanged, deleted, new
	x.same(x.list("laptop", "a"), "1:k=1 3:-l 4:m=3")
	r, err := x.s.Run(x.Context(), "r1")
	x.ok(err)
	x.same([]any{r.Status, r.Holder, r.Counts["a"]}, []any{StatusRunning, "device:" + src.DeviceID, StreamCounts{New: 3, Unchanged: 1, Deleted: 1}})

	for what, change := range map[string]func(*IngestBatch){
		"another body":   func(b *IngestBatch) { b.BodyHash = hashOf("other") },
		"another place":  func(b *IngestBatch) { b.Seq++ },
		"another source": func(b *IngestBatch) { b.Source = x.enrolled("another") },
	} {
		other := b
		change(&other)
		_, _, err = x.s.IngestBatch(x.Context(), other)
		if what == "another source" { // of another device: its own delivery
			x.code(err, device.CodeRunConflict)
			continue
		}
		x.code(err, device.CodeBatchConflict)
	}
	// A name of another device is free.
	twin := x.enrolled("twin")
	other := b
	other.Source, other.RunID = twin, "r2"
	n, replayed, err = x.s.IngestBatch(x.Context(), other)
	x.ok(err)
	x.same([]any{n, replayed}, []any{2, false})

	// The next run ends the one before.
	x.deliver(src, "r3", "b", "k=1")
	r, err = x.s.Run(x.Context(), "r1")
	x.ok(err)
	x.same([]any{r.Status, r.Streams == nil, r.Reason}, []any{StatusAbandoned, true, "collector_stopped"})
	_, _, err = x.s.IngestBatch(x.Context(), x.delivery(src, "r1", "a", "z=1"))
	x.code(err, device.CodeRunConflict)
	n, replayed, err = x.s.IngestBatch(x.Context(), b) // what was taken is answered as ever
	x.ok(err)
	x.same([]any{n, replayed}, []any{2, true})

	_, err = x.s.RevokeDevice(x.Context(), src.DeviceID)
	x.ok(err)
	_, _, err = x.s.IngestBatch(x.Context(), x.delivery(src, "r3", "a", "z=1"))
	x.code(err, device.CodeUnauthorized)
	r, err = x.s.Run(x.Context(), "r3")
	x.ok(err)
	x.same(r.Status, StatusAbandoned)
}

// A device's run and the host's hold the same lease (Invariant 2).
func exerciseDeviceLease(_ *testing.T, x *exercise) {
	src := x.enrolled("laptop")
	x.deliver(src, "r1", "a", "k=1")
	_, err := x.s.BeginRun(x.Context(), x.newRun("laptop"))
	x.code(err, abi.CodeConnectionBusy)
	x.clock.forward(20 * time.Minute)
	_, err = x.s.PutHeartbeat(x.Context(), src, device.Heartbeat{Status: device.StatusRetrying})
	x.ok(err)
	x.clock.forward(20 * time.Minute) // the heartbeat kept it
	_, err = x.s.BeginRun(x.Context(), x.newRun("laptop"))
	x.code(err, abi.CodeConnectionBusy)
	x.clock.forward(11 * time.Minute)
	w := x.begin("laptop", func(n *NewRun) { n.LeaseTTL = time.Hour })
	_, _, err = x.s.IngestBatch(x.Context(), x.delivery(src, "r1", "a", "k=2"))
	x.code(err, device.CodeRunConflict)
	x.code(x.s.CommitDeviceState(x.Context(), src, "r1", map[string][]byte{"a": []byte("1")}), device.CodeRunConflict)
	_, _, err = x.s.IngestBatch(x.Context(), x.delivery(src, "r2", "a", "k=2"))
	x.code(err, device.CodeRetryable)
	x.put(w, 0, "k=3")
	x.finish(w)
	x.deliver(src, "r2", "a", "k=4")
	// A run of the host is none of a device's.
	_, _, err = x.s.IngestBatch(x.Context(), x.delivery(src, w.RunID(), "a", "k=5"))
	x.code(err, device.CodeRunConflict)
	x.same(x.list("laptop", "a"), "3:k=4")
}
