package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
)

// Encode returns an answer as JSON on one line. Text keeps its own spelling.
func Encode(answer any) ([]byte, error) {
	var b bytes.Buffer
	err := NewEncoder(&b).Encode(answer)
	return b.Bytes(), err
}

// NewEncoder returns what writes answers as Encode does.
func NewEncoder(to io.Writer) *json.Encoder {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e
}

// Write answers with a body that is whole. The headers are those of Begin.
func Write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

// Fail answers with a failure, for the request of that id.
func Fail(w http.ResponseWriter, f *Failure, id string) {
	RetryAfter(w.Header(), f)
	body, err := Encode(f.Envelope(id))
	if err != nil { // of strings alone, it never is
		body = []byte("{}\n")
	}
	Write(w, f.Status, body)
}
