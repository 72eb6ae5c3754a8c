package sdk

import (
	"bytes"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/said"
)

// Request is one HTTP request to the provider. The host sends it: it paces,
// retries, follows redirects, keeps cookies and adds the credential.
type Request struct {
	Method     string            // default GET
	URL        string            // on a host that the manifest declares
	Header     map[string]string // without those of the connection, and without credentials and cookies
	Body       []byte
	Credential string // a slot of runtime_requirements.network.credentials; "": none
}

// Response is the provider's answer, whatever its status.
type Response struct {
	Status int
	URL    string // after redirects
	Body   []byte // shares its memory with nothing else; may be kept

	headers jsonvalue.Value
}

// Header returns a header's value, "" without it; the case of name does not
// matter. Several values are joined with ", ".
func (r *Response) Header(name string) string {
	for it := r.headers.Children(); it.Next(); {
		if sameFold(it.Name().View(), name) {
			return it.Value().Str()
		}
	}
	return ""
}

// JSON parses the body, strictly. The Value is valid as long as Body is. The error
// names the address and the content type of the answer.
func (r *Response) JSON() (jsonvalue.Value, error) {
	v, err := jsonvalue.Parse(r.Body)
	if err != nil {
		return v, &notJSON{r.URL, r.Header("Content-Type"), err}
	}
	return v, nil
}

// Fetch sends a request and waits for the answer. Any status is a Response; see
// CheckStatus. The error is a *FetchError when the request got no usable answer,
// ErrStopped when the host stops the run meanwhile, and otherwise an *abi.Error: the
// connector's own mistake.
func (h *Host) Fetch(r Request) (*Response, error) {
	handle, err := h.startFetch(r)
	if err != nil {
		return nil, err
	}
	answer, err := h.await(handle, "http")
	if err != nil {
		return nil, err
	}
	return readResponse(answer)
}

// Said returns the provider's own sentence about a failure, see package said.
func (r *Response) Said() string { return said.In(r.Body, r.Header("Content-Type")) }

// FetchIn has a page of the run's browser send every further request of Fetch, FetchMany and
// details, one after the other, with the page's cookies and no Credential. See package browser.
func (h *Host) FetchIn(page int) { h.page = page }

// startFetch submits the request.
func (h *Host) startFetch(r Request) (int32, error) {
	op, name, size, most := abi.OpHTTP, "http", abi.MaxSubmitBytes, maxFetching
	b := h.message[:0]
	if h.page > 0 {
		if r.Credential != "" {
			return 0, abi.NewError(abi.CodeBrowserRequest, "a page sends its cookies, and no credential", "leave Credential out, and sign the owner in")
		}
		op, name, size, most = abi.OpBrowser, "browser", abi.BrowserRequestBytes, abi.BrowserInFlight
		b = jsonappend.Int(append(b, `{"do":"fetch","page":`...), int64(h.page))
		b = append(AppendAsk(append(b, `,"requests":[`...), r), ']', '}')
	} else {
		b = appendRequest(b, r)
	}
	if len(b) > size {
		return 0, abi.NewError(abi.CodeCallTooLarge, "a request is above the host's size limit", "send less in one body")
	}
	handle, err := h.submit(op, name, b, most)
	if h.message = b; cap(b) > abi.MaxMessageBytes {
		h.message = nil
	}
	return handle, err
}

// appendRequest appends the head, a line feed and the body.
func appendRequest(b []byte, r Request) []byte {
	b = textMember(appendHead(b, r), "credential", r.Credential)
	return append(append(b, '}', '\n'), r.Body...)
}

// AppendAsk appends a request as the fetch of a page has it.
func AppendAsk(b []byte, r Request) []byte {
	return append(textMember(appendHead(b, r), "body", string(r.Body)), '}')
}

func appendHead(b []byte, r Request) []byte {
	b = append(b, '{')
	b = textMember(b, "method", r.Method)
	b = jsonappend.String(jsonappend.Name(b, "url"), r.URL)
	if len(r.Header) > 0 {
		b = append(jsonappend.Name(b, "headers"), '{')
		for _, name := range sortedNames(r.Header) {
			b = jsonappend.String(jsonappend.Name(b, name), r.Header[name])
		}
		b = append(b, '}')
	}
	return b
}

