package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
)

// call is one request on its way to its answer.
type call struct {
	w      http.ResponseWriter
	r      *http.Request
	id     string
	route  *route
	device *storage.Device         // of the credential; nil for anybody
	source *storage.SourceInstance // of the path; nil without one
	body   []byte
	held   []func() // gives back what the request takes up while it runs
}

func (c *call) release() {
	for _, give := range c.held {
		give()
	}
}

// headerRequestID names a request, so that an answer is found in the log.
const headerRequestID = "X-Request-ID"

// handle answers the requests of one route: each with JSON, also when something
// panics.
func (a *API) handle(rt *route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{w: w, r: r, id: a.requestID(), route: rt}
		head := w.Header()
		head.Set(headerRequestID, c.id)
		head.Set("Content-Type", "application/json; charset=utf-8")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-store")
		head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		head.Set("Referrer-Policy", "no-referrer")
		answer, err := a.guarded(c)
		if err == nil {
			a.write(c, rt.status, answer)
			return
		}
		a.refused(c, refusalOf(err))
	}
}

func (a *API) requestID() string {
	var b [12]byte
	if _, err := io.ReadFull(a.random, b[:]); err != nil {
		return "req_unnamed" // it names a line of the log and guards nothing
	}
	return "req_" + hex.EncodeToString(b[:])
}

// guarded admits the request and does it. A panic becomes an internal error.
func (a *API) guarded(c *call) (answer any, err error) {
	defer web.Recover(a.logger, c.route.path, c.id, func() {
		answer, err = nil, refuse(http.StatusInternalServerError, device.CodeInternal, internalText)
	})
	defer c.release()
	if err := a.admit(c); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), workTime)
	defer cancel()
	c.r = c.r.WithContext(ctx)
	return c.route.do(c)
}

const internalText = "the host failed; its log says more under the request id"

// refused answers with the error envelope.
func (a *API) refused(c *call, r *refusal) {
	if r.after > 0 {
		c.w.Header().Set("Retry-After", strconv.Itoa(int(r.after.Seconds())))
	}
	a.write(c, r.status, device.Failure{Error: device.FailureDetail{
		Code: r.code, Message: r.message, Param: r.param, Type: r.kind(), RequestID: c.id,
	}})
	a.keepRefusal(c, r)
	log := a.logger.With("route", c.route.path, "request", c.id, "status", r.status, "code", r.code)
	if c.device != nil {
		log = log.With("device", c.device.ID)
	}
	switch {
	case r.cause != nil:
		// The chain below may quote a statement's values: the code says what, and
		// the message of the project's own errors holds no value.
		log.Error("a request failed", "error", string(abi.CodeOf(r.cause)), "message", messageOf(r.cause))
	case c.device != nil, strings.HasPrefix(r.code, "enrollment_"):
		log.Info("a request was refused")
	default:
		log.Debug("a request was refused") // anybody can make any number of these
	}
}

// keepRefusal keeps with its source what was refused for good, for the owner: the
// device may say no more of it than that it waits.
func (a *API) keepRefusal(c *call, r *refusal) {
	final := r.status >= http.StatusBadRequest && r.status < http.StatusInternalServerError && r.status != http.StatusRequestTimeout
	if c.source == nil || c.r.Method == http.MethodGet || !final {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), workTime)
	defer cancel()
	beside := c.route.beside || r.status == http.StatusForbidden // such a delivery belongs to another device
	if err := a.store.RefuseDelivery(ctx, c.source, storage.RefusedDelivery{Code: r.code, Message: r.message, Stream: r.stream}, beside); err != nil {
		a.logger.Warn("a refusal was not kept", "source", c.source.ID, "code", string(abi.CodeOf(err)))
	}
}

func messageOf(err error) string {
	if e, ok := errors.AsType[*abi.Error](err); ok {
		return e.Message
	}
	return ""
}

// write writes the answer at once, so that no half of one is ever sent. A cursor
// keeps its own spelling, which json.Marshal would escape.
func (a *API) write(c *call, status int, answer any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(answer); err != nil {
		a.logger.Error("an answer could not be written as JSON", "route", c.route.path, "request", c.id)
		status = http.StatusInternalServerError
		b.Reset()
		b.WriteString(`{"error":{"code":"` + device.CodeInternal + `","message":"` + internalText + `","type":"api_error","request_id":"` + c.id + `"}}`)
	}
	c.w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	c.w.WriteHeader(status)
	if _, err := c.w.Write(b.Bytes()); err != nil {
		a.logger.Debug("an answer did not arrive", "route", c.route.path, "request", c.id)
	}
}
