package github

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/logbook"
)

// Version is the API version that a request names, and VersionBefore the one before it, which
// GitHub supports until March 2028 at least.
const (
	Version       = "2026-03-10"
	VersionBefore = "2022-11-28"
)

// Options of a Provider.
type Options struct {
	Token   string           // required of every request; "" takes any
	Now     func() time.Time // required
	Env     fault.Env        // of Faults
	Enforce bool             // refuse above the documented limits, by Now
	// Origin begins every link; "" is the origin of the request.
	Origin string
	// PerPage caps per_page below 100, so that few rows make many pages.
	PerPage int
	// Sunset refuses requests of VersionBefore, as GitHub will one day.
	Sunset bool
}

// Provider is the simulated service. It is safe for concurrent use.
type Provider struct {
	logbook.Book

	Faults *fault.Injector

	o  Options
	mu sync.Mutex

	data       Data
	accepted   int // requests until the token expires; negative: it does not
	loop       string
	incomplete int // searches to time out
	core       window
	search     window
}

// New returns a Provider with the data d.
func New(o Options, d Data) *Provider {
	if o.PerPage == 0 {
		o.PerPage = 100
	}
	p := &Provider{
		o: o, data: d, accepted: -1,
		core: window{limit: 5000, per: time.Hour}, search: window{limit: 30, per: time.Minute},
	}
	p.Faults = fault.New(http.HandlerFunc(p.route), o.Env)
	return p
}

// Edit changes the data.
func (p *Provider) Edit(change func(*Data)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.data)
}

// ExpireToken makes the token good for n more requests.
func (p *Provider) ExpireToken(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accepted = n
}

// RenewToken makes it good again.
func (p *Provider) RenewToken() { p.ExpireToken(-1) }

// ReplaceToken revokes the token, and takes another one in its place.
func (p *Provider) ReplaceToken(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.o.Token = token
}

// LoopNext makes the pages of a path name themselves as the next one.
func (p *Provider) LoopNext(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loop = path
}

// TimeOutSearches makes the next n searches report incomplete_results and leave out
// every second result.
func (p *Provider) TimeOutSearches(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.incomplete = n
}

// ServeHTTP answers a request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := p.Arrived(r, nil)
	seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	defer func() { p.Answered(n, seen.status) }()
	p.Faults.ServeHTTP(seen, r)
}

// statusWriter keeps the status for the log.
type statusWriter struct {
	http.ResponseWriter

	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// authorized checks token and API version.
func (p *Provider) authorized(r *http.Request) (status int, message string) {
	if p.accepted == 0 {
		return http.StatusUnauthorized, "Bad credentials"
	}
	if p.accepted > 0 {
		p.accepted--
	}
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if p.o.Token != "" && (!strings.EqualFold(kind, "bearer") || token != p.o.Token) {
		return http.StatusUnauthorized, "Bad credentials"
	}
	if version := r.Header.Get("X-Github-Api-Version"); version != Version && (version != VersionBefore || p.o.Sunset) {
		return http.StatusBadRequest, "the API version is missing, or not supported"
	}
	return 0, ""
}
