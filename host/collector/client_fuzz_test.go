package collector

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// FuzzAnswers feeds answers of a hostile host to everything that reads one. None
// may be taken for an acknowledgement of what was not confirmed, and none may
// show the credential.
func FuzzAnswers(f *testing.F) {
	f.Add(200, "", []byte(`{"status":"accepted"}`))
	f.Add(201, "", []byte(`{"commit_id":null,"run_id":[],"envelope_hash":{}}`))
	f.Add(503, "Sun, 01 Mar 2026 12:05:00 GMT", []byte(`{"error":{"code":"x","message":"`+testToken+`"}}`))
	f.Add(302, "-1", []byte("\xff\xfe{"))
	f.Fuzz(func(t *testing.T, status int, after string, body []byte) {
		if status < 200 || status > 999 {
			return
		}
		p := &Profile{BaseURL: "https://host.example", DeviceID: testDevice, Token: NewToken(testToken), SourceInstanceID: testSource, ConnectorID: "scripted"}
		c, err := newClient(p.BaseURL, p.Token, transport(func(r *http.Request) (*http.Response, error) {
			a := answer{status: status, header: http.Header{"Retry-After": {after}}, body: string(body)}
			return a.response(r), nil
		}), time.Now, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		l := &lane{client: c, p: p}
		batch := []byte(`{"device_id":"dev_1","source_instance_id":"src_1","batch_id":"b","body_hash":"h","records":[]}`)
		commit := []byte(`{"device_id":"dev_1","source_instance_id":"src_1","commit_id":"c","run_id":"r"}`)
		_, stateErr := l.state(t.Context())
		_, revokeErr := l.revoke(t.Context())
		errs := []error{
			stateErr, revokeErr, l.sendBatch(t.Context(), batch), l.sendCommit(t.Context(), commit),
			l.sendCheckpoint(t.Context(), []byte(`{"run_id":"r","state":{"notes":{"at":1}}}`)),
			l.sendGap(t.Context(), []byte(`{"reason":"x","stream":"notes","source_instance_id":"src_1"}`), true),
			l.heartbeat(t.Context(), device.Heartbeat{}), l.putManifest(t.Context(), "m", []byte("{}")),
		}
		for i, err := range errs {
			if err == nil && (status > 299 || !json.Valid(body)) {
				t.Errorf("%d: %d %q was taken", i, status, body)
			}
			if err != nil && strings.Contains(everywhere(err), testToken) {
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
