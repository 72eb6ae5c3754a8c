package logbook

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
)

// maxBody bounds how much of a request is read.
const maxBody = 1 << 20

// ServeJSON notes a request and answers it with the result of answer: a status, and a
// value that is sent as JSON. answer may set headers. mu is locked from its call until
// the value, which may be the provider's own data, is written.
func (b *Book) ServeJSON(
	w http.ResponseWriter, r *http.Request, mu sync.Locker, answer func(header http.Header, body []byte) (status int, value any),
) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	n := b.Arrived(r, body)
	mu.Lock()
	defer mu.Unlock()
	status, value := answer(w.Header(), body)
	b.Answered(n, status)
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // a mistake of the test: a value that is no JSON
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