// readResponse reads the answer of the http operation, or of a page's fetch of one request.
// Only the head is parsed: the body stays where it is.
func readResponse(answer []byte) (*Response, error) {
	head, body := answer, []byte(nil)
	if i := bytes.IndexByte(answer, '\n'); i >= 0 {
		head, body = answer[:i:i], answer[i+1:len(answer):len(answer)]
	}
	v, err := jsonvalue.Parse(head)
	if err != nil || v.Kind() != jsonvalue.Object {
		return nil, badAnswer("its head is not a JSON object")
	}
	results := v.Get("results")
	switch e := v.Get("error"); {
	case results.Exists():
		return ReadFetched(results.At(0), body)
	case e.Exists():
		return nil, FailureOf(e)
	}
	return ResponseOf(v, body)
}

// ReadFetched reads one of the results of a page's fetch, whose body is a part of body.
func ReadFetched(v jsonvalue.Value, body []byte) (*Response, error) {
	if err := FailureOf(v.Get("error")); err != nil {
		return nil, err
	}
	from, n := v.Get("offset").Int(), v.Get("length").Int()
	if from < 0 || n < 0 || from > int64(len(body)) || n > int64(len(body))-from {
		return nil, badAnswer("its bodies are not where it says")
	}
	return ResponseOf(v, body[from:from+n:from+n])
}

// ResponseOf reads an answer from its head and its whole body.
func ResponseOf(head jsonvalue.Value, body []byte) (*Response, error) {
	status, ok := head.Get("status").IntOK()
	if !ok || status < 100 || status > 999 {
		return nil, badAnswer("it has no status")
	}
	return &Response{Status: int(status), URL: head.Get("url").Str(), Body: body, headers: head.Get("headers")}, nil
}

// HasBrowser reports whether the run has a browser. See package browser.
func (h *Host) HasBrowser() bool {
	return h.start.Get("bindings").Get("browser").Kind() == jsonvalue.Object
}

// Browse makes one request of the browser operation and waits for its answer: the head, and the
// body behind it, which may be kept. Package browser has its requests as methods. The error is
// what FailureOf returns, or ErrStopped.
func (h *Host) Browse(request []byte) (head jsonvalue.Value, body []byte, err error) {
	if !h.HasBrowser() {
		return head, nil, abi.NewError(abi.CodeBindingNotGranted, "this run has no browser", "call HasBrowser first, where the manifest does not require one")
	}
	if len(request) > abi.BrowserRequestBytes {
		return head, nil, abi.NewError(abi.CodeCallTooLarge, "a request is above the host's size limit", "send less in one")
	}
	handle, err := h.submit(abi.OpBrowser, "browser", request, abi.BrowserInFlight)
	if err != nil {
		return head, nil, err
	}
	answer, err := h.await(handle, "browser")
	if err != nil {
		return head, nil, err
	}
	first := answer
	if i := bytes.IndexByte(answer, '\n'); i >= 0 {
		first, body = answer[:i:i], answer[i+1:len(answer):len(answer)]
	}
	head, err = jsonvalue.Parse(first)
	if err != nil || head.Kind() != jsonvalue.Object {
		return head, nil, badAnswer("its head is not a JSON object")
	}
	return head, body, FailureOf(head.Get("error"))
}

// FailureOf returns the error that an answer of the browser operation holds; nil when it holds
// none. It is a *FetchError where the provider or a bound of the run caused it, and else an
// *abi.Error, in a retryable *Failure where another run may do better.
func FailureOf(v jsonvalue.Value) error {
	if !v.Exists() {
		return nil
	}
	e := &abi.Error{Code: abi.Code(v.Get("code").Str()), Message: v.Get("message").Str(), Hint: v.Get("hint").Str()}
	switch {
	case !strings.HasPrefix(string(e.Code), "browser."):
		return readFetchError(v)
	case v.Get("retryable").Bool():
		return &Failure{Code: string(e.Code), Message: e.Message, Retryable: true, Hint: "retry_by_runtime", Err: e}
	}
	return e
}

func badAnswer(detail string) error {
	return abi.NewError(abi.CodeInternal, "the host's answer to a request cannot be read",
		"run the connector under a host of ABI version 1").WithDetail(detail)
}

