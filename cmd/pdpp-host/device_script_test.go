package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/api"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// deviceDoes is a device in a story, at the point where what it sends has been
// let in: device enroll LABEL (with the code that `devices invite --json` printed),
// device collect STATUS (a run of it with some records), device beat STATUS
// [COUNT=N]…, device send STATUS STREAM KEY DATA (a batch of one record, through the host's
// API, which answers with that status; of a run where it put a manifest). Its ids are in
// $DEVICE and $SOURCE, its token is in $TOKEN; its clock is the story's.
func deviceDoes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: device enroll LABEL | collect STATUS | beat STATUS [COUNT=N]… | send STATUS STREAM KEY DATA")
	}
	ahead, _ := time.ParseDuration(ts.Getenv(story.Later)) // none: no time has passed
	now := func() time.Time { return time.Now().Add(ahead) }
	ctx := context.Background()
	store, err := storage.Open(ctx, storage.Options{Path: filepath.Join(ts.Getenv("DATA"), "pdpp.sqlite"), Now: now})
	ts.Check(err)
	s := scriptedDevice{ctx, ts, store, now}
	switch args[0] {
	case "enroll":
		err = s.enroll(args[1])
	case "collect":
		err = s.collect(args[1])
	case "beat":
		err = s.beat(args[1], args[2:])
	case "offer":
		err = s.offer(args[1])
	case "send":
		err = s.send(args[1:])
	default:
		err = errors.New("a device does not " + args[0])
	}
	ts.Check(errors.Join(err, store.Close()))
}

type scriptedDevice struct {
	ctx   context.Context
	ts    *testscript.TestScript
	store *storage.Store
	now   func() time.Time
}

func (s *scriptedDevice) enroll(label string) error {
	var said struct {
		Result devices.Invited `json:"result"`
	}
	if err := json.Unmarshal([]byte(s.ts.ReadFile("stdout")), &said); err != nil {
		return err
	}
	token, err := device.NewToken(rand.Reader)
	if err != nil {
		return err
	}
	src, err := s.store.Enroll(s.ctx, storage.Enrolling{
		CodeHash: device.SecretHash(said.Result.Code), TokenHash: device.SecretHash(token), Label: label, AgentVersion: "0.1.0+source",
	})
	if err != nil {
		return err
	}
	s.ts.Setenv("DEVICE", src.DeviceID)
	s.ts.Setenv("SOURCE", src.ID)
	s.ts.Setenv("TOKEN", token)
	return nil
}

func (s *scriptedDevice) source() (*storage.SourceInstance, error) {
	return s.store.SourceInstance(s.ctx, s.ts.Getenv("DEVICE"), s.ts.Getenv("SOURCE"))
}

// collect is a run of the connector that reads sessions on a device.
func (s *scriptedDevice) collect(status string) error {
	src, err := s.source()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(s.ts.Getenv("CHECKOUT"), "plugins", src.ConnectorID, "manifest.json"))
	if err != nil {
		return err
	}
	hash := strings.Repeat("ab", 32)
	if _, err := s.store.PutDeviceManifest(s.ctx, src, hash, text); err != nil {
		return err
	}
	run := "run_" + strconv.FormatInt(s.now().UnixNano(), 36)
	at := s.now().UTC()
	stamp := []byte(at.Format(time.RFC3339))
	batch := &storage.Batch{}
	batch.Add(0, []byte("a"), []byte(`{"id":"a"}`), stamp, false)
	batch.Add(1, []byte("coverage:sessions"), []byte(`{"id":"coverage:sessions","store":"sessions","stream":"sessions","status":"collected"}`), stamp, false)
	m, err := manifest.Parse(text)
	if err != nil {
		return err
	}
	streams := []string{"sessions", "coverage_diagnostics"}
	for _, st := range m.Streams {
		if !slices.Contains(streams, st.Name) {
			streams = append(streams, st.Name)
		}
	}
	if _, _, err := s.store.IngestBatch(s.ctx, storage.IngestBatch{
		Source: src, RunID: run, BatchID: "batch_" + run, BodyHash: device.SecretHash(run), Records: batch, Streams: streams,
	}); err != nil {
		return err
	}
	_, _, err = s.store.CommitDeviceRun(s.ctx, src, &device.RunCommit{
		Version: 1, CommitID: "commit_" + run, RunID: run, DeviceID: src.DeviceID, ConnectorID: src.ConnectorID, SourceInstanceID: src.ID,
		Outcome: device.Outcome{
			Status: status, Mode: abi.ModeIncremental, Connector: src.ConnectorID, Version: "0.1.0", ModuleSHA256: hash, Streams: streams, StartedAt: at, FinishedAt: at,
		},
	}, device.SecretHash("commit"+run))
	return err
}

