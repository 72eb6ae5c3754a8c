package sdk

import "strings"

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
