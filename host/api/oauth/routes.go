package oauth

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// The paths.
const (
	PathResource    = "/.well-known/oauth-protected-resource"
	PathResourceMCP = PathResource + PathMCP
	PathIndex       = "/{$}"
	PathServer      = "/.well-known/oauth-authorization-server"
	PathRegister    = "/oauth/register"
	PathPush        = "/oauth/par"
	PathAuthorize   = "/oauth/authorize"
	PathToken       = "/oauth/token"  //nolint:gosec // a path
	PathRevokeToken = "/oauth/revoke" //nolint:gosec // a path
	PathIntrospect  = "/introspect"
	PathStartDevice = "/oauth/device_authorization"
	PathConnect     = "/agent-connect"
	PathPoll        = "/agent-connect/poll"
	PathRevoke      = "/grants/{grant}/revoke"
	PathConsent     = "/consent" // pages of the console's
	PathBegin       = "/consent/begin"
	PathDevice      = "/device"
	PathMCP         = "/mcp"
)

// Deps is what the face works with.
type Deps struct {
	Guard  *web.Guard
	Desk   *desk.Desk
	Now    func() time.Time
	Random io.Reader // of request ids
	Logger *slog.Logger
	// Witness returns a context with which the next change of the store, which a client at that
	// address makes, leaves its audit event.
	Witness func(ctx context.Context, address, operation, subject string) context.Context
	// Introspects reports whether a resource server shows a secret that was made for it.
	Introspects func(ctx context.Context, id, secret string) (bool, error)
	// Claimed reports whether this host has an owner who could be asked.
	Claimed func(ctx context.Context) (bool, error)
	// RevokeAsOwner ends a grant for whoever at that address shows a token that speaks for the
	// owner. known is false where it is none.
	RevokeAsOwner func(ctx context.Context, address, token, id string) (known bool, err error)
	// Document reads the document of a client at its address, over https and from the public network alone.
	// nil: no client is known by its document.
	Document func(ctx context.Context, address string) ([]byte, error)
	// NoRegistration: no client becomes known here.
	NoRegistration bool
}

// Server answers programs. It is safe for concurrent use.
type Server struct {
	Deps

	mux     *http.ServeMux
	shares  *shares
	claimed atomic.Int64 // until when an owner is known to be there, in Unix nanoseconds
}

// workTime is how long the host works on a request (RD-07).
const workTime = 20 * time.Second

// New returns the face.
func New(d Deps) *Server {
	s := &Server{Deps: d, mux: http.NewServeMux(), shares: newShares()}
	for i := range table {
		rt := &table[i]
		s.mux.Handle(rt.Method+" "+rt.Path, s.handle(rt))
		s.mux.Handle(rt.Path, s.handle(&route{Route: wire.Route{Path: rt.Path}, flat: rt.flat, do: wrongMethod(rt.Method)}))
	}
	return s
}

func wrongMethod(allowed string) func(*call) (any, error) {
	return func(c *call) (any, error) {
		c.w.Header().Set("Allow", allowed)
		return nil, &wire.Failure{Status: http.StatusMethodNotAllowed, Code: wire.CodeMethod, Message: "this path takes " + allowed}
	}
}

// Index answers programs that ask for JSON with where they go on, and others with the pages.
func (s *Server) Index(pages http.Handler) http.Handler {
	answers := s.handle(&root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepts := strings.Join(r.Header.Values("Accept"), ",")
		if (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(accepts, "application/json") && !strings.Contains(accepts, "text/html") {
			answers.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// call is one request on its way to its answer.
type call struct {
	*Server

	w     http.ResponseWriter
	r     *http.Request
	id    string
	route *route
	to    string // where a browser is sent; "": nowhere
	leave func() // ends its turn among strangers, or nil if it has none
}

func (s *Server) handle(rt *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Server: s, w: w, r: r, id: wire.NewID(s.Random), route: rt}
		wire.Begin(w.Header(), c.id)
		status, body, err := c.answer()
		if err != nil {
			c.fail(err)
			return
		}
		if c.to != "" {
			http.Redirect(w, r, c.to, http.StatusSeeOther)
			return
		}
		if rt.Secret {
			wire.Secret(w.Header())
		}
		wire.Write(w, status, body)
	})
}

// answer admits the request and answers it. A panic becomes an error.
func (c *call) answer() (status int, body []byte, err error) {
	defer web.Recover(c.Logger, c.route.Path, c.id, func() { err = wire.Broken() })
	defer func() {
		if c.leave != nil {
			c.leave()
		}
	}()
	if err := c.admit(); err != nil {
		return 0, nil, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), workTime)
	defer cancel()
	c.r = c.r.WithContext(ctx)
	result, err := c.route.do(c)
	if err != nil {
		return 0, nil, err
	}
	status = c.route.Answers[0].Status
	switch result := result.(type) {
	case waiting:
		status = http.StatusAccepted
	case elsewhere:
		c.to = string(result)
	}
	body, err = wire.Encode(result)
	return status, body, err
}

