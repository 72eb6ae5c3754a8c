package ownerapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// statuses are the HTTP statuses of codes that this face answers with in its own way.
var statuses = map[abi.Code]int{
	credential.CodeUnknown:   http.StatusNotFound,
	abi.CodeStoreLocked:      http.StatusServiceUnavailable,
	abi.CodeStoreFull:        http.StatusServiceUnavailable,
	abi.CodeStoreUnavailable: http.StatusServiceUnavailable,
	"run.winding_up":         http.StatusServiceUnavailable,
	"read.invalid_request":   http.StatusBadRequest,
	"read.invalid_cursor":    http.StatusBadRequest,
	"read.invalid_sort":      http.StatusBadRequest,
	"read.unknown_field":     http.StatusBadRequest,
	"request.unanswered":     http.StatusConflict,
	live.CodeFull:            http.StatusServiceUnavailable,
	abi.CodeInterrupted:      http.StatusServiceUnavailable,
}

// refusalOf turns an error into an answer: an operation's by its own stable code.
func refusalOf(err error) *wire.Failure {
	if f, ok := errors.AsType[*wire.Failure](err); ok {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return wire.Busy()
	}
	e, ok := errors.AsType[*abi.Error](err)
	if !ok || e.Code == abi.CodeInternal {
		return wire.Broken()
	}
	status, own := statuses[e.Code]
	if !own {
		status = web.Status(e.Code)
	}
	f := &wire.Failure{Status: status, Code: string(e.Code), Message: e.Message, Hint: e.Hint}
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		f.After = time.Second
	}
	return f
}
