package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A device's life, from its code to its end, as the host's own runs show it.
func TestOneRunOfADevice(t *testing.T) {
	t.Parallel()
	l := ready(t)

	var beat device.HeartbeatAnswer
	n := int64(2)
	l.must(http.StatusOK, l.send(http.MethodPost, device.PathHeartbeat(l.DeviceID), device.Heartbeat{
		ConnectorID: theConnector, SourceInstanceID: l.SourceInstanceID, Status: device.StatusHealthy, RecordsPending: &n,
		Outbox: &device.Outbox{Pending: 2, Total: 2, LifecycleState: "draining"},
	}), &beat)
	if beat.Status != "accepted" || beat.DeviceID != l.DeviceID || beat.ReceivedAt.IsZero() {
		t.Errorf("%+v", beat)
	}

	var took device.BatchAnswer
	b := l.batch("run_1", 1, note("a", "x<y"), note("b", "two"),
		`{"stream":"tops","record_key":"[\"t\",\"week\"]","data":{"id":"t","range":"week"},"emitted_at":"2026-03-01T10:00:00Z","op":"upsert"}`,
		`{"stream":"log","record_key":"1","data":{"id":"1"},"emitted_at":"2026-03-01T10:00:00Z"}`)
	l.must(http.StatusCreated, l.ingest(b), &took)
	if took.Accepted != 4 || took.Rejected != 0 || took.BatchID != b.BatchID || took.BodyHash != b.BodyHash || took.ConnectorInstanceID != l.ConnectorInstanceID {
		t.Errorf("%+v", took)
	}
	l.must(http.StatusCreated, l.ingest(l.batch("run_1", 2, `{"stream":"notes","record_key":"b","emitted_at":"","op":"delete"}`)), nil)

	var state device.State
	path := device.PathState(l.DeviceID, l.SourceInstanceID)
	l.must(http.StatusOK, l.send(http.MethodGet, path, nil), &state)
	if len(state.State) != 1 || state.UpdatedAt != nil || len(state.ManifestSHA256) != 64 {
		t.Errorf("%+v", state)
	}
	l.must(http.StatusOK, l.send(http.MethodPut, path, device.StateCommit{RunID: "run_1", State: map[string]json.RawMessage{"log": json.RawMessage(`{"at":1}`)}}), &state)
	if string(state.State["log"]) != `{"at":1}` || state.UpdatedAt == nil {
		t.Errorf("%+v", state)
	}

	var gap device.GapAnswer
	g := device.Gap{
		ConnectorID: theConnector, SourceInstanceID: l.SourceInstanceID, Reason: "temporary_unavailable", Retryable: true,
		FirstSeenAt: time.Now(), BackoffMS: 900_000, Stream: "notes", Boundary: "c", FirstSeenRunID: "run_1", LastRunID: "run_1",
	}
	l.must(http.StatusCreated, l.send(http.MethodPost, device.PathGaps(l.DeviceID, l.SourceInstanceID), g), &gap)
	first := gap.GapID
	l.must(http.StatusOK, l.send(http.MethodPost, device.PathGapsRecovered(l.DeviceID, l.SourceInstanceID), device.GapRecovered{
		ConnectorID: theConnector, SourceInstanceID: l.SourceInstanceID, Reason: "temporary_unavailable", Stream: "notes", Boundary: "c", RecoveredRunID: "run_1",
	}), &gap)
	if gap.GapID != first || gap.Status != "recovered" || gap.Stream != "notes" {
		t.Errorf("%+v", gap)
	}

	var end device.RunCommitAnswer
	c := l.commit("run_1", "commit_1", map[string]json.RawMessage{"notes": json.RawMessage(`{"after":"<a>"}`)})
	l.must(http.StatusOK, l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), c), &end)
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := device.Hash(text); err != nil || end.EnvelopeHash != sum || end.CommitID != "commit_1" || end.RunID != "run_1" || end.TerminalEventID == "" {
		t.Errorf("%+v, %v", end, err)
	}
	again := l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), c)
	var same device.RunCommitAnswer
	if l.must(http.StatusOK, again, &same); same != end {
		t.Errorf("the same end again: %+v, then %+v", end, same)
	}
	l.refuses(http.StatusConflict, device.CodeRunConflict, l.ingest(l.batch("run_1", 3, note("z", "late"))))

	run, err := l.store.Run(context.Background(), "run_1")
	if err != nil || run.Status != "succeeded" || run.Counts["notes"].New != 2 || run.Counts["notes"].Deleted != 1 || run.Counts["tops"].New != 1 {
		t.Errorf("%+v, %v", run, err)
	}
	l.must(http.StatusOK, l.send(http.MethodGet, path, nil), &state)
	if string(state.State["notes"]) != `{"after":"<a>"}` && string(state.State["notes"]) != `{"after":"\u003ca\u003e"}` {
		t.Errorf("the cursor is %s", state.State["notes"])
	}

	var gone device.Revocation
	l.must(http.StatusOK, l.send(http.MethodPost, device.PathSelfRevoke(l.DeviceID), nil), &gone)
	if gone.DeviceID != l.DeviceID || gone.RevokedAt.IsZero() {
		t.Errorf("%+v", gone)
	}
	l.refuses(http.StatusUnauthorized, device.CodeUnauthorized, l.send(http.MethodGet, path, nil))
}