// send delivers a batch of one record to the host's API.
func (s *scriptedDevice) send(args []string) error {
	if len(args) != 4 {
		return errors.New("a batch has a status, a stream, a key and data")
	}
	src, err := s.source()
	if err != nil {
		return err
	}
	records, err := json.Marshal([]map[string]any{{"stream": args[1], "record_key": args[2], "data": json.RawMessage(args[3]), "emitted_at": "2026-01-02T03:04:05Z"}})
	if err != nil {
		return err
	}
	b := device.Batch{DeviceID: src.DeviceID, SourceInstanceID: src.ID, ConnectorID: src.ConnectorID, BatchID: "sent_" + device.Sum256(records), Records: records}
	if b.BodyHash, err = device.Hash(records); err != nil {
		return err
	}
	if src.ManifestSHA256 != "" {
		b.RunID = "sent"
	}
	body, err := json.Marshal(b)
	if err != nil {
		return err
	}
	r := httptest.NewRequestWithContext(s.ctx, http.MethodPost, device.PathIngest(src.DeviceID), bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(device.HeaderProtocol, device.ProtocolVersion)
	r.Header.Set("Authorization", "Bearer "+s.ts.Getenv("TOKEN"))
	w := httptest.NewRecorder()
	api.New(api.Deps{Store: s.store, Now: s.now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler)}).ServeHTTP(w, r)
	if want := args[0]; strconv.Itoa(w.Code) != want {
		return fmt.Errorf("the host answered %d, want %s: %s", w.Code, want, w.Body)
	}
	return nil
}

// offer puts a manifest that adds a stream, and is refused.
func (s *scriptedDevice) offer(stream string) error {
	src, err := s.source()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(s.ts.Getenv("CHECKOUT"), "plugins", src.ConnectorID, "manifest.json"))
	if err != nil {
		return err
	}
	more := strings.Replace(string(text), `"streams": [`, `"streams": [{"name": "`+stream+`", "semantics": "append_only", "primary_key": ["id"], "schema": {"type": "object"}},`, 1)
	_, err = s.store.PutDeviceManifest(s.ctx, src, strings.Repeat("cd", 32), []byte(more))
	if abi.CodeOf(err) != device.CodeManifestNotAccepted {
		return errors.Join(errors.New("the manifest was not refused"), err)
	}
	return s.store.RefuseDelivery(s.ctx, src, storage.RefusedDelivery{Code: device.CodeManifestNotAccepted, Message: "the manifest adds streams"}, false)
}

// beat sends a heartbeat: its status, and counts of its outbox.
func (s *scriptedDevice) beat(status string, counts []string) error {
	src, err := s.source()
	if err != nil {
		return err
	}
	now := s.now().UTC()
	outbox := device.Outbox{LastAckAt: &now, LifecycleState: "healthy_idle"}
	fields := map[string]*int64{
		"pending": &outbox.Pending, "leased": &outbox.Leased, "retrying": &outbox.Retrying, "dead_letter": &outbox.DeadLetter,
		"stale_leases": &outbox.StaleLeases, "succeeded": &outbox.Succeeded, "backlog_open": &outbox.BacklogOpen,
	}
	h := device.Heartbeat{ConnectorID: src.ConnectorID, SourceInstanceID: src.ID, Status: status, Outbox: &outbox}
	for _, c := range counts {
		name, n, _ := strings.Cut(c, "=")
		if fields[name] == nil {
			return fmt.Errorf("no outbox counts %q", name)
		}
		if *fields[name], err = strconv.ParseInt(n, 10, 64); err != nil {
			return err
		}
	}
	waiting := outbox.Pending + outbox.Leased
	h.RecordsPending = &waiting
	if outbox.DeadLetter > 0 {
		outbox.LifecycleState = "dead_letter"
		h.LastError = &device.LastError{Kind: device.ErrorDeadLetters, Classes: []device.ErrorClass{{Count: outbox.DeadLetter, Class: "http_500"}}}
	}
	_, err = s.store.PutHeartbeat(s.ctx, src, h)
	return err
}
