package sdk_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// RT-23.1: a provider that kept refusing ends the run under the connector's own
// terminal text, as code and as message, and the run may be tried again. AC-11: of another
// provider that kept failing, the message quotes the sentence.
func TestDoneOfFetchError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure       abi.HTTPFailure
		code, message string
		retryable     bool
	}{
		{abi.HTTPFailure{Code: "send.rate_limited", Message: "test_rate_limited", GapReason: abi.ReasonRateLimited, Final: true, Status: 429},
			"test_rate_limited", "test_rate_limited", true},
		{abi.HTTPFailure{Code: "send.attempts_exhausted", Message: "test: retryable status 500 after 4 attempts",
			GapReason: abi.ReasonTemporaryUnavailable}, "send.attempts_exhausted", "test: retryable status 500 after 4 attempts", true},
		{abi.HTTPFailure{Code: "send.attempts_exhausted", Message: "test: retryable status 503 after 4 attempts", GapReason: abi.ReasonUpstreamPressure,
			Answer: `{"message":"Down until noon."}`, AnswerType: "application/json"},
			"send.attempts_exhausted", `test: retryable status 503 after 4 attempts; its own words: "Down until noon."`, true},
		{abi.HTTPFailure{Code: "send.rate_limited", Message: "test_rate_limited", GapReason: abi.ReasonRateLimited, Answer: "Slow down."},
			"test_rate_limited", "test_rate_limited", true},
		{abi.HTTPFailure{Code: "send.budget_exhausted", Message: "test: stopped", GapReason: abi.ReasonRetryExhausted},
			"send.budget_exhausted", "test: stopped", true},
		{abi.HTTPFailure{Code: "egress.host_refused", Message: "not the word test_rate_limited"}, "egress.host_refused", "not the word test_rate_limited", false},
		{abi.HTTPFailure{Code: "egress.address_refused", Message: "it is private", Hint: "except it"}, "egress.address_refused", "it is private; except it", false},
		{abi.HTTPFailure{Code: "egress.scheme_refused", Message: "it is http"}, "egress.scheme_refused", "it is http", false},
		{abi.HTTPFailure{Code: "send.credential_expired", Message: "sign in"}, "send.credential_expired", "sign in", false},
		{abi.HTTPFailure{}, "internal.error", "the request failed", false},
	} {
		for _, wrap := range []func(error) error{
			func(err error) error { return err },
			func(err error) error { return fmt.Errorf("page 3: %w", err) },
		} {
			o := sdktest.Options{Provider: path, Fails: func(*http.Request) *abi.HTTPFailure { return &c.failure }}
			res := fetching(t, o, func(h *sdk.Host) error {
				_, err := h.Fetch(sdk.Request{URL: site})
				return wrap(err)
			})
			hint := map[bool]string{true: `"retry_by_runtime"`}[c.retryable]
			switch c.code {
			case "send.credential_expired":
				hint = `"refresh_credentials"`
			case "egress.address_refused", "egress.scheme_refused": // whoever runs the host has to allow it
				hint = `"manual_action_required"`
			}
			e := res.Done.Error
			if res.Done.Status != abi.DoneFailed || e.Code != c.code || e.Message != c.message || e.Retryable != c.retryable ||
				string(e.RecoveryHint) != hint {
				t.Errorf("DONE %s %+v, want Done.Status = %s, e.Code = %v, e.Message = %v, e.Retryable = %v and e.RecoveryHint = %v", res.Done.Status, e, abi.DoneFailed, c.code, c.message, c.retryable, hint)
			}
		}
	}
	if _, ok := sdk.AsFetchError(io.EOF); ok {
		t.Error("another error is a FetchError")
	}
}

func TestFetchErrorIsWhole(t *testing.T) {
	t.Parallel()
	f := abi.HTTPFailure{Code: "c", Message: "m", GapReason: abi.ReasonRetryExhausted, Stop: abi.ReasonCircuitOpen, Final: true,
		Status: 503, Attempts: 4, NextAttemptAfter: at(1), Answer: "<p>Down until noon.</p>", AnswerType: "text/html"}
	o := sdktest.Options{Provider: path, Fails: func(*http.Request) *abi.HTTPFailure { return &f }}
	fetching(t, o, func(h *sdk.Host) error {
		_, err := h.Fetch(sdk.Request{URL: site})
		e, ok := sdk.AsFetchError(err)
		if !ok || *e != (sdk.FetchError{Code: "c", Message: "m", GapReason: "retry_exhausted", Stop: "circuit_open", Final: true,
			Status: 503, Attempts: 4, NextAttemptAfter: at(1), Said: "Down until noon."}) || e.Error() != "m [c]" {
			t.Errorf("%+v, want every field as the host gave it", e)
		}
		return nil
	})
}

func TestCheckStatus(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]string{
		200: "", 204: "", 299: "", 304: "", 301: "test_http_301", 400: "test_http_400", 401: "test_auth_failed", 403: "test_http_403", 404: "test_http_404",
	} {
		o := sdktest.Options{Provider: serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })}
		res := fetching(t, o, func(h *sdk.Host) error {
			resp, err := h.Fetch(sdk.Request{URL: site})
			if err != nil {
				return err
			}
			return h.CheckStatus(resp)
		})
		got := ""
		if e := res.Done.Error; e != nil {
			got = e.Code
			if hint := string(e.RecoveryHint); (hint == `"refresh_credentials"`) != (status == 401) {
				t.Errorf("%d: hint %s, want refresh_credentials for 401 alone", status, hint)
			}
		}
		if got != code {
			t.Errorf("%d: %q, want %q", status, got, code)
		}
	}
}