// admit refuses a request that nothing should see (RD-01, RD-57).
func (c *call) admit() error {
	if !c.Guard.Knows(c.r.Host) {
		return &wire.Failure{Status: http.StatusMisdirectedRequest, Code: "misdirected_request", Message: "this host was not told of that name", Hint: "its owner sets serve.origin"}
	}
	if err := wire.CheckVersion(c.r); err != nil {
		return err
	}
	if err := http.NewCrossOriginProtection().Check(c.r); err != nil {
		return &wire.Failure{Status: http.StatusForbidden, Code: "permission_error", Message: "the request comes from a page of another origin"}
	}
	if err := wire.ReadQuery(c.r.URL.RawQuery).Done(); err != nil && !c.route.page { // no other route has a parameter
		return err
	}
	if !c.route.uncounted && !c.route.shows {
		if err := c.stands(); err != nil {
			return err
		}
	}
	return c.checkClaimed()
}

// checkClaimed refuses everything while this host has no owner (OC-03.1): nobody could be asked, and
// what is kept for them would be whoever's came first. Once an owner was there, one request a second looks again, so
// that those of strangers do not read the store.
func (c *call) checkClaimed() error {
	now := c.Now()
	until := c.claimed.Load()
	if now.UnixNano() < until || until != 0 && !c.claimed.CompareAndSwap(until, now.Add(time.Second).UnixNano()) {
		return nil
	}
	claimed, err := c.Claimed(c.r.Context())
	if !claimed {
		c.claimed.Store(0)
	} else if until == 0 {
		c.claimed.Store(now.Add(time.Second).UnixNano())
	}
	if err == nil && !claimed {
		err = &wire.Failure{Status: http.StatusServiceUnavailable, Code: codeOwnerless, Message: "this host has no owner yet", Hint: "its owner opens the link that `pdpp-host serve` prints", After: unclaimedFor}
	}
	return err
}

// codeOwnerless is answered by a host that has no owner, which a program may ask again after
// unclaimedFor.
const (
	codeOwnerless = "temporarily_unavailable"
	unclaimedFor  = time.Minute
)

// origin is what this request's addresses begin with (RD-01.1).
func (c *call) origin() string { return c.Guard.Base(c.r) }

// refused is how a code of the desk's is answered.
type refused struct {
	status      int
	code, param string
	wait        time.Duration
}

const (
	codeGrant    = "invalid_grant"
	codeDenied   = "access_denied"
	codeRedirect = "invalid_redirect_uri"
	codeTarget   = "invalid_target"
)

