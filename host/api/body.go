package api

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/boundary"
)

// read reads the body, whose size and type must be the route's.
func (c *call) read() error {
	limit := c.route.limit
	if limit == 0 {
		return nil
	}
	if c.r.ContentLength > limit {
		c.w.Header().Set("Connection", "close") // else the rest would be read to reuse it
		return tooLarge(limit)
	}
	if c.r.Header.Get("Content-Encoding") != "" {
		return refuse(http.StatusUnsupportedMediaType, device.CodeBadRequest, "a body is sent as it is, without Content-Encoding")
	}
	if t, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); !c.route.bare && (err != nil || t != "application/json") {
		return refuse(http.StatusUnsupportedMediaType, device.CodeBadRequest, "the body's Content-Type must be application/json")
	}
	var err error
	if c.body, err = io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit)); err == nil {
		return nil
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, device.CodeBadRequest, "the body did not come in time")
	default:
		return busy("the body broke off on its way") // which says nothing of what it was the beginning of
	}
}

func tooLarge(limit int64) error {
	return refuse(http.StatusRequestEntityTooLarge, device.CodeTooLarge, "the body is above the limit of "+sizeText(limit))
}

// decode reads the body's one JSON value into v. Names that v does not know are
// left alone, so that a collector may be newer than its host.
func (c *call) decode(v any) error {
	if err := boundary.CheckText("the body", c.body); err != nil {
		if e, ok := errors.AsType[*abi.Error](err); ok {
			return refuse(http.StatusBadRequest, device.CodeBadRequest, e.Message)
		}
		return err
	}
	err := json.Unmarshal(c.body, v)
	if err == nil {
		return nil
	}
	// The decoder's message may quote a number or a time: it stays here.
	var field *json.UnmarshalTypeError
	if errors.As(err, &field) && field.Field != "" {
		return wrong(field.Field, "has the wrong type")
	}
	return refuse(http.StatusBadRequest, device.CodeBadRequest, "a field of the body has the wrong form")
}
