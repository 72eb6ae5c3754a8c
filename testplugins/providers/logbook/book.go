package logbook

import (
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// Request is one request as it arrived.
type Request struct {
	Method, URL, Path string
	Query             url.Values
	ETag              string // of If-None-Match
	Body              string // where the provider reads it
	Status            int    // 0: not answered yet
}

// Book is a provider's list of requests. The zero Book is empty; it is safe for
// concurrent use.
type Book struct {
	mu     sync.Mutex
	list   []Request
	before func(n int, r *http.Request)
}

// Before sets a function that is called before each request is answered, with
// its number from 1. It may change the provider. Nil takes it away.
func (b *Book) Before(f func(n int, r *http.Request)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before = f
}

// Requests returns the requests so far.
func (b *Book) Requests() []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.list)
}

// Forget empties the list of requests.
func (b *Book) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = nil
}

// Arrived notes a request and calls the function that Before set. It returns the
// request's number, for Answered.
func (b *Book) Arrived(r *http.Request, body []byte) (n int) {
	b.mu.Lock()
	b.list = append(b.list, Request{
		Method: r.Method, URL: r.URL.String(), Path: r.URL.Path, Query: r.URL.Query(), ETag: r.Header.Get("If-None-Match"), Body: string(body),
	})
	n, before := len(b.list), b.before
	b.mu.Unlock()
	if before != nil {
		before(n, r)
	}
	return n
}

// Answered notes the outcome of a request, unless it is forgotten.
func (b *Book) Answered(n, status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n <= len(b.list) {
		b.list[n-1].Status = status
	}
}
