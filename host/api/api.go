package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

// Deps is what the API works with.
type Deps struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // of tokens and request ids
	Logger *slog.Logger
	// Installed returns the manifest and the module's SHA-256 of the connector that this host has installed, nil where
	// it has none: it names and describes what a collector delivers that puts no manifest. If it is nil, none is installed.
	Installed func(ctx context.Context, connector string) (manifest []byte, moduleSHA256 string, err error)
	// From is the address by which a request is counted, such as that behind a proxy. If it is nil, it is the connection's.
	From func(*http.Request) netip.Prefix
}

// API answers the device protocol. It is safe for concurrent use.
type API struct {
	store    Store
	now      func() time.Time
	random   io.Reader
	logger   *slog.Logger
	mux      *http.ServeMux
	slots    *slots
	attempts *attempts
	gates    *gates
	from     func(*http.Request) netip.Prefix
	learning sync.Mutex // of public sources' manifests

	delivered atomic.Int64 // records

	installed func(ctx context.Context, connector string) (manifest []byte, moduleSHA256 string, err error)
}

// New returns the API.
func New(d Deps) *API {
	a := &API{
		store: d.Store, now: d.Now, random: d.Random, logger: d.Logger, mux: http.NewServeMux(),
		slots: newSlots(), attempts: newAttempts(d.Now), gates: &gates{}, installed: d.Installed, from: d.From,
	}
	if a.from == nil {
		a.from = func(r *http.Request) netip.Prefix { return listen.AddressOf(r.RemoteAddr) }
	}
	allowed := map[string][]string{}
	for _, r := range a.routes() {
		a.mux.Handle(r.method+" "+r.path, a.handle(&r))
		allowed[r.path] = append(allowed[r.path], r.method)
	}
	for at, methods := range allowed {
		slices.Sort(methods)
		a.mux.Handle(at, a.handle(wrongMethod(at, strings.Join(methods, ", "))))
	}
	a.mux.Handle("/", a.handle(noRoute))
	return a
}

// Activity returns how many requests of devices run now, and how many records were taken
// since the API was made.
func (a *API) Activity() (requests int, records int64) {
	a.slots.mu.Lock()
	defer a.slots.mu.Unlock()
	return a.slots.all, a.delivered.Load()
}

// ServeHTTP answers one request. A path in another spelling than its own is not
// found: the multiplexer would answer with a redirect, which no collector follows.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p := r.URL.Path; p == "" || p[0] != '/' || path.Clean(p) != p || r.Method == http.MethodConnect {
		a.handle(noRoute)(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}
