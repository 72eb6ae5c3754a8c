package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

const fuzzToken = "ldt-c4n4ry"

// answering answers every request alike.
type answering struct {
	status int
	header http.Header
	body   []byte
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)), Request: r}, nil
}

// FuzzAnswers feeds answers of a hostile host to everything that reads one. None
// may be taken for an acknowledgement of what was not confirmed, and none may
// show the credential.
func FuzzAnswers(f *testing.F) {
	f.Add(200, "", []byte(`{"status":"accepted"}`))
	f.Add(201, "", []byte(`{"commit_id":null,"run_id":[],"envelope_hash":{}}`))
	f.Add(503, "Sun, 01 Mar 2026 12:05:00 GMT", []byte(`{"error":{"code":"x","message":"`+fuzzToken+`"}}`))
	f.Add(302, "-1", []byte("\xff\xfe{"))
	f.Fuzz(func(t *testing.T, status int, after string, body []byte) {
		if status < 200 || status > 999 {
			return
		}
		p := &profile.Profile{BaseURL: "https://host.example", DeviceID: "dev_1", Token: profile.NewToken(fuzzToken), SourceInstanceID: "src_1", ConnectorID: "scripted"}
		c, err := New(p.BaseURL, p.Token, answering{status, http.Header{"Retry-After": {after}}, body}, time.Now, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		l := &Lane{Client: c, Profile: p}
		batch := []byte(`{"device_id":"dev_1","source_instance_id":"src_1","batch_id":"b","body_hash":"h","records":[]}`)
		commit := []byte(`{"device_id":"dev_1","source_instance_id":"src_1","commit_id":"c","run_id":"r"}`)
		_, stateErr := l.State(t.Context())
		_, revokeErr := l.Revoke(t.Context())
		errs := []error{
			stateErr, revokeErr, l.sendBatch(t.Context(), batch), l.sendCommit(t.Context(), commit),
			l.sendCheckpoint(t.Context(), []byte(`{"run_id":"r","state":{"notes":{"at":1}}}`)),
			l.sendGap(t.Context(), []byte(`{"reason":"x","stream":"notes","source_instance_id":"src_1"}`), true),
			l.Heartbeat(t.Context(), device.Heartbeat{}), l.PutManifest(t.Context(), "m", []byte("{}")),
		}
		for i, err := range errs {
			if err == nil && (status > 299 || !json.Valid(body)) {
				t.Errorf("%d: %d %q was taken", i, status, body)
			}
			if err != nil && strings.Contains(fmt.Sprintf("%v %+v %#v", err, errors.Unwrap(err), err), fuzzToken) {
				t.Errorf("%d: the credential shows: %v", i, err)
			}
		}
		if errs[3] == nil {
			hash, _ := device.Hash(commit)
			if !strings.Contains(string(body), hash) {
				t.Errorf("%q was taken for the end of a run", body)
			}
		}
	})
}
