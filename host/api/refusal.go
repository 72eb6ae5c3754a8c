package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// refusal is an answer that is no success.
type refusal struct {
	status  int
	code    string
	message string
	param   string        // the field that is wrong
	stream  string        // whose records are refused; "" if that is no single stream, or is not known
	after   time.Duration // when to come again; 0: not told
	cause   error         // of the host's own failures, for the log
}

// Error returns the message with its code.
func (r *refusal) Error() string { return r.message + " [" + r.code + "]" }

// kind is the envelope's type: whose fault it is.
func (r *refusal) kind() string {
	switch {
	case r.status >= http.StatusInternalServerError:
		return "api_error"
	case r.status == http.StatusUnauthorized:
		return "authentication_error"
	case r.status == http.StatusForbidden:
		return "permission_error"
	default:
		return "invalid_request_error"
	}
}

func refuse(status int, code, message string) *refusal {
	return &refusal{status: status, code: code, message: message}
}

// wrong refuses a body for one field of it.
func wrong(param, rule string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: device.CodeBadRequest, message: param + " " + rule, param: param}
}

// busy asks to come again soon.
func busy(message string) *refusal {
	return &refusal{status: http.StatusServiceUnavailable, code: device.CodeRetryable, message: message, after: time.Second}
}

// statusOf is the status of each of the contract's codes that the store answers
// with.
var statusOf = map[abi.Code]int{
	device.CodeUnauthorized:        http.StatusUnauthorized,
	device.CodeForbidden:           http.StatusForbidden,
	device.CodeNotFound:            http.StatusNotFound,
	device.CodeCodeUsed:            http.StatusBadRequest,
	device.CodeCodeExpired:         http.StatusGone,
	device.CodeCodeRaced:           http.StatusConflict,
	device.CodeBadRequest:          http.StatusBadRequest,
	device.CodeTooLarge:            http.StatusRequestEntityTooLarge,
	device.CodeBlobQuota:           http.StatusRequestEntityTooLarge,
	device.CodeBatchConflict:       http.StatusConflict,
	device.CodeManifestMissing:     http.StatusConflict,
	device.CodeManifestNotAccepted: http.StatusConflict,
	device.CodeRunConflict:         http.StatusConflict,
}

// refusalOf turns what a handler failed with into an answer.
func refusalOf(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return busy("the host did not get to it in time")
	}
	var e *abi.Error
	code := abi.CodeInternal
	if errors.As(err, &e) {
		code = e.Code
	}
	if status := statusOf[code]; status != 0 {
		message := e.Message
		if code == device.CodeManifestNotAccepted {
			message += "; " + e.Hint // the device's owner is the one who can do it
		}
		return refuse(status, string(code), message)
	}
	switch code {
	case device.CodeRetryable:
		return busy(e.Message)
	case abi.CodeStoreLocked, abi.CodeStoreFull, abi.CodeStoreUnavailable, abi.CodeFenced:
		r := busy("the host cannot write now")
		r.cause = err
		return r
	}
	r = refuse(http.StatusInternalServerError, device.CodeInternal, internalText)
	r.cause = err
	return r
}

// hasCode reports whether the store answered with one of the contract's codes.
func hasCode(err error, code abi.Code) bool { return errors.Is(err, &abi.Error{Code: code}) }
