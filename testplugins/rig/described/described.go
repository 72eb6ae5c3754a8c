package described

import (
	"bytes"
	"crypto/sha256"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

// Document is an OpenAPI document that answers are held to. It is safe for concurrent use.
type Document struct {
	mu    sync.Mutex
	check validator.Validator
}

// known are the documents of this process: one takes a while to read.
var known struct {
	mu sync.Mutex
	by map[[sha256.Size]byte]*Document
}

// New returns the document of a text, which must be one of OpenAPI.
func New(t testing.TB, text []byte, err error) *Document {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	sum := sha256.Sum256(text)
	if d := known.by[sum]; d != nil {
		return d
	}
	doc, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	v, errs := validator.NewValidator(doc)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if ok, wrong := v.ValidateDocument(); !ok {
		t.Fatalf("the document is none of OpenAPI: %v", wrong)
	}
	if known.by == nil {
		known.by = map[[sha256.Size]byte]*Document{}
	}
	d := &Document{check: v}
	known.by[sum] = d
	return d
}

// Answer fails a test where an answer is not one that the document describes. A path that
// leads nowhere, and a method that a path has not, are refused alike everywhere.
func (d *Document) Answer(t testing.TB, r *http.Request, status int, head http.Header, body []byte) {
	t.Helper()
	for _, wrong := range d.wrong(r, status, head, body) {
		t.Errorf("%s %s: got %d %.300s, want what the document says: %s", r.Method, r.URL, status, body, wrong)
	}
}

func (d *Document) wrong(r *http.Request, status int, head http.Header, body []byte) (all []string) {
	nowhere := status == http.StatusNotFound && bytes.Contains(body, []byte(`"not_found"`))
	if nowhere || status == http.StatusMethodNotAllowed || status == http.StatusMisdirectedRequest || r.Method == http.MethodHead {
		return nil
	}
	asked := r.Clone(r.Context())
	asked.Body = http.NoBody
	answer := &http.Response{StatusCode: status, Header: head, Body: io.NopCloser(bytes.NewReader(body)), Request: asked}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, errs := d.check.ValidateHttpResponse(asked, answer)
	for _, e := range errs {
		text := []string{e.Message, e.Reason}
		for _, s := range e.SchemaValidationErrors {
			text = append(text, s.Reason+" at "+s.FieldPath)
		}
		all = append(all, strings.Join(text, ": "))
	}
	return all
}

// Handler has every answer of a handler held to the document.
func (d *Document) Handler(t testing.TB, inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Clone(r.Context())
		kept := httptest.NewRecorder()
		inner.ServeHTTP(kept, r)
		d.Answer(t, asked, kept.Code, kept.Header(), kept.Body.Bytes())
		maps.Copy(w.Header(), kept.Header())
		w.WriteHeader(kept.Code)
		_, _ = w.Write(kept.Body.Bytes())
	})
}

// Transport has every answer that comes by a transport held to the document, but for those of
// paths that begin otherwise.
func (d *Document) Transport(t testing.TB, inner http.RoundTripper, prefixes ...string) http.RoundTripper {
	return transport{t, d, inner, prefixes}
}

type transport struct {
	testing.TB

	document *Document
	inner    http.RoundTripper
	prefixes []string
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.inner.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	for _, prefix := range t.prefixes {
		if !strings.HasPrefix(r.URL.EscapedPath(), prefix) || strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			return nil, err
		}
		t.document.Answer(t.TB, r, answer.StatusCode, answer.Header, body)
		answer.Body = io.NopCloser(bytes.NewReader(body))
		break
	}
	return answer, nil
}
