package sdk_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// The errors that end a run, those that also do when the connector asks for it, and
// those that stop one stream. A sign-in that cannot be renewed counts as refused
// credentials.
func TestEndsRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err                 error
		ends, refused, auth bool
	}{
		"stop":                {sdk.ErrStopped, true, false, false},
		"the connector's":     {abi.NewError(abi.CodeEnvelope, "x", ""), true, false, false},
		"a status":            {&sdk.Failure{Code: "x_http_404"}, false, false, false},
		"credentials":         {&sdk.Failure{Code: "x_auth_failed"}, true, false, false},
		"any other":           {errors.New("x"), false, false, false},
		"provider failing":    {&sdk.FetchError{Code: "send.attempts_exhausted", GapReason: abi.ReasonUpstreamPressure}, false, false, false},
		"provider refusing":   {&sdk.FetchError{Code: "send.rate_limited", GapReason: abi.ReasonRateLimited}, false, true, false},
		"the host's end":      {&sdk.FetchError{Code: "send.stopped", Final: true}, true, false, false},
		"no credential":       {&sdk.FetchError{Code: "send.credential_missing"}, false, true, true},
		"sign-in not renewed": {&sdk.FetchError{Code: "send.renewal_refused"}, false, true, true},
	} {
		for _, err := range []error{c.err, fmt.Errorf("page 3: %w", c.err)} {
			if sdk.EndsRun(err) != c.ends || sdk.Refused(err) != c.refused {
				t.Errorf("%s: ends %v, refused %v, want %v and %v", name, sdk.EndsRun(err), sdk.Refused(err), c.ends, c.refused)
			}
			f, ok := sdk.AsFailure(sdk.AuthFailed("test", err))
			if got := ok && f.Code == "test_auth_failed" && f.Hint == "refresh_credentials" && errors.Is(f, c.err); got != c.auth {
				t.Errorf("%s: %+v, want got = %v", name, f, c.auth)
			}
			if !c.auth && sdk.AuthFailed("test", err) != err { //nolint:errorlint // it stays as it is
				t.Errorf("%s became another error, want it unchanged", name)
			}
		}
	}
	if sdk.EndsRun(nil) || sdk.Refused(nil) {
		t.Error("no error ends the run")
	}
}

// Failed streams are reported and counted; an error that ends the run is returned and
// not reported.
func TestFailedStreams(t *testing.T) {
	t.Parallel()
	hint := func(code string) string {
		return map[string]string{"test_http_403": "refresh_credentials"}[code]
	}
	for name, c := range map[string]struct {
		err                     error
		text, hint, diagnostics string
	}{
		"failure":       {&sdk.Failure{Code: "test_odd", Message: "odd"}, "test_odd: odd", "retry_by_runtime", `{"code":"test_odd"}`},
		"its own hint":  {&sdk.Failure{Code: "test_odd", Message: "test_odd", Hint: "not_retriable"}, "test_odd", "not_retriable", `{"code":"test_odd"}`},
		"hint by code":  {&sdk.Failure{Code: "test_http_403", Message: "m"}, "test_http_403: m", "refresh_credentials", `{"code":"test_http_403"}`},
		"no such hint":  {&sdk.Failure{Code: "test_odd", Message: "odd", Hint: "pray"}, "test_odd: odd", "unknown", `{"code":"test_odd"}`},
		"fetch":         {&sdk.FetchError{Code: "send.x", Message: "m", Status: 503}, "m", "retry_by_runtime", `{"code":"send.x","http_status":503}`},
		"fetch, said":   {&sdk.FetchError{Code: "send.x", Message: "m", Said: "Down."}, `m; its own words: "Down."`, "retry_by_runtime", `{"code":"send.x"}`},
		"fetch, silent": {&sdk.FetchError{Code: "send.x", Message: "m"}, "m", "retry_by_runtime", `{"code":"send.x"}`},
		"any other":     {errors.New("m"), "m", "retry_by_runtime", ""},
	} {
		res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
			failed := sdk.FailedStreams{Hint: hint}
			if err := failed.Note(h, nil, "log"); err != nil {
				return err
			}
			if err := failed.Note(h, c.err, "notes", "top"); err != nil {
				return err
			}
			return failed.Err()
		})
		want := "2 streams were not collected to the end: notes (" + c.text + "); top (" + c.text + ")"
		if e := res.Done.Error; e == nil || e.Code != "stream_collection_failed" || !e.Retryable || e.Message != want {
			t.Fatalf("%s: %+v, want e not nil, e.Code = stream_collection_failed, e.Retryable and e.Message = %v", name, res.Done.Error, want)
		}
		for i, stream := range []string{"notes", "top"} {
			s := res.Skips[i]
			if s.Stream != stream || s.Reason != "stream_collection_failed" || s.Message != "the stream was not collected to its end: "+c.text ||
				string(s.RecoveryHint) != `"`+c.hint+`"` || string(s.Diagnostics) != c.diagnostics {
				t.Errorf("%s: %+v %s %s, want stream %s with hint %s and diagnostics %s", name, s, s.RecoveryHint, s.Diagnostics, stream, c.hint, c.diagnostics)
			}
		}
	}
	own := &sdk.Failure{Code: "test_over", Message: "over"}
	for _, ends := range []func(error) bool{nil, func(err error) bool { return sdk.EndsRun(err) || errors.Is(err, own) }} {
		res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
			failed := sdk.FailedStreams{Ends: ends}
			if err := failed.Note(h, own, "notes"); err != nil {
				return err
			}
			return failed.Err()
		})
		code, reported := "stream_collection_failed", 1
		if ends != nil {
			code, reported = "test_over", 0
		}
		if res.Done.Error.Code != code || len(res.Skips) != reported {
			t.Errorf("%+v, %d skips, want Done.Error.Code = %v and len(res.Skips) = %d", res.Done.Error, len(res.Skips), code, reported)
		}
	}
	if err := new(sdk.FailedStreams).Err(); err != nil {
		t.Error(err)
	}
}
