package trial

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// StopAfter has the host ask for a stop in its answer to that call.
func StopAfter(call int) Change { return func(o *sdktest.Options) { o.StopAfter = call } }

// Killed makes a run fail silently at that call and at every later one.
func Killed(at int) Change {
	return func(o *sdktest.Options) {
		calls := 0
		o.Tolerate = true
		o.Before = func(string, []byte) *abi.Error {
			if calls++; calls >= at {
				return abi.NewError(abi.CodeInternal, "killed", "")
			}
			return nil
		}
	}
}

// Unkilled ends that in the next run.
func Unkilled(o *sdktest.Options) { o.Tolerate = false }

// ToTheEnd follows a run that was stopped by runs that are stopped a little later each,
// until one is not. meanwhile is called before the fifth. It returns the last run, and
// how many records all of them changed in the host's store.
func ToTheEnd(t *testing.T, res *sdktest.Result, stop int, stored sdktest.Store, meanwhile func()) (last *sdktest.Result, changed int) {
	t.Helper()
	for run := 0; ; run++ {
		stored.Apply(res)
		changed += len(res.Changes())
		if res.Done.Status == abi.DoneSucceeded {
			return res, changed
		}
		if res.Done.Status != abi.DoneCancelled || run > 100 {
			t.Fatalf("stop %d: %+v %+v, want Done.Status = %v and run at most 100", stop, res.Done, res.Done.Error, abi.DoneCancelled)
		}
		if run == 3 {
			meanwhile()
		}
		res = res.SecondRun(t, StopAfter(stop+run/2))
	}
}

// Ends checks which errors end a run of a connector and which end one stream; a sign-in
// that the host could not renew counts as one that the provider refuses. ends and
// signIn are the connector's, provider is the beginning of its codes.
func Ends(t *testing.T, provider string, ends func(error) bool, signIn func(error) error) {
	t.Helper()
	auth := provider + "_auth_failed"
	for name, c := range map[string]struct {
		err  error
		ends bool
		code string // of the failure that is returned
	}{
		"stop":               {sdk.ErrStopped, true, ""},
		"the connector's":    {abi.NewError(abi.CodeEnvelope, "x", ""), true, ""},
		"provider failing":   {&sdk.FetchError{Code: "send.attempts_exhausted", GapReason: abi.ReasonUpstreamPressure}, false, ""},
		"provider refusing":  {&sdk.FetchError{Code: "send.rate_limited", GapReason: abi.ReasonRateLimited}, true, ""},
		"budget":             {&sdk.FetchError{Code: "send.stopped", GapReason: abi.ReasonRetryExhausted, Final: true}, true, ""},
		"status":             {&sdk.Failure{Code: provider + "_http_404"}, false, ""},
		"unauthorized":       {&sdk.Failure{Code: auth}, true, auth},
		"sign-in expired":    {&sdk.FetchError{Code: "send.credential_expired", Message: "m"}, true, auth},
		"renewal refused":    {&sdk.FetchError{Code: "send.renewal_refused", Message: "m"}, true, auth},
		"no credential held": {&sdk.FetchError{Code: "send.credential_missing", Message: "m"}, true, auth},
	} {
		if ends(c.err) != c.ends {
			t.Errorf("%s: ends the run: %v, want ends(c.err) = %v", name, !c.ends, c.ends)
		}
		if f, ok := sdk.AsFailure(signIn(c.err)); c.code != "" && (!ok || f.Code != c.code || f.Retryable) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
