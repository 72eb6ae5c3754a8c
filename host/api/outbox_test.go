package api

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/storage"
)

// emitted is what one guest emits, in spellings that a careless reader changes.
var emitted = strings.Join([]string{
	`{"type":"RECORD","stream":"notes","key":"a","data":{"id":"a","text":"<b> & \u2028 \ud83d\ude00 é","n":9007199254740993},"emitted_at":"2026-03-01T10:00:00Z"}`,
	`{"type":"RECORD","stream":"notes","key":"\u0062\n\"","data": { "n" : 1.0 , "id":"b\n\u0022" },"emitted_at":"2026-03-01T10:00:00.123456789+01:00"}`,
	`{"type":"RECORD","stream":"notes","key":"gone","op":"delete"}`,
	`{"type":"RECORD","stream":"notes","key":"gone too","op":"delete","data":{"id":"gone too"},"emitted_at":"2026-03-01T10:00:00Z"}`,
	`{"type":"RECORD","stream":"tops","key":["\u0061/","<\t\u0001"],"data":{"range":"<\t\u0001","id":"a/"},"emitted_at":"x"}`,
	`{"type":"RECORD","stream":"log","key":"[\"no list\"]","data":{"id":"[\"no list\"]"},"emitted_at":"2026-03-01T10:00:00Z"}`,
	`{"type":"RECORD","stream":"log","key":"large","data":{"id":"large","x":"` + strings.Repeat("&", 900_000) + `"},"emitted_at":"2026-03-01T10:00:00Z"}`,
	full(`{"type":"RECORD","stream":"log","key":"full\n\u0001\"","data":{"id":"full\n\u0001\"","x":"%s"},"emitted_at":"\tx"}`),
}, "\n")

// full is a line that is as long as one may be.
func full(line string) string {
	return fmt.Sprintf(line, strings.Repeat("&", abi.MaxRecordBytes-len(line)+len("%s")))
}