// The same delivery again has the same answer and advances nothing, also no count;
// another one under its name is refused.
func TestADeliveryIsTakenOnce(t *testing.T) {
	t.Parallel()
	l := ready(t)
	b := l.batch("run_1", 7, note("a", "one"))
	first := l.ingest(b)
	again := l.ingest(b)
	if l.must(http.StatusCreated, first, nil); again.status != first.status || string(again.body) != string(first.body) {
		t.Errorf("%s, then %d %s", first.body, again.status, again.body)
	}
	other := l.batch("run_1", 7, note("a", "two"))
	other.BatchID = b.BatchID
	l.refuses(http.StatusConflict, device.CodeBatchConflict, l.ingest(other))
	other = b
	other.BatchSeq = 8
	l.refuses(http.StatusConflict, device.CodeBatchConflict, l.ingest(other))
	run, err := l.store.Run(context.Background(), "run_1")
	if err != nil || run.Counts["notes"].New != 1 || run.Counts["notes"].Unchanged != 0 {
		t.Errorf("%+v %v", run, err)
	}
}

// A delivery of nothing is one all the same: it has an identity, and it counts.
func TestAnEmptyDelivery(t *testing.T) {
	t.Parallel()
	l := ready(t)
	var took device.BatchAnswer
	l.must(http.StatusCreated, l.ingest(l.batch("run_1", 1)), &took)
	l.must(http.StatusCreated, l.ingest(l.batch("run_1", 1)), &took)
	if took.Accepted != 0 || took.Status != "accepted" {
		t.Errorf("%+v", took)
	}
}

// The hash covers the records' values and not their spelling.
func TestTheHashIsOfTheValue(t *testing.T) {
	t.Parallel()
	l := ready(t)
	b := l.batch("run_1", 1, note("a", "x"))
	b.BodyHash = strings.Repeat("0", 64)
	l.refuses(http.StatusBadRequest, device.CodeBatchHashMismatch, l.ingest(b))
	spelled := l.raw("run_1", 1, `[{"stream":"notes","record_key":"a","data":{"id":"a","n":1},"emitted_at":"2026-03-01T10:00:00Z"}]`)
	spelled = strings.Replace(spelled, `"data":{"id":"a","n":1}`, "\n\t \"data\" : {\"n\":1.0e0 ,\r\n\"\\u0069d\":\"\\u0061\"}", 1)
	l.must(http.StatusCreated, l.send(http.MethodPost, device.PathIngest(l.DeviceID), spelled), nil)
}

// The store then has the bytes and the keys that a local run of the same connector would have
// stored.
func TestStoredAsALocalRunStores(t *testing.T) {
	t.Parallel()
	l := ready(t)
	const data = `{"id":"a\u0062é","text":"<1 & 2>\u2028","n":9007199254740993}`
	l.must(http.StatusCreated, l.send(http.MethodPost, device.PathIngest(l.DeviceID), l.raw("run_1", 1,
		`[{"stream":"notes","record_key":"abé","data":`+data+`,"emitted_at":"2026-03-01T10:00:00Z"},`+
			`{"stream":"tops","record_key":"[\"a\\n\",\"é\"]","data":{"id":"a\n","range":"\u00e9"},"emitted_at":"2026-03-01T10:00:00Z"}]`)), nil)
	conn, err := l.store.Connection(context.Background(), l.ConnectorInstanceID)
	if err != nil {
		t.Fatal(err)
	}
	for stream, want := range map[string][2]string{"notes": {"abé", data}, "tops": {`["a\n","é"]`, `{"id":"a\n","range":"\u00e9"}`}} {
		all, err := l.store.Records(context.Background(), conn.Name, stream, storage.RecordQuery{})
		if err != nil || len(all) != 1 || all[0].Key != want[0] || string(all[0].Data) != want[1] {
			t.Errorf("%s holds %+v, want %q, %v", stream, all, want, err)
		}
	}
}

// raw is a delivery whose records keep their spelling.
func (l *lane) raw(run string, seq int64, records string) string {
	l.t.Helper()
	b := l.batch(run, seq)
	sum, err := device.Hash([]byte(records))
	if err != nil {
		l.t.Fatal(err)
	}
	b.BodyHash, b.Records = sum, json.RawMessage(`"HERE"`)
	text, err := json.Marshal(b)
	if err != nil {
		l.t.Fatal(err)
	}
	return strings.Replace(string(text), `"HERE"`, records, 1)
}
