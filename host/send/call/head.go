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

// call is one request of the guest in progress. Only one goroutine uses it at a time.
type call struct {
	request *http.Request // without body, credential and cookies
	body    []byte
	slot    *slot

	renews     bool // the host's own renewal, with secrets in its body
	accepted   bool // the owner accepted the slot by name
	placed     bool // the last hop carried the secret
	generation int  // the generation of that secret
	large      bool // its answer occupies one of the large places, see wire.reservePlace
}

func invalid(what, hint string) *abi.Error { return abi.NewError(CodeRequestInvalid, what, hint) }

// decode reads and checks the guest's request. An error never repeats a header's
// value, nor an address beyond its host.
func (s *Session) decode(request []byte) (*call, error) {
	head, body, _ := bytes.Cut(request, []byte{'\n'})
	if len(head) > maxHead {
		return nil, invalid(fmt.Sprintf("the request's head is larger than %d bytes", maxHead), "put what is large into the body")
	}
	var in abi.HTTPRequest
	if err := json.Unmarshal(head, &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, invalid("the request's head is not a JSON object with method, url, headers and credential",
			"write the head on one line, then a line feed, then the body").Wrap(err)
	}
	if in.Method == "" {
		in.Method = http.MethodGet
	}
	if !slices.Contains(methods, in.Method) {
		return nil, invalid("the method "+quoted(in.Method)+" is not allowed", "use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
	}
	u, err := address(in.URL)
	if err != nil {
		return nil, err
	}
	if s.guard != nil {
		// RoundTrip checks each hop again. This early check keeps a refused request
		// from waiting and from using up budget.
		if err := s.guard.Check(u); err != nil {
			return nil, err
		}
	}
	c := &call{body: body}
	if in.Credential != "" {
		if c.slot = s.slots[in.Credential]; c.slot == nil {
			return nil, abi.NewError(CodeCredentialUnknown, "the manifest has no credential slot "+quoted(in.Credential),
				"declare it under runtime_requirements.network.credentials")
		}
	}
	h, err := s.headers(in.Headers)
	if err != nil {
		return nil, err
	}
	if c.slot != nil {
		if err := s.checkConflicts(c.slot, in.Method, h, u); err != nil {
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
		return nil, invalid("the url must be an absolute http address of at most 16 KiB, without a user name", "ask for https://host/path")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// headers checks the guest's headers before the host adds its own.
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
			return nil, invalid("the header "+quoted(canonical)+" is given twice", "give it once")
		}
		delete(h, name)
		h[canonical] = []string{value}
	}
	if _, set := h["User-Agent"]; !set {
		h["User-Agent"] = []string{s.agent}
	}
	return h, nil
}

// quoted bounds a guest's text for use in an error.
func quoted(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "…"
	}
	return fmt.Sprintf("%q", s)
}
