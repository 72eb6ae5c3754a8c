package web

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/owner/handoffs"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
)

// CodeNotFound says that an address leads to nothing.
const CodeNotFound abi.Code = "web.not_found"

// statuses are the HTTP statuses of codes that more than one face answers with.
var statuses = map[abi.Code]int{
	CodeForeignRequest:          http.StatusForbidden,
	CodeUnknownHost:             http.StatusMisdirectedRequest,
	CodeInTheClear:              http.StatusForbidden,
	CodeNotFound:                http.StatusNotFound,
	access.CodePasswordWrong:    http.StatusForbidden,
	access.CodePasswordShort:    http.StatusUnprocessableEntity,
	access.CodePasskeyRefused:   http.StatusForbidden,
	access.CodePasskeyCopied:    http.StatusForbidden,
	access.CodePasskeyUnknown:   http.StatusNotFound,
	access.CodeTooManyAttempts:  http.StatusTooManyRequests,
	access.CodeLinkInvalid:      http.StatusForbidden,
	access.CodeSignedOut:        http.StatusUnauthorized,
	access.CodeTokenRefused:     http.StatusUnauthorized,
	access.CodeScope:            http.StatusForbidden,
	access.CodeSessionUnknown:   http.StatusNotFound,
	access.CodeTokenUnknown:     http.StatusNotFound,
	abi.CodeConnectionUnknown:   http.StatusNotFound,
	"connection.device_unknown": http.StatusNotFound,
	owner.CodeProofNeeded:       http.StatusForbidden,
	owner.CodeEdited:            http.StatusPreconditionFailed,
	abi.CodePluginUnknown:       http.StatusNotFound,
	abi.CodePluginTooLarge:      http.StatusRequestEntityTooLarge,
	abi.CodePluginEmpty:         http.StatusUnprocessableEntity,
	abi.CodePluginInvalid:       http.StatusUnprocessableEntity,
	abi.CodeRunUnknown:          http.StatusNotFound,
	abi.CodeStreamUnknown:       http.StatusNotFound,
	abi.CodeRecordUnknown:       http.StatusNotFound,
	"read.invalid_request":      http.StatusUnprocessableEntity,
	"read.invalid_cursor":       http.StatusUnprocessableEntity,
	"read.invalid_sort":         http.StatusUnprocessableEntity,
	"read.unknown_field":        http.StatusUnprocessableEntity,
	"read.blob_not_found":       http.StatusNotFound,
	"read.index_behind":         http.StatusServiceUnavailable,
	"read.busy":                 http.StatusServiceUnavailable,
	grants.CodeUnknown:          http.StatusNotFound,
	grants.CodeNoSuch:           http.StatusNotFound,
	grants.CodeClientUnknown:    http.StatusNotFound,
	grants.CodeChoice:           http.StatusUnprocessableEntity,
	grants.CodeUserCode:         http.StatusUnprocessableEntity,
	grants.CodeUserCodes:        http.StatusTooManyRequests,
	notifications.CodeUnknown:   http.StatusNotFound,
	questions.CodeUnknown:       http.StatusNotFound,
	questions.CodeAnswerInvalid: http.StatusUnprocessableEntity,
	questions.CodeKeepNeeded:    http.StatusUnprocessableEntity,
	handoffs.CodeUnknown:        http.StatusNotFound,
	handoffs.CodeEnded:          http.StatusGone,
	handoffs.CodeTokenInvalid:   http.StatusForbidden,
	handoffs.CodeSessionNeeded:  http.StatusForbidden,
	handoffs.CodeInputInvalid:   http.StatusUnprocessableEntity,
	handoffs.CodeTooFast:        http.StatusTooManyRequests,

	notifications.CodeAddressInvalid: http.StatusUnprocessableEntity,

	abi.CodeUsage:    http.StatusUnprocessableEntity,
	abi.CodeInternal: http.StatusInternalServerError,
}

// Status is the HTTP status of a code: 409 for a refusal that has none of its own, since it
// is about how things stand.
func Status(code abi.Code) int {
	if s, known := statuses[code]; known {
		return s
	}
	return http.StatusConflict
}