// sortedNames makes equal requests equal bytes, whatever the map's order.
func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		i := len(names)
		names = append(names, name)
		for ; i > 0 && names[i-1] > name; i-- {
			names[i] = names[i-1]
		}
		names[i] = name
	}
	return names
}

// sameFold compares header names, which are ASCII.
func sameFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// notJSON is an answer that is not JSON.
type notJSON struct {
	url, contentType string
	err              error
}

// How much the text of a notJSON quotes, in bytes.
const (
	maxAddress     = 200
	maxContentType = 100
)

// Error names the address without its query, which may contain the search terms, the
// content type, and the place of the fault. It quotes nothing of the answer.
func (e *notJSON) Error() string {
	address := e.url
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	kind := "no content type"
	if e.contentType != "" {
		kind = "content type " + clip(e.contentType, maxContentType)
	}
	return "an answer that is not JSON, from " + clip(address, maxAddress) + " with " + kind + ": " +
		strings.TrimPrefix(e.err.Error(), "not JSON: ")
}

// Unwrap returns the parser's error.
func (e *notJSON) Unwrap() error { return e.err }

// FetchMany keeps up to window requests in flight (1 to 63) and hands over each answer
// as it arrives, in any order. At a provider that takes a second for an answer, window
// requests then cost one second.
//
// next returns the next request, or false when there is none at the moment. It is
// called again after each answer, so an answer may lead to further requests. FetchMany
// ends when next returns false and nothing is in flight. It stops calling next after a
// FetchError that is Final. each receives either resp or err, as Fetch returns them; an
// error that it returns ends FetchMany at once, without waiting for the rest. The error
// is ErrStopped when the host stops the run.
func (h *Host) FetchMany(window int, next func() (Request, bool), each func(r Request, resp *Response, err error) error) error {
	var asked []Request // by token
	var free []int      // tokens to use again
	return h.fetchMany(window, func() (Request, int, bool) {
		r, ok := next()
		if !ok {
			return r, 0, false
		}
		if last := len(free) - 1; last >= 0 {
			token := free[last]
			free, asked[token] = free[:last], r
			return r, token, true
		}
		asked = append(asked, r)
		return r, len(asked) - 1, true
	}, func(token int, resp *Response, err error) error {
		r := asked[token]
		asked[token], free = Request{}, append(free, token)
		return each(r, resp, err)
	}, nil)
}

// sent is a request in flight, under its sender's name for it.
type sent struct {
	handle int32
	token  int
}

// fetchMany is FetchMany for a caller that identifies requests by token. arrive
// describes before.
func (h *Host) fetchMany(window int, next func() (Request, int, bool), each func(token int, resp *Response, err error) error,
	before beforeWait,
) error {
	window = min(max(window, 1), maxFetching)
	flight := make([]sent, 0, window)
	defer func() {
		for _, s := range flight {
			h.drop(s.handle)
		}
	}()
	for final := false; ; {
		for !final && !h.stopping && len(flight) < window {
			r, token, ok := next()
			if !ok {
				break
			}
			handle, err := h.startFetch(r)
			if err == nil {
				flight = append(flight, sent{handle, token})
				continue
			}
			if err == ErrStopped || h.failed != nil { //nolint:errorlint // startFetch returns it as it is
				return err
			}
			if err := each(token, nil, err); err != nil {
				return err
			}
		}
		switch {
		case h.stopping:
			return ErrStopped
		case len(flight) == 0:
			return h.failed
		}
		i, answer, err := h.awaitAny(flight, before)
		if err != nil {
			return err
		}
		token := flight[i].token
		flight = append(flight[:i], flight[i+1:]...)
		resp, err := readResponse(answer)
		if e, ok := AsFetchError(err); ok && e.Final {
			final = true
		}
		if err := each(token, resp, err); err != nil {
			return err
		}
	}
}

// awaitAny blocks until one of the requests is answered, and returns which.
func (h *Host) awaitAny(flight []sent, before beforeWait) (int, []byte, error) {
	for {
		for i, s := range flight {
			if answer, ok := h.takeAnswer(s.handle); ok {
				return i, answer, nil
			}
		}
		if err := h.awaitAnswer("http", before); err != nil {
			return 0, nil, err
		}
	}
}