// collect has a run write what the guest emits, as a run does.
func collect(t *testing.T, store *storage.Store, connection string) {
	t.Helper()
	ctx := context.Background()
	conn, err := store.EnsureConnection(ctx, connection, theConnector)
	if err != nil {
		t.Fatal(err)
	}
	h, err := new(gates).lookUp([]byte(theManifest))
	if err != nil {
		t.Fatal(err)
	}
	gate, err := h.compile()
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.BeginRun(ctx, storage.NewRun{
		RunID: "run_" + connection, ConnectionID: conn.ID, Connector: theConnector, Version: "0.1.0", ModuleSHA256: theModule, Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "h", Streams: h.streams, LeaseTTL: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	batch := w.NewBatch()
	err = gate.Records([]byte(emitted), func(r *boundary.Record) error {
		if r.Rejected != nil {
			return fmt.Errorf("%+v", *r.Rejected)
		}
		batch.Add(r.Stream, r.Key, r.Data, r.EmittedAt, r.Delete)
		return nil
	})
	if err == nil {
		err = w.Write(ctx, batch)
	}
	if err == nil {
		err = w.PutGap(ctx, storage.Gap{Stream: "notes", RecordKey: "a key of é", Reason: "rate_limited", Class: "http_429", DetailLocator: []byte(`{"path":"/home/ada"}`)})
	}
	if err == nil {
		err = w.CommitSlice(ctx, "log", []byte(`{"at":"<1>"}`), "slice")
	}
	if err == nil {
		err = w.Finish(ctx, storage.Outcome{
			Status: "succeeded", Checkpoints: []storage.StateCommit{{Stream: "notes", Cursor: []byte(`{"after":"b&c"}`)}},
			KnownGaps: []byte(`[{"kind":"skip_result","reason":"r","severity":"transient","stream":"notes","count":1}]`),
			Withheld:  []storage.Withheld{{Stream: "tops", Reason: "gaps"}},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// takes delivers all that an outbox holds, and returns how many of each kind.
func (l *lane) takes(queue *storage.Outbox) map[string]int {
	l.t.Helper()
	ctx := context.Background()
	kinds := map[string]int{}
	for {
		items, err := queue.Claim(ctx, storage.ClaimRequest{Holder: "h", Lease: time.Minute, Limit: 4})
		if err != nil {
			l.t.Fatal(err)
		}
		if len(items) == 0 {
			break
		}
		for i := range items {
			item := &items[i]
			method, path := http.MethodPost, ""
			switch item.Kind {
			case storage.KindRecordBatch:
				path = device.PathIngest(l.DeviceID)
			case storage.KindCheckpoint:
				method, path = http.MethodPut, device.PathState(l.DeviceID, l.SourceInstanceID)
			case storage.KindGap:
				path = device.PathGaps(l.DeviceID, l.SourceInstanceID)
			case storage.KindRunCommit:
				path = device.PathRunCommits(l.DeviceID, l.SourceInstanceID)
			}
			a := l.send(method, path, item.Body(l.DeviceID, l.ConnectorInstanceID))
			if a.status >= http.StatusBadRequest {
				l.t.Fatalf("%s: %d %s", item.Kind, a.status, a.body)
			}
			if err := queue.Acknowledge(ctx, item); err != nil {
				l.t.Fatal(err)
			}
			kinds[item.Kind]++
		}
	}
	return kinds
}

// LC-04.1: what a device's run queues, the host takes as it is queued, its records
// before the cursors that they justify; and what it then
// holds is what a run of its own would have stored, byte for byte.
func TestWhatAnOutboxHoldsIsTaken(t *testing.T) {
	t.Parallel()
	l := ready(t)
	ctx := context.Background()
	queue, err := storage.OpenOutbox(ctx, storage.Options{Path: filepath.Join(t.TempDir(), "lane.sqlite"), Now: time.Now}, storage.Lane{SourceInstanceID: l.SourceInstanceID, ConnectorID: theConnector})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	collect(t, queue.Store, "lane")
	collect(t, l.store, "local")

	kinds := l.takes(queue)
	if kinds[storage.KindRecordBatch] == 0 || kinds[storage.KindCheckpoint] != 1 || kinds[storage.KindGap] != 1 || kinds[storage.KindRunCommit] != 1 {
		t.Errorf("delivered %v", kinds)
	}

	conn, err := l.store.Connection(ctx, l.ConnectorInstanceID)
	if err != nil {
		t.Fatal(err)
	}
	for stream, want := range map[string]int{"notes": 4, "tops": 1, "log": 3} {
		got, err := l.store.Records(ctx, conn.Name, stream, storage.RecordQuery{Deleted: true})
		own, err2 := l.store.Records(ctx, "local", stream, storage.RecordQuery{Deleted: true})
		if err != nil || err2 != nil || len(got) != want || len(own) != want {
			t.Fatalf("%s: %d of a device, %d of its own, %v %v", stream, len(got), len(own), err, err2)
		}
		for i, r := range got {
			if o := own[i]; r.Key != o.Key || string(r.Data) != string(o.Data) || r.Deleted != o.Deleted || r.EmittedAt != o.EmittedAt {
				t.Errorf("%s: %.300q, its own is %.300q", stream, fmt.Sprint(r), fmt.Sprint(o))
			}
		}
	}
	var state device.State
	l.must(http.StatusOK, l.send(http.MethodGet, device.PathState(l.DeviceID, l.SourceInstanceID), nil), &state)
	if len(state.State) != 3 || len(state.State["notes"]) == 0 || len(state.State["log"]) == 0 {
		t.Errorf("%v", state.State)
	}
	run, err := l.store.Run(ctx, "run_lane")
	if err != nil || run.Status != "succeeded" || len(run.Withheld) != 1 || len(run.KnownGaps) == 0 || run.Counts["notes"].New != 2 {
		t.Errorf("%+v %v", run, err)
	}
}

// A run that failed for some of its streams moves the cursors of the others, on a
// device as here: its end is taken, or nothing of the device would be any more.
func TestWhatARunThatFailedInPartLeavesIsTaken(t *testing.T) {
	t.Parallel()
	l := ready(t)
	ctx := context.Background()
	queue, err := storage.OpenOutbox(ctx, storage.Options{Path: filepath.Join(t.TempDir(), "lane.sqlite"), Now: time.Now}, storage.Lane{SourceInstanceID: l.SourceInstanceID, ConnectorID: theConnector})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	conn, err := queue.EnsureConnection(ctx, "lane", theConnector)
	if err != nil {
		t.Fatal(err)
	}
	w, err := queue.BeginRun(ctx, storage.NewRun{
		RunID: "run_1", ConnectionID: conn.ID, Connector: theConnector, Version: "0.1.0", ModuleSHA256: theModule, Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "h", Streams: []string{"notes", "log"}, LeaseTTL: time.Minute,
	})
	if err == nil {
		err = w.Finish(ctx, storage.Outcome{
			Status: "failed", Reason: "connector_reported_failed", Error: &storage.RunError{Code: string(abi.ReasonStreamCollectionFailed), Message: "m"},
			Checkpoints: []storage.StateCommit{{Stream: "notes", Cursor: []byte(`{"after":"b"}`)}},
			KnownGaps:   []byte(`[{"kind":"skip","reason":"stream_collection_failed","severity":"recoverable","stream":"log","count":1}]`),
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if kinds := l.takes(queue); kinds[storage.KindRunCommit] != 1 {
		t.Errorf("delivered %v", kinds)
	}
	var state device.State
	l.must(http.StatusOK, l.send(http.MethodGet, device.PathState(l.DeviceID, l.SourceInstanceID), nil), &state)
	if run, err := l.store.Run(ctx, "run_1"); err != nil || run.Status != "failed" || string(state.State["notes"]) != `{"after":"b"}` {
		t.Errorf("%+v, %v, %s", run, err, state.State)
	}
}