var refusals = map[abi.Code]refused{
	desk.CodeClientUnknown:   {http.StatusBadRequest, "invalid_client", "client_id", 0},
	desk.CodeClientName:      {http.StatusBadRequest, wire.CodeInvalid, "client_name", 0},
	desk.CodeClientDisplay:   {http.StatusBadRequest, wire.CodeInvalid, "client_display", 0},
	desk.CodeClientsFull:     {http.StatusTooManyRequests, "rate_limit_exceeded", "", time.Hour},
	desk.CodeRequestsFull:    {http.StatusTooManyRequests, "rate_limit_exceeded", "", desk.RequestLife},
	desk.CodeRequestUnknown:  {http.StatusBadRequest, wire.CodeInvalid, "request_uri", 0},
	desk.CodeRequestDecided:  {http.StatusBadRequest, wire.CodeInvalid, "request_uri", 0},
	desk.CodeRequestWaited:   {http.StatusBadRequest, wire.CodeInvalid, "request_uri", 0},
	desk.CodeRequestReviewed: {http.StatusBadRequest, wire.CodeInvalid, "request_uri", 0},
	desk.CodeRequestExpired:  {http.StatusBadRequest, "expired_token", "", 0},
	desk.CodePollingRefused:  {http.StatusUnauthorized, codeGrant, "", 0},
	desk.CodePollingTooQuick: {http.StatusTooManyRequests, "rate_limit_exceeded", "", desk.Interval},
	desk.CodeRedirect:        {http.StatusBadRequest, codeRedirect, "redirect_uri", 0},
	desk.CodeResource:        {http.StatusBadRequest, codeTarget, "resource", 0},
	desk.CodeRedeemRefused:   {http.StatusBadRequest, codeGrant, "", 0},
	desk.CodeReplayed:        {http.StatusBadRequest, codeGrant, "", 0},
	desk.CodePending:         {http.StatusBadRequest, "authorization_pending", "", 0},
	desk.CodeSlowDown:        {http.StatusBadRequest, "slow_down", "", 0},
	desk.CodeDenied:          {http.StatusForbidden, codeDenied, "", 0},
	desk.CodeTokenRefused:    {http.StatusUnauthorized, wire.CodeUnauthenticated, "", 0},
	desk.CodeUnknown:         {http.StatusNotFound, wire.CodeNotFound, "", 0},
	abi.CodeStoreText:        {http.StatusBadRequest, wire.CodeInvalid, "", 0},
	abi.CodeStoreLocked:      {http.StatusServiceUnavailable, wire.CodeBusy, "", time.Second},
	abi.CodeStoreFull:        {http.StatusServiceUnavailable, wire.CodeBusy, "", time.Minute},
	abi.CodeStoreUnavailable: {http.StatusServiceUnavailable, wire.CodeBusy, "", time.Second},
}

// failureOf turns an error into an answer. Its text names no value.
func failureOf(err error) *wire.Failure {
	if f, ok := errors.AsType[*wire.Failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*grant.Invalid](err); ok {
		return &wire.Failure{Status: http.StatusBadRequest, Code: "invalid_authorization_details", Message: "authorization_details" + e.Param + " " + e.Rule, Param: e.Param}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return wire.Busy()
	}
	e, ok := errors.AsType[*abi.Error](err)
	if !ok {
		return wire.Broken()
	}
	how, known := refusals[e.Code]
	if !known {
		return wire.Broken()
	}
	return &wire.Failure{Status: how.status, Code: how.code, Message: e.Message, Param: how.param, After: how.wait}
}

// fail answers with an error: in the form of the readers' API, or of RFC 6749 (RD-03).
func (c *call) fail(err error) {
	f := failureOf(err)
	if f.Status == http.StatusInternalServerError {
		c.Logger.Error("a request failed", "route", c.route.Path, "request", c.id, "cause", string(abi.CodeOf(err)))
	}
	switch {
	case c.route.page && f.Status != http.StatusMisdirectedRequest && f.Code != codeOwnerless:
		http.Redirect(c.w, c.r, PathBegin+"?refused="+url.QueryEscape(f.Code), http.StatusSeeOther)
	case c.route.flat:
		c.failFlat(f, abi.CodeOf(err) == desk.CodeReplayed)
	default:
		if f.Status == http.StatusUnauthorized && c.w.Header().Get("WWW-Authenticate") == "" {
			c.w.Header().Set("WWW-Authenticate", wire.Challenge(c.origin()+PathResource, c.bearer() != ""))
		}
		wire.Fail(c.w, f, c.id)
	}
}

// flatError is an error in the form of RFC 6749.
type flatError struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
	RequestID   string `json:"request_id"`
	Fresh       bool   `json:"fresh_authorization_required,omitempty"` // the grant has ended
}

func (c *call) failFlat(f *wire.Failure, fresh bool) {
	wire.RetryAfter(c.w.Header(), f)
	if f.Status == http.StatusForbidden && f.Code == codeDenied { // RFC 8628, section 3.5
		f.Status = http.StatusBadRequest
	}
	e := flatError{f.Code, f.Message, c.id, fresh}
	if c.route.Path == PathRegister && f.Status == http.StatusBadRequest && f.Code != codeRedirect {
		e.Code = "invalid_client_metadata"
	}
	body, err := wire.Encode(e)
	if err != nil { // of strings alone, it never is
		body = []byte("{}\n")
	}
	wire.Write(c.w, f.Status, body)
}

// bearer is the token of a request; "": it has none, or more than one.
func (c *call) bearer() string {
	v := c.r.Header.Values("Authorization")
	if len(v) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(v[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || slices.Contains([]string{"", " "}, token) {
		return ""
	}
	return token
}
