package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

const canary = "canary0f1e2d"

// broken fails with what it was given, as a store that is careless would.
type broken struct {
	*storage.Store
	with func(what string) error
}

func (b broken) IngestBatch(_ context.Context, in storage.IngestBatch) (int64, bool, error) {
	return 0, false, b.with(in.RunID)
}

func (b broken) PutHeartbeat(_ context.Context, _ *storage.SourceInstance, h device.Heartbeat) (time.Time, error) {
	return time.Time{}, b.with(h.AgentVersion)
}

// Invariant 5: no token, no code, no value and no path of a device's is in the log
// or in a refusal, whatever goes wrong with it.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	l := ready(t)
	code := l.code("another", time.Hour)
	l.must(http.StatusUnauthorized, l.ask(http.MethodPost, device.PathEnroll, `{"enrollment_code":"`+canary+`"}`), nil)
	l.must(http.StatusBadRequest, l.ask(http.MethodPost, device.PathEnroll, `{"enrollment_code":"`+code+`","device_label":7}`), nil)
	l.must(http.StatusBadRequest, l.ask(http.MethodPost, device.PathEnroll, `{"enrollment_code":"`+code+`"`), nil)
	var answers []string
	for _, body := range []string{
		`{"agent_version":"` + canary + `","status":7}`, `{"` + canary + `":1,"` + canary + `":2}`, `{"status":"` + canary + `"}`, canary,
		`{"outbox":{"oldest_pending_at":"` + canary + `"}}`,
	} {
		answers = append(answers, string(l.send(http.MethodPost, device.PathHeartbeat(l.DeviceID), body).body))
	}
	answers = append(answers,
		string(l.ingest(l.batch("run_1", 1, `{"stream":"`+canary+`","record_key":"`+canary+`","data":{"id":"`+canary+`"},"emitted_at":"`+canary+`"}`)).body),
		string(l.ingest(l.batch("run_1", 1, `{"stream":"notes","record_key":"`+canary+`","data":{"id":"`+canary+`","`+canary+`":1,"n":"/home/`+canary+`"},"emitted_at":"t"}`)).body),
		string(l.send(http.MethodGet, device.PathState(l.DeviceID, canary), nil).body),
		string(l.send(http.MethodGet, "/"+canary, nil).body),
		string(l.send(http.MethodPut, device.PathState(l.DeviceID, l.SourceInstanceID), `{"run_id":"r","state":{"`+canary+`":{}}}`).body),
	)
	for says, with := range map[string]func(string) error{
		"panic of a text":   func(string) error { panic(canary) },
		"panic of an error": func(string) error { panic(errors.New(canary)) },
		"an error":          func(string) error { return errors.New(canary) },
		"a wrapped error": func(string) error {
			return abi.NewError(abi.CodeStoreUnavailable, "the store failed", "").WithDetail("/home/" + canary).Wrap(errors.New(canary))
		},
	} {
		b := hostOver(t, l.store, broken{l.store, with})
		at := &lane{b, l.Enrollment}
		for _, a := range []answered{
			at.ingest(at.batch("run_"+canary, 1, note(canary, canary))),
			at.send(http.MethodPost, device.PathHeartbeat(l.DeviceID), device.Heartbeat{
				ConnectorID: theConnector, SourceInstanceID: l.SourceInstanceID, Status: "healthy", AgentVersion: canary,
			}),
		} {
			if f := a.failure(t); a.status != 500 && a.status != 503 || f.Type != "api_error" || strings.Contains(string(a.body), canary) {
				t.Errorf("%s: %d %s", says, a.status, a.body)
			}
		}
		if text := b.log.String(); !strings.Contains(text, "request=req_") || strings.Contains(text, canary) || strings.Contains(text, l.DeviceToken) {
			t.Errorf("%s: the log is %s", says, text)
		}
	}
	for _, a := range append(answers, l.log.String()) {
		for _, secret := range []string{canary, l.DeviceToken, l.DeviceToken[3:], code, code[3:], device.SecretHash(l.DeviceToken)} {
			if strings.Contains(a, secret) {
				t.Errorf("%q is told in %s", secret, a)
			}
		}
	}
	if !strings.Contains(l.log.String(), "a device was enrolled") {
		t.Error("the log is not looked at")
	}
}

// A failure that passes is answered as one to try again soon; a permanent one is reported as
// the host's fault.
func TestFailuresOfTheHost(t *testing.T) {
	t.Parallel()
	l := ready(t)
	for _, tc := range []struct {
		err    error
		status int
		code   string
		after  string
	}{
		{abi.NewError(abi.CodeStoreLocked, "m", ""), 503, device.CodeRetryable, "1"},
		{abi.NewError(abi.CodeStoreFull, "m", ""), 503, device.CodeRetryable, "1"},
		{abi.NewError(device.CodeRetryable, "the host runs it", ""), 503, device.CodeRetryable, "1"},
		{context.DeadlineExceeded, 503, device.CodeRetryable, "1"},
		{context.Canceled, 503, device.CodeRetryable, "1"},
		{abi.NewError(abi.CodeStoreCorrupt, "m", ""), 500, device.CodeInternal, ""},
		{errors.New("any"), 500, device.CodeInternal, ""},
		{abi.NewError(device.CodeUnauthorized, "revoked meanwhile", ""), 401, device.CodeUnauthorized, ""},
		{abi.NewError(device.CodeRunConflict, "it has ended", ""), 409, device.CodeRunConflict, ""},
	} {
		at := &lane{hostOver(t, l.store, broken{l.store, func(string) error { return tc.err }}), l.Enrollment}
		a := at.ingest(at.batch("run_1", 1, note("a", "x")))
		if at.refuses(tc.status, tc.code, a); a.head.Get("Retry-After") != tc.after {
			t.Errorf("%v: to come again after %q", tc.err, a.head.Get("Retry-After"))
		}
	}
}

// A token is kept as its hash alone.
func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	l := ready(t)
	d, err := l.store.DeviceByToken(context.Background(), device.SecretHash(l.DeviceToken))
	if err != nil || d.ID != l.DeviceID {
		t.Fatal(d, err)
	}
	if _, err := l.store.DeviceByToken(context.Background(), l.DeviceToken); err == nil {
		t.Error("the token itself is kept")
	}
	if strings.Contains(fmt.Sprintf("%+v", d), l.DeviceToken) {
		t.Errorf("%+v", d)
	}
}
