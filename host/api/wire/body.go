package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The limits of a body (RD-07).
const (
	MaxBody  = 64 << 10
	maxDepth = 32
)

// ReadBody reads the body of a request, which must be JSON of at most MaxBody.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, _, err := ReadBodyOf(w, r, MaxBody, mediaJSON)
	return body, err
}

// The media types of bodies.
const (
	mediaJSON = "application/json"
	MediaForm = "application/x-www-form-urlencoded"
)

// ReadBodyOf reads a body of at most so many bytes, which must be of one of the types, and
// says of which.
func ReadBodyOf(w http.ResponseWriter, r *http.Request, most int64, types ...string) (body []byte, is string, err error) {
	if r.ContentLength > most {
		w.Header().Set("Connection", "close") // else the rest would be read to reuse it
		return nil, "", tooLarge(most)
	}
	is, _, err = mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(types, is) || r.Header.Get("Content-Encoding") != "" {
		return nil, "", &Failure{Status: http.StatusUnsupportedMediaType, Code: CodeMediaType, Message: "a body is sent as " + strings.Join(types, " or ") + ", without Content-Encoding"}
	}
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, "", tooLarge(most)
	case err != nil:
		return nil, "", Invalid("", "has a body that did not come whole")
	}
	return body, is, nil
}

func tooLarge(most int64) error {
	return &Failure{Status: http.StatusRequestEntityTooLarge, Code: CodeTooLarge, Message: fmt.Sprintf("the body is above the limit of %d KiB", most>>10)} //nolint:mnd // KiB
}

// Decode reads a body's one JSON object into v, a pointer to a struct. A member that v does
// not know is refused, and so is one that stands twice.
func Decode(body []byte, v any) error {
	if err := checkSyntax(body); err != nil {
		return err
	}
	err := json.Unmarshal(body, v, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	// The decoder's message may quote a value: it stays here.
	if at, ok := errors.AsType[*json.SemanticError](err); ok {
		param := strings.ReplaceAll(strings.TrimPrefix(string(at.JSONPointer), "/"), "/", ".")
		if errors.Is(err, json.ErrUnknownName) {
			return Invalid(Cut(param), "is no member of this body")
		}
		if param != "" {
			return Invalid(Cut(param), "has the wrong type")
		}
	}
	return Invalid("", "has a body of the wrong form")
}

// checkSyntax refuses a body that is not one JSON object: with bytes behind it, a name that
// stands twice, text that is not UTF-8, or nested too deep.
func checkSyntax(body []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	if d.PeekKind() != '{' {
		return Invalid("", "has a body that is no JSON object")
	}
	for {
		_, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, jsontext.ErrDuplicateName):
			return Invalid("", "has a body in which a name stands twice")
		case err != nil:
			return Invalid("", "has a body that is not JSON")
		case d.StackDepth() > maxDepth:
			return Invalid("", "has a body that is nested deeper than 32")
		case d.StackDepth() == 0 && len(bytes.TrimSpace(body[d.InputOffset():])) > 0:
			return Invalid("", "has a body with bytes behind its end")
		}
	}
}
