package records

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// The codes of the protocol that wire does not have (RD-03).
const (
	codeMisdirected = "misdirected_request"
	codeArgument    = "invalid_argument"
	codeSort        = "invalid_sort"
	codeLegacy      = "authorization_state.unsupported_legacy_shape"
	codeNoBlob      = "blob_not_found"
	codeAmbiguous   = "ambiguous_connection"
)

// refusals are the answers to errors of reads: their status, their code and the parameter
// that they are about.
var refusals = map[abi.Code]struct {
	status      int
	code, param string
}{
	read.CodeRequest:          {http.StatusBadRequest, wire.CodeInvalid, ""},
	read.CodeCursor:           {http.StatusBadRequest, wire.CodeInvalidCursor, ""},
	read.CodeSort:             {http.StatusBadRequest, codeSort, "sort"},
	read.CodeField:            {http.StatusBadRequest, "unknown_field", ""},
	read.CodeNotGranted:       {http.StatusForbidden, "grant_stream_not_allowed", ""},
	read.CodeFieldHidden:      {http.StatusForbidden, "field_not_granted", ""},
	read.CodeAmbiguous:        {http.StatusConflict, codeAmbiguous, "connection_id"},
	read.CodeExpired:          {http.StatusGone, "cursor_expired", "changes_since"},
	read.CodeWindow:           {http.StatusBadRequest, "invalid_window", ""},
	read.CodeFieldPath:        {http.StatusBadRequest, "invalid_field_path", "field"},
	read.CodeNoField:          {http.StatusNotFound, "field_not_found", "field"},
	read.CodeNotText:          {http.StatusUnprocessableEntity, "field_not_text", "field"},
	read.CodeExpand:           {http.StatusBadRequest, "invalid_expand", "expand"},
	read.CodeNoMatch:          {http.StatusNotFound, "query_not_found", "q"},
	read.CodeNoBlob:           {http.StatusNotFound, codeNoBlob, ""},
	read.CodeBusy:             {http.StatusServiceUnavailable, wire.CodeBusy, ""},
	read.CodeBehind:           {http.StatusServiceUnavailable, "index_behind", ""},
	read.CodeGrantRevoked:     {http.StatusForbidden, "grant_revoked", ""},
	read.CodeGrantExpired:     {http.StatusForbidden, "grant_expired", ""},
	read.CodeGrantInvalid:     {http.StatusForbidden, "grant_invalid", ""},
	read.CodeGrantLegacy:      {http.StatusUnauthorized, codeLegacy, ""},
	abi.CodeStreamUnknown:     {http.StatusNotFound, wire.CodeNotFound, ""},
	abi.CodeRecordUnknown:     {http.StatusNotFound, wire.CodeNotFound, ""},
	abi.CodeConnectionUnknown: {http.StatusNotFound, "connection_not_found", "connection_id"},
	abi.CodeStoreLocked:       {http.StatusServiceUnavailable, wire.CodeBusy, ""},
	abi.CodeStoreFull:         {http.StatusServiceUnavailable, wire.CodeBusy, ""},
	abi.CodeStoreUnavailable:  {http.StatusServiceUnavailable, wire.CodeBusy, ""},
}

// refusalOf turns an error into an answer. Only the words of reads are told: they have no
// value in them (RD-03.1).
func refusalOf(err error) *wire.Failure {
	if f, ok := errors.AsType[*wire.Failure](err); ok {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return wire.Busy()
	}
	e, ok := errors.AsType[*abi.Error](err)
	if !ok {
		return wire.Broken()
	}
	as, ok := refusals[e.Code]
	switch {
	case !ok:
		return wire.Broken()
	case as.code == wire.CodeBusy:
		return wire.Busy()
	}
	f := &wire.Failure{Status: as.status, Code: as.code, Message: e.Message, Param: as.param}
	if as.status == http.StatusServiceUnavailable {
		f.After = time.Second
	}
	return f
}

// unauthenticated refuses a request whose token is missing or no good (RD-02.1, RD-02.2).
func (c *call) unauthenticated(message string, shown bool) error {
	f := &wire.Failure{Status: http.StatusUnauthorized, Code: wire.CodeUnauthenticated, Message: message, NextStep: "ask the owner of this host for a token"}
	c.challenge(f, shown)
	return f
}

// challenge says in a 401 where a client learns to ask for access; shown: it showed a token that is no good.
func (c *call) challenge(f *wire.Failure, shown bool) {
	if c.about != "" {
		f.Metadata = c.Guard.Base(c.r) + c.about
	}
	c.w.Header().Set("WWW-Authenticate", wire.Challenge(f.Metadata, shown))
}

// strange refuses a token by what is known of it.
func (c *call) strange(err error) error {
	if abi.CodeOf(err) == read.CodeTokenUnknown {
		return c.unauthenticated("the token is unknown, revoked or too old", true)
	}
	if abi.CodeOf(err) == read.CodeGrantLegacy {
		c.w.Header().Set("WWW-Authenticate", wire.Challenge("", true))
	}
	return err
}

// askAgain refuses the token of a grant that has ended as a token that has ended. A client of another face
// asks its owner again after a 401 and at no other status.
func (c *call) askAgain(err error) error {
	if code := abi.CodeOf(err); code != read.CodeGrantRevoked && code != read.CodeGrantExpired {
		return err
	}
	f := refusalOf(err)
	f.Status = http.StatusUnauthorized
	c.challenge(f, true)
	return f
}

// choice names the connections of the scope to choose from, where several have a record
// (RD-09.2, RD-03.3).
func (c *call) choice(err error) error {
	if abi.CodeOf(err) != read.CodeAmbiguous {
		return err
	}
	f := refusalOf(err)
	f.RetryWith = "connection_id"
	all, _, failed := c.reader.Streams(c.r.Context(), c.caller.Scope, read.Overview{Stream: c.stream})
	if failed != nil {
		return failed
	}
	for i := range all {
		f.Connections = append(f.Connections, wire.Connection{ID: all[i].ConnectionID, DisplayName: all[i].Connection, ConnectorKey: all[i].Connector})
	}
	return f
}

// fail answers with an error.
func (c *call) fail(err error) {
	f := refusalOf(err)
	log := c.Logger.With("route", c.r.Pattern, "request", c.id, "status", f.Status, "code", f.Code)
	if f.Status == http.StatusInternalServerError {
		log.Error("a request failed", "cause", string(abi.CodeOf(err))) // the chain below may quote anything
	} else {
		log.Debug("a request was refused")
	}
	wire.Fail(c.w, f, c.id)
	c.disclose(f.Status, 0, f.Code)
}
