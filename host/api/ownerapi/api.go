package ownerapi

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/fair"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// The paths of the API.
const (
	Prefix       = "/v1/owner"
	PathDocument = "/v1/openapi.json"
)

// Runs begins and stops runs of the process that serves.
type Runs interface {
	// Start begins a run and returns its id.
	Start(ctx context.Context, by owner.Actor, o Order) (runID string, err error)
	// Stop has a run wind up.
	Stop(ctx context.Context, by owner.Actor, runID string) error
}

// Order asks for a run.
type Order struct {
	Connection   string
	Mode         string // "": incremental
	Force        bool   // in spite of a cooldown
	AcceptFolder bool   // another folder than before, or an emptied one, is meant
}

// Deps is what the API works with.
type Deps struct {
	Guard   *web.Guard
	Runs    Runs
	Live    *live.Hub
	Random  io.Reader // of request ids
	Logger  *slog.Logger
	Version string // of the host
	// Client reports whether a token is an app's, which reads what it was granted and asks for
	// nothing here; nil: no app has one.
	Client func(ctx context.Context, token string) bool
	// Work is how long the host works on a request; zero: 20 seconds.
	Work time.Duration
	// Others are the routes of other faces, which the document describes as well.
	Others []wire.Route
}

// API answers the owner's programs. It is safe for concurrent use.
type API struct {
	Deps

	mux      *http.ServeMux
	table    []route
	document func() ([]byte, error) // made when it is first asked for: it takes longer than a start may
	asking   chan struct{}          // see still
	limits   *limits
}

// mostAsking is how many streams ask at a time whether they may go on.
const mostAsking = 4

// New returns the API.
func New(d Deps) *API {
	d.Work = cmp.Or(d.Work, workTime)
	a := &API{Deps: d, mux: http.NewServeMux(), asking: make(chan struct{}, mostAsking), limits: &limits{
		turns: wire.NewTurns(wire.OwnersRate, wire.OwnersRate, wire.OwnersAtOnce), strangers: fair.Limiter[netip.Prefix]{Rate: strangersRate, Burst: strangersBurst},
	}}
	a.table = a.routes()
	a.document = sync.OnceValues(func() ([]byte, error) { return Document(d.Version, d.Others) })
	allowed := map[string][]string{}
	for i := range a.table {
		rt := &a.table[i]
		a.mux.Handle(rt.method+" "+rt.path, a.handle(rt))
		allowed[rt.path] = append(allowed[rt.path], rt.method)
	}
	delete(allowed, Prefix+pathIntents) // with another method it is the path of a connection
	for path, methods := range allowed {
		slices.Sort(methods)
		a.mux.Handle(path, a.handle(wrongMethod(path, strings.Join(methods, ", "))))
	}
	a.mux.Handle("/", a.handle(noRoute))
	return a
}

// Operations names the operations that the API has a route of.
func (a *API) Operations() (names []string) {
	for i := range a.table {
		if name := a.table[i].operation; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// ServeHTTP answers one request. A path in another spelling than its own is not found: the
// multiplexer would answer with a redirect.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p := r.URL.EscapedPath(); p == "" || p[0] != '/' || strings.Contains(p, "//") || slices.ContainsFunc(strings.Split(p, "/"), isDots) {
		a.handle(noRoute).ServeHTTP(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

func isDots(part string) bool { return part == "." || part == ".." }

// noRoute is every path that leads nowhere.
var noRoute = &route{path: "none", refusal: wire.NotFound()}

// wrongMethod is a path of the table with a method that it has not.
func wrongMethod(path, allowed string) *route {
	return &route{path: path, allow: allowed, refusal: &wire.Failure{
		Status: http.StatusMethodNotAllowed, Code: wire.CodeMethod, Message: "this path takes " + allowed,
	}}
}
