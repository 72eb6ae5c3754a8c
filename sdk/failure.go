package sdk

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/said"
)

// ErrStopped is the error to return from Collect after Stopping turned true. DONE then
// reports cancelled.
var ErrStopped = errors.New("stopped, as the host asked")

// Failure is a failure that the connector understands. Returned from Collect it
// becomes DONE failed.
type Failure struct {
	Code      string // the connector's own, such as github_auth_failed; a key of reason_display_messages
	Message   string // for the owner; never a secret, never a record's content
	Retryable bool   // whether the same run may work later
	Hint      string // one of abi.RecoveryActions; "" for none
	Said      string // the provider's own sentence, see package said; Message quotes it
	Err       error  // the cause, for Unwrap; not sent
}

// Error returns message and code.
func (f *Failure) Error() string {
	if f.Code == "" {
		return f.Message
	}
	return f.Message + " [" + f.Code + "]"
}

// Unwrap returns the error that f wraps.
func (f *Failure) Unwrap() error { return f.Err }

// AsFailure returns the *Failure in the chain of err.
func AsFailure(err error) (*Failure, bool) {
	// A loop of our own, because errors.As needs reflection.
	for ; err != nil; err = errors.Unwrap(err) {
		if f, ok := err.(*Failure); ok { //nolint:errorlint // this is the walk that errors.As would do
			return f, true
		}
	}
	return nil, false
}

// codeFailed is DONE's code for an error that names none.
const codeFailed = "connector_failed"

// maxErrorText bounds a message in DONE, in bytes. The host keeps less.
const maxErrorText = 2000

// outcome turns the error of Collect into DONE's status and error.
func outcome(err error) (status string, done *abi.DoneError) {
	if err == nil {
		return abi.DoneSucceeded, nil
	}
	d := &abi.DoneError{Code: codeFailed, Message: err.Error()}
	// A loop of our own, because errors.As needs reflection.
	for e := err; e != nil; e = errors.Unwrap(e) {
		if e == ErrStopped { //nolint:errorlint // this is the walk that errors.Is would do
			return abi.DoneCancelled, nil
		}
		switch f := e.(type) { //nolint:errorlint // as above
		case *Failure:
			d.Message, d.Retryable = f.Message, f.Retryable
			if f.Code != "" {
				d.Code = f.Code
			}
			if f.Hint != "" {
				d.RecoveryHint = jsonappend.String(nil, recoveryAction(f.Hint))
			}
		case *FetchError:
			d = f.done()
		case *abi.Error:
			d.Code = string(f.Code)
		default:
			continue
		}
		break
	}
	if d.Message == "" {
		d.Message = d.Code
	}
	d.Message = clip(d.Message, maxErrorText)
	return abi.DoneFailed, d
}

// recoveryAction returns hint when it is one of abi.RecoveryActions, and
// "unknown" when it is not, which the host would refuse.
func recoveryAction(hint string) string {
	for _, a := range abi.RecoveryActions {
		if a == hint {
			return hint
		}
	}
	return "unknown"
}

// clip shortens s to at most n bytes without splitting a code point.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// authFailed is the end of the code for credentials that the provider refuses.
const authFailed = "_auth_failed"

// Refused reports whether a request got no answer because the provider asks to be left
// alone (RT-23.1) or because the host had no usable credential: none was given, it
// cannot be used, or its sign-in cannot be renewed. Other requests of the run would
// fail in the same way.
func Refused(err error) bool {
	e, ok := AsFetchError(err)
	return ok && (e.GapReason == abi.ReasonRateLimited || e.concernsCredential())
}

func (e *FetchError) concernsCredential() bool {
	return strings.HasPrefix(string(e.Code), "send.credential_") || e.Code == "send.renewal_refused"
}

// AuthFailed turns the error of a credential that the host could not send into the
// failure that CheckStatus returns for a credential that the provider refused. It
// returns any other error unchanged.
func AuthFailed(connectorKey string, err error) error {
	if e, ok := AsFetchError(err); ok && e.concernsCredential() {
		return &Failure{Code: connectorKey + authFailed, Message: e.Message, Hint: "refresh_credentials", Err: err}
	}
	return err
}

// statusFailure is the cause of the failure that CheckStatus returns. A detail lane
// turns it into a gap with its status, and any other Failure ends the lane.
type statusFailure struct{ status int }

func (f *statusFailure) Error() string { return "status " + strconv.Itoa(f.status) }

// CheckStatus returns nil for 2xx and 304, and otherwise a *Failure:
// <connector_key>_auth_failed with the hint to refresh the credentials for 401,
// <connector_key>_http_<status> for the rest. Its message quotes the provider's sentence.
func (h *Host) CheckStatus(r *Response) error {
	if r.Status >= 200 && r.Status < 300 || r.Status == 304 {
		return nil
	}
	name := h.ConnectorKey()
	status, words := strconv.Itoa(r.Status), r.Said()
	if r.Status == 401 {
		return &Failure{
			Code: name + authFailed, Message: "the provider does not accept the credentials (status 401)" + said.Quoted(words),
			Hint: "refresh_credentials", Said: words,
		}
	}
	return &Failure{
		Code: name + "_http_" + status, Message: "the provider answered with status " + status + said.Quoted(words),
		Said: words, Err: &statusFailure{r.Status},
	}
}

// Remedy is the recovery action for a status that a provider will answer with again until somebody
// has done something: its owner, where it refuses the person, and the connector's author, where it
// does not know the request any more. It is "" for any other status.
func Remedy(status int) string {
	switch status {
	case 402, 403, 451:
		return "manual_action_required"
	case 404, 405, 410, 426:
		return "retry_on_connector_upgrade"
	}
	return ""
}

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
	Said             string // the provider's own sentence, see package said; "" without one
	Hint             string // what the host says to do; "" for nothing
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
		Said:             said.In([]byte(v.Get("answer").Str()), v.Get("answer_type").Str()),
		Hint:             v.Get("hint").Str(),
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
	} else {
		d.Message = e.told()
	}
	switch {
	case e.notAllowed():
		d.RecoveryHint = abi.Raw(`"manual_action_required"`)
	case e.needsOwner():
		d.RecoveryHint = abi.Raw(`"refresh_credentials"`)
	case d.Retryable:
		d.RecoveryHint = abi.Raw(`"retry_by_runtime"`)
	}
	return d
}

// told is the message with the provider's words and, where its owner has to allow the address, with
// the host's hint: no later run gets past that.
func (e *FetchError) told() string {
	if e.notAllowed() && e.Hint != "" {
		return e.Message + "; " + e.Hint
	}
	return e.Message + said.Quoted(e.Said)
}

// notAllowed reports whether the host does not send requests to the address, as that of a private
// network: whoever runs the host can except it.
func (e *FetchError) notAllowed() bool {
	return e.Code == "egress.address_refused" || e.Code == "egress.scheme_refused"
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
