package sdktest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// http sends one request to Options.Provider.
func (h *host) http(payload []byte) ([]byte, *abi.Error) {
	if h.o.Provider == nil {
		return nil, abi.NewError(abi.CodeBindingNotGranted, "a request without Options.Provider", "")
	}
	head, body, found := bytes.Cut(payload, []byte("\n"))
	if problem := strict(head); problem != "" || !found {
		return nil, abi.NewError(abi.CodeEnvelope, "the head of a request: "+problem, "")
	}
	var r abi.HTTPRequest
	d := json.NewDecoder(bytes.NewReader(head))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, abi.NewError(abi.CodeEnvelope, "the head of a request: "+err.Error(), "")
	}
	h.res.Requests = append(h.res.Requests, HTTPRequest{HTTPRequest: r, Body: string(body)})
	req, err := h.outgoing(r, bytes.Clone(body))
	if err != nil {
		return nil, abi.NewError(abi.CodeEnvelope, err.Error(), "")
	}
	if h.o.Fails != nil {
		if f := h.o.Fails(req); f != nil {
			answer, _ := json.Marshal(abi.HTTPError{Error: *f})
			return answer, nil
		}
	}
	w := httptest.NewRecorder()
	h.o.Provider.ServeHTTP(w, req)
	return h.incoming(w, req.URL.String()), nil
}

func (h *host) outgoing(r abi.HTTPRequest, body []byte) (*http.Request, error) {
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(context.Background(), r.Method, r.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if req.URL.Host == "" {
		return nil, fmt.Errorf("the request's URL %q is not absolute", r.URL)
	}
	for name, value := range r.Headers {
		if slices.Contains(hostHeaders, strings.ToLower(name)) {
			return nil, fmt.Errorf("only the host may set the header %s", name)
		}
		req.Header.Set(name, value)
	}
	if r.Credential == "" {
		return req, nil
	}
	var slots []abi.CredentialSlot
	if n := h.manifest.Requirements.Network; n != nil {
		slots = n.Credentials
	}
	i := slices.IndexFunc(slots, func(s abi.CredentialSlot) bool { return s.Name == r.Credential })
	if i < 0 {
		return nil, fmt.Errorf("the manifest has no credential slot %q", r.Credential)
	}
	return req, inject(req, slots[i], body)
}

// hostHeaders are headers that a connector may not set.
var hostHeaders = []string{
	"authorization", "proxy-authorization", "cookie", "host", "content-length", "transfer-encoding", "connection",
	"keep-alive", "te", "trailer", "upgrade", "expect", "proxy-connection",
}

// inject puts the slot's secret into the request.
func inject(req *http.Request, s abi.CredentialSlot, body []byte) error {
	secret := "secret-" + s.Field
	switch s.As {
	case abi.SlotBearer:
		secret = "Bearer " + secret
	case abi.SlotBasic:
		secret = "Basic " + base64.StdEncoding.EncodeToString([]byte("secret-"+s.User+":"+secret))
	}
	if s.Format != "" {
		secret = strings.Replace(s.Format, "{}", secret, 1)
	}
	switch s.In {
	case abi.SlotHeader:
		req.Header.Set(s.Key, secret)
	case abi.SlotQuery:
		q := req.URL.Query()
		q.Set(s.Key, secret)
		req.URL.RawQuery = q.Encode()
	case abi.SlotBody:
		var members map[string]json.RawMessage
		if json.Unmarshal(body, &members) == nil && members != nil {
			members[s.Key], _ = json.Marshal(secret)
			body, _ = json.Marshal(members)
		} else {
			form, err := url.ParseQuery(string(body))
			if err != nil {
				return fmt.Errorf("the body is neither a JSON object nor a form")
			}
			form.Set(s.Key, secret)
			body = []byte(form.Encode())
		}
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return nil
}

// incoming is the answer as the host hands it over.
func (h *host) incoming(w *httptest.ResponseRecorder, at string) []byte {
	if f := h.gaveUp(w); f != nil {
		answer, _ := json.Marshal(abi.HTTPError{Error: *f})
		return answer
	}
	answer, _ := json.Marshal(abi.HTTPResponse{Status: w.Code, URL: at, Headers: received(w)})
	return append(append(answer, '\n'), w.Body.Bytes()...)
}

// received are the headers of an answer as the host hands them over.
func received(w *httptest.ResponseRecorder) map[string]string {
	headers := make(map[string]string)
	for name, values := range w.Header() {
		if name = strings.ToLower(name); name != "set-cookie" {
			headers[name] = strings.Join(values, ", ")
		}
	}
	return headers
}

// gaveUp returns the failure of a request that the host would have retried, nil for an
// answer that it hands over.
func (h *host) gaveUp(w *httptest.ResponseRecorder) *abi.HTTPFailure {
	status, body, name := w.Code, w.Body.String(), abi.CanonicalKey(h.manifest.ConnectorKey)
	f := &abi.HTTPFailure{
		Code: "send.attempts_exhausted", Message: fmt.Sprintf("%s: retryable status %d after 1 attempt", name, status),
		GapReason: abi.ReasonTemporaryUnavailable, Status: status, Attempts: 1,
		Answer: body[:min(len(body), abi.MaxFailureAnswer)], AnswerType: w.Header().Get("Content-Type"),
	}
	switch {
	case status == http.StatusTooManyRequests:
		f.Code, f.Message, f.GapReason = "send.rate_limited", name+"_rate_limited", abi.ReasonRateLimited
	case status == http.StatusServiceUnavailable:
		f.GapReason = abi.ReasonUpstreamPressure
	case status != http.StatusRequestTimeout && status < 500:
		return nil
	}
	f.Stop = f.GapReason
	return f
}
