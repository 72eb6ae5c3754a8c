package notion

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/logbook"
)

// Version is the API version that the simulation speaks.
const Version = "2025-09-03"

// Options set up a Provider. The zero Options is a workspace whose clock never moves
// and whose limits are not enforced.
type Options struct {
	Token string           // the accepted token; default "secret-token"
	Now   func() time.Time // default: always 2026-01-02 03:04:05 UTC
	Limit bool             // answer 429 above three requests a second on average
	// Bot and Workspace are whose token it is. Default: one bot, and an answer that
	// does not name the workspace.
	Bot, Workspace string
	// InTrash leaves out archived, which version 2026-03-11 has renamed to in_trash.
	InTrash bool
}

// Faults are ways in which the search misbehaves. They last until changed.
type Faults struct {
	Offsets       bool // cursors are positions, so that they shift
	RepeatCursor  bool // next_cursor is always the same
	MissingCursor bool // has_more without a next_cursor
	ForgetCursors bool // every start_cursor is refused
	Incomplete    bool // request_status reports missing results
	ShortPages    int  // at most so many results a page; 0: as asked
}

// Provider is the workspace. It is safe for concurrent use.
type Provider struct {
	logbook.Book

	o Options

	mu      sync.Mutex
	objects map[string]*object
	created int
	faults  Faults
	tokens  float64 // of the limit's bucket
	filled  time.Time
}

// New returns an empty workspace.
func New(o Options) *Provider {
	if o.Token == "" {
		o.Token = "secret-token"
	}
	if o.Bot == "" {
		o.Bot = "b0700000-0000-4000-8000-000000000000"
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

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.ServeJSON(w, r, &p.mu, func(header http.Header, body []byte) (int, any) { return p.answer(header, r, body) })
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
	case r.Method == http.MethodGet && r.URL.Path == "/v1/users/me":
		return http.StatusOK, p.me()
	case r.Method == http.MethodGet:
		if id, ok := strings.CutPrefix(r.URL.Path, "/v1/pages/"); ok {
			return p.retrieve("page", id)
		}
		if id, ok := strings.CutPrefix(r.URL.Path, "/v1/data_sources/"); ok {
			return p.retrieve("data_source", id)
		}
	}
	return refuse(http.StatusBadRequest, "invalid_request_url", "Invalid request URL.")
}

// me is the bot of the token.
func (p *Provider) me() any {
	bot := map[string]any{"owner": map[string]any{"type": "workspace", "workspace": true}}
	if p.o.Workspace != "" {
		bot["workspace_id"] = p.o.Workspace
	}
	return map[string]any{"object": "user", "id": p.o.Bot, "type": "bot", "name": "Collector", "avatar_url": nil, "bot": bot}
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
