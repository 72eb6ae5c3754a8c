package notion

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Version is the API version that the simulation speaks.
const Version = "2022-06-28"

// Options set up a Provider. The zero Options is a workspace whose clock stands
// still and whose limits are not enforced.
type Options struct {
	Token string           // the accepted token; default "secret-token"
	Now   func() time.Time // default: always 2026-01-02 03:04:05 UTC
	Limit bool             // answer 429 above three requests a second on average
}

// Faults are ways in which the search misbehaves. They hold until changed.
type Faults struct {
	Offsets       bool // cursors are positions, so that they shift
	RepeatCursor  bool // next_cursor is always the same
	MissingCursor bool // has_more without a next_cursor
	ForgetCursors bool // every start_cursor is refused
	Incomplete    bool // request_status says that results are missing
	ShortPages    int  // at most so many results a page; 0: as asked
}

// Request is one request as it arrived.
type Request struct {
	Method, Path, Body string
	Status             int
}

// Provider is the workspace. It is safe for concurrent use.
type Provider struct {
	o Options

	mu       sync.Mutex
	objects  map[string]*object
	created  int
	faults   Faults
	before   func(n int, r *http.Request)
	requests []Request
	tokens   float64 // of the limit's bucket
	filled   time.Time
}

// New returns an empty workspace.
func New(o Options) *Provider {
	if o.Token == "" {
		o.Token = "secret-token"
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	}
	return &Provider{o: o, objects: make(map[string]*object), tokens: burst, filled: o.Now()}
}

// Misbehave sets the faults.
func (p *Provider) Misbehave(f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
}

// Before sets a function that is called before each request is answered, with
// its number from 1. It may change the workspace.
func (p *Provider) Before(f func(n int, r *http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = f
}

// Requests returns the requests so far.
func (p *Provider) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Forget empties the list of requests.
func (p *Provider) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = nil
}

// maxBody bounds what is read of a request.
const maxBody = 1 << 20

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	p.mu.Lock()
	n, before := len(p.requests)+1, p.before
	p.requests = append(p.requests, Request{Method: r.Method, Path: r.URL.Path, Body: string(body)})
	p.mu.Unlock()
	if before != nil {
		before(n, r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	status, answer := p.answer(w.Header(), r, body)
	if n <= len(p.requests) {
		p.requests[n-1].Status = status
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // a mistake of the test: a value that is no JSON
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func (p *Provider) answer(header http.Header, r *http.Request, body []byte) (int, any) {
	switch {
	case r.Header.Get("Authorization") != "Bearer "+p.o.Token:
		return refuse(http.StatusUnauthorized, "unauthorized", "API token is invalid.")
	case r.Header.Get("Notion-Version") != Version:
		return refuse(http.StatusBadRequest, "missing_version", "The Notion-Version header is missing or not supported.")
	case p.o.Limit && !p.admit():
		header.Set("Retry-After", "1")
		return refuse(http.StatusTooManyRequests, "rate_limited", "You have been rate limited. Please try again later.")
	case r.Method == http.MethodPost && r.URL.Path == "/v1/search":
		return p.search(body)
	case r.Method == http.MethodGet:
		if id, ok := strings.CutPrefix(r.URL.Path, "/v1/pages/"); ok {
			return p.retrieve("page", id)
		}
		if id, ok := strings.CutPrefix(r.URL.Path, "/v1/databases/"); ok {
			return p.retrieve("database", id)
		}
	}
	return refuse(http.StatusBadRequest, "invalid_request_url", "Invalid request URL.")
}

// Three requests a second on average, with some room for bursts.
const (
	perSecond = 3
	burst     = 10
)

func (p *Provider) admit() bool {
	now := p.o.Now()
	p.tokens = min(burst, p.tokens+perSecond*now.Sub(p.filled).Seconds())
	p.filled = now
	if p.tokens < 1 {
		return false
	}
	p.tokens--
	return true
}

// refuse makes Notion's error object.
func refuse(status int, code, message string) (int, any) {
	return status, map[string]any{"object": "error", "status": status, "code": code, "message": message}
}
