package sdk

import (
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
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
