package sdk

import (
	"errors"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// FetchError is a request that got no usable answer: the provider kept failing, a
// budget is used up, or the host does not send it.
type FetchError struct {
	Code    abi.Code
	Message string // <name>_rate_limited for a provider that kept refusing
	// GapReason is the reason of a DETAIL_GAP for the unfetched record; "" when trying
	// again gains nothing.
	GapReason abi.Reason
	// Stop is the reason in full: a budget's, the run cap's, or GapReason.
	Stop abi.Reason
	// Final means that no further request of this run will be answered.
	Final            bool
	Status, Attempts int    // of the last answer, 0 without one
	NextAttemptAfter string // RFC 3339, "" when not known
}

// Error returns message and code.
func (e *FetchError) Error() string { return e.Message + " [" + string(e.Code) + "]" }

// AsFetchError returns the *FetchError in the chain of err.
func AsFetchError(err error) (*FetchError, bool) {
	// A loop of our own, because errors.As needs reflection.
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(*FetchError); ok { //nolint:errorlint // this is the walk that errors.As would do
			return e, true
		}
	}
	return nil, false
}

// readFetchError reads the member error of an answer.
func readFetchError(v jsonvalue.Value) *FetchError {
	e := &FetchError{
		Code: abi.Code(v.Get("code").Str()), Message: v.Get("message").Str(),
		GapReason: abi.Reason(v.Get("gap_reason").Str()), Stop: abi.Reason(v.Get("stop").Str()),
		Final: v.Get("final").Bool(), Status: int(v.Get("status").Int()), Attempts: int(v.Get("attempts").Int()),
		NextAttemptAfter: v.Get("next_attempt_after").Str(),
	}
	if e.Code == "" {
		e.Code = abi.CodeInternal
	}
	if e.Message == "" {
		e.Message = "the request failed"
	}
	return e
}

// rateLimited ends the text of a provider that kept refusing (RT-23.1).
const rateLimited = "_rate_limited"

// done returns the error that DONE reports. The text alone names a provider that kept
// refusing; owners' retry patterns look for it.
func (e *FetchError) done() *abi.DoneError {
	d := &abi.DoneError{Code: string(e.Code), Message: e.Message, Retryable: e.GapReason != ""}
	if strings.HasSuffix(e.Message, rateLimited) && !strings.ContainsAny(e.Message, " \t\n") {
		d.Code = e.Message
	}
	switch {
	case e.needsOwner():
		d.RecoveryHint = abi.Raw(`"refresh_credentials"`)
	case d.Retryable:
		d.RecoveryHint = abi.Raw(`"retry_by_runtime"`)
	}
	return d
}

// needsOwner reports whether the provider accepts no credential of the run: only the
// owner can give another one.
func (e *FetchError) needsOwner() bool {
	switch e.Code {
	case "send.credential_missing", "send.credential_invalid", "send.credential_expired", "send.renewal_refused":
		return true
	}
	return false
}
