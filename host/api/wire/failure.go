package wire

import (
	"net/http"
	"time"
)

// The codes of what is refused before an operation is asked for (RD-03).
const (
	CodeInvalid         = "invalid_request"
	CodeInvalidCursor   = "invalid_cursor"
	CodeVersion         = "unsupported_version"
	CodeUnauthenticated = "authentication_error"
	CodeNotFound        = "not_found"
	CodeMethod          = "method_not_allowed"
	CodeTooLarge        = "too_large"
	CodeMediaType       = "unsupported_media_type"
	CodeFailed          = "api_error"
	CodeBusy            = "store_busy"
)

// Failure is an answer that is no success. Its words name the parameter and the rule, and
// never a value (RD-03.1).
type Failure struct {
	Status  int
	Code    string
	Message string
	Hint    string        // what to do; "": nothing
	Param   string        // the parameter or member that is wrong; "": none
	After   time.Duration // when to come again; 0: not told
	Most    int           // how much may be asked, of a request that came too soon; 0: not told

	Connections []Connection // to choose from; nil: none
	RetryWith   string       // the parameter that chooses
	Metadata    string       // where a client learns how to get a token
	NextStep    string       // how
}

// Connection names a connection to choose from.
type Connection struct {
	ID           string `json:"connection_id"`
	DisplayName  string `json:"display_name,omitempty"`
	ConnectorKey string `json:"connector_key"`
}

// Error returns the message with its code.
func (f *Failure) Error() string { return f.Message + " [" + f.Code + "]" }

// Envelope is the body of a Failure.
type Envelope struct {
	Error Detail `json:"error"`
}

// Detail is a Failure as it is written.
type Detail struct {
	Type      string `json:"type"`
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Param     string `json:"param,omitempty"`
	RequestID string `json:"request_id"`

	Connections []Connection `json:"available_connections,omitempty"`
	RetryWith   string       `json:"retry_with,omitempty"`
	Metadata    string       `json:"resource_metadata,omitempty"`
	NextStep    string       `json:"next_step,omitempty"`
}

// Envelope returns the body with which a request of that id is answered.
func (f *Failure) Envelope(id string) Envelope {
	return Envelope{Detail{Type: typeOf(f.Status), Code: f.Code, Message: f.Message, Hint: f.Hint, Param: f.Param, RequestID: id,
		Connections: f.Connections, RetryWith: f.RetryWith, Metadata: f.Metadata, NextStep: f.NextStep}}
}

// typeOf says whose fault a status is.
func typeOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusGone:
		return "gone_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	}
	if status >= http.StatusInternalServerError {
		return "api_error"
	}
	return "invalid_request_error"
}

// Types are all types of a Failure.
func Types() []string {
	return []string{
		"api_error", "authentication_error", "gone_error", "invalid_request_error", "not_found_error", "permission_error", "rate_limit_error",
	}
}

// Invalid refuses one parameter or member, "" for the whole request.
func Invalid(param, rule string) *Failure {
	message := "the request " + rule
	if param != "" {
		message = param + " " + rule
	}
	return &Failure{Status: http.StatusBadRequest, Code: CodeInvalid, Message: message, Param: param}
}

// NotFound refuses a path that leads nowhere.
func NotFound() *Failure {
	return &Failure{Status: http.StatusNotFound, Code: CodeNotFound, Message: "there is nothing under this path", Hint: "/v1/openapi.json lists the paths"}
}

// Broken is a failure of the host's own.
func Broken() *Failure {
	return &Failure{Status: http.StatusInternalServerError, Code: CodeFailed, Message: "the host failed", Hint: "its log says more under the request id"}
}

// Busy asks to come again soon.
func Busy() *Failure {
	return &Failure{Status: http.StatusServiceUnavailable, Code: CodeBusy, Message: "the host did not get to it in time", After: time.Second}
}

// Scope is the one scope that a client asks for. The details of a grant say what it shows.
const Scope = "pdpp:read"

// Challenge is the header WWW-Authenticate of a 401: metadata is the address at which a
// client learns whom to ask for a token and for which scope, "" where there is none, and shown says that it showed
// one that is no good (RFC 9728, section 5.1; RFC 6750, section 3).
func Challenge(metadata string, shown bool) string {
	text, separator := "Bearer", " "
	if metadata != "" {
		text, separator = text+` resource_metadata="`+metadata+`", scope="`+Scope+`"`, ", "
	}
	if shown {
		text += separator + `error="invalid_token"`
	}
	return text
}
