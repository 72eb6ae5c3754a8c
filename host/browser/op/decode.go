package op

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Decode reads a request. It takes the members that there are, in their sizes, and one value.
func Decode(request []byte) (*abi.BrowserRequest, error) {
	if len(request) > abi.BrowserRequestBytes {
		return nil, invalid("the request is too large")
	}
	r := new(abi.BrowserRequest)
	d := json.NewDecoder(bytes.NewReader(request))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, invalid("the request is no object of the members that there are").Wrap(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, invalid("something follows the request")
	}
	if _, known := operations[r.Do]; !known {
		return nil, abi.NewError(abi.CodeBrowserUnknown, "there is no operation of that name", "see abi/ABI.md, section Browser")
	}
	if r.Page == 0 {
		r.Page = 1
	}
	return r, check(r)
}

// check holds a request to its limits.
func check(r *abi.BrowserRequest) error {
	switch {
	case r.Value != nil && len(*r.Value) > abi.BrowserValue:
		return invalid("value is too long")
	case len(r.Fn) > abi.BrowserSource:
		return invalid("fn is too long")
	case len(r.Requests) > abi.BrowserFetches:
		return invalid("too many requests")
	case len(r.Selectors) > abi.BrowserSelectors, len(r.Any) > abi.BrowserSelectors, len(r.Names) > abi.BrowserSelectors:
		return invalid("too many of them")
	case len(r.Prefixes) > abi.BrowserPrefixes, len(r.Types) > abi.BrowserPrefixes:
		return invalid("too many of what is captured")
	case r.TimeoutMS < 0 || r.TimeoutMS > abi.BrowserMostMS:
		return invalid("timeout_ms is out of bounds")
	case r.Offset < 0 || r.Length < 0 || r.Page < 0:
		return invalid("a number is below nothing")
	case r.Nth != nil && *r.Nth < 0:
		return invalid("nth is below nothing")
	}
	switch r.Until {
	case "", abi.UntilCommit, abi.UntilDOM, abi.UntilLoad, abi.UntilQuiet:
	default:
		return invalid("until is none of commit, dom, load and quiet")
	}
	if r.Format != "" && r.Format != abi.FormatPNG && r.Format != abi.FormatJPEG {
		return invalid("format is neither png nor jpeg")
	}
	for _, t := range r.Types {
		if t != abi.CaptureXHR && t != abi.CaptureFetch && t != abi.CaptureDocument {
			return invalid("a type is none of xhr, fetch and document")
		}
	}
	for _, c := range r.Any {
		if (c.Selector == "") == (c.URLPrefix == "") {
			return invalid("a condition has either a selector or a url_prefix")
		}
		switch c.State {
		case "", abi.StateAttached, abi.StateVisible, abi.StateHidden:
		default:
			return invalid("a state is none of attached, visible and hidden")
		}
	}
	return nil
}

func invalid(text string) *abi.Error {
	return abi.NewError(abi.CodeBrowserRequest, text, "see abi/ABI.md, section Browser")
}

// Deadline is how long a request may take.
func Deadline(r *abi.BrowserRequest) time.Duration {
	most := r.TimeoutMS
	if most == 0 {
		most = operations[r.Do].most
	}
	if most == 0 {
		most = abi.BrowserDeadlineMS
	}
	return time.Duration(most) * time.Millisecond
}
