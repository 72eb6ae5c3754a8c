package call

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

const (
	maxHead = 256 << 10
	maxURL  = 16 << 10
)

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// call is one request of the guest on its way. One goroutine has it at a time.
type call struct {
	request *http.Request // without body, credential and cookies
	body    []byte
	slot    *slot

	renews     bool // a renewal of the host's own, with secrets in its body
	accepted   bool // the owner accepted the slot by its name
	placed     bool // the last hop carried the secret
	generation int  // of that secret
	large      bool // its answer has a place, see wire.held
}

func invalid(what, hint string) *abi.Error { return abi.NewError(CodeRequestInvalid, what, hint) }

// decode reads and checks what the guest asks for. An error never repeats a
// header's value, nor an address beyond its host.
func (s *Session) decode(request []byte) (*call, error) {
	head, body, _ := bytes.Cut(request, []byte{'\n'})
	if len(head) > maxHead {
		return nil, invalid(fmt.Sprintf("the request's head is larger than %d bytes", maxHead), "put what is large into the body")
	}
	var in abi.HTTPRequest
	if err := json.Unmarshal(head, &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, invalid("the request's head is no JSON object of method, url, headers and credential",
			"write the head on one line, then a line feed, then the body").Wrap(err)
	}
	if in.Method == "" {
		in.Method = http.MethodGet
	}
	if !slices.Contains(methods, in.Method) {
		return nil, invalid("the method "+show(in.Method)+" is not sent", "use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
	}
	u, err := address(in.URL)
	if err != nil {
		return nil, err
	}
	if s.guard != nil {
		// RoundTrip checks again, each hop. This is so that what goes nowhere waits
		// for no turn and uses up no budget.
		if err := s.guard.Check(u); err != nil {
			return nil, err
		}
	}
	c := &call{body: body}
	if in.Credential != "" {
		if c.slot = s.slots[in.Credential]; c.slot == nil {
			return nil, abi.NewError(CodeCredentialUnknown, "the manifest has no credential slot "+show(in.Credential),
				"declare it under runtime_requirements.network.credentials")
		}
	}
	h, err := s.headers(in.Headers)
	if err != nil {
		return nil, err
	}
	if c.slot != nil {
		if err := s.beside(c.slot, in.Method, h, u); err != nil {
			return nil, err
		}
		c.accepted = s.accepted(c.slot.Name)
	}
	c.request = &http.Request{
		Method: in.Method, URL: u, Header: h, Body: http.NoBody,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return c, nil
}

func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxURL || strings.ContainsAny(text, " \x7f") || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "" || u.User != nil {
		return nil, invalid("the url is no absolute http address without a user name, of at most 16 KiB", "ask for https://host/path")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// headers checks what the guest chose, before the host adds its own.
func (s *Session) headers(given map[string]string) (http.Header, error) {
	h := make(http.Header, len(given)+4)
	for name, value := range given {
		h[name] = []string{value}
	}
	if err := egress.CheckHeaders(h); err != nil {
		return nil, err
	}
	for name, value := range given {
		canonical := http.CanonicalHeaderKey(name)
		if canonical == name {
			continue
		}
		if _, twice := h[canonical]; twice {
			return nil, invalid("the header "+show(canonical)+" is given twice", "give it once")
		}
		delete(h, name)
		h[canonical] = []string{value}
	}
	if _, set := h["User-Agent"]; !set {
		h["User-Agent"] = []string{s.agent}
	}
	return h, nil
}

// show bounds what a guest chose before it stands in an error.
func show(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "…"
	}
	return fmt.Sprintf("%q", s)
}
