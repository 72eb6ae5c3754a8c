package ownerapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/handoffs"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// workTime is how long the host works on a request (RD-07).
const workTime = 20 * time.Second

// call is one request on its way to its answer.
type call struct {
	*API

	w      http.ResponseWriter
	r      *http.Request
	id     string
	route  *route
	caller *access.Caller
	owner  *owner.Owner
	query  map[string]string // the parameters of the route that were sent
	rows   int
	body   []byte
	tag    string // of the answer, as ETag; "": none
	leave  func() // gives back the request's turn; nil: it has none
}

// Context is the request's.
func (c *call) Context() context.Context { return c.r.Context() }

// handle answers the requests of one route: each with JSON, also when something panics.
func (a *API) handle(rt *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{API: a, w: w, r: r, id: wire.NewID(a.Random), route: rt}
		wire.Begin(w.Header(), c.id)
		if err := c.guarded(); err != nil {
			c.fail(err)
		}
	})
}

// guarded admits the request and answers it. A panic becomes an error.
func (c *call) guarded() (err error) {
	defer web.Recover(c.Logger, c.route.path, c.id, func() { err = wire.Broken() })
	err = c.admit()
	if c.leave != nil {
		defer c.leave()
	}
	if err != nil {
		return err
	}
	if c.route.stream != nil {
		return c.route.stream(c)
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), c.Work)
	defer cancel()
	c.r = c.r.WithContext(ctx)
	a, err := c.once()
	if err != nil {
		return err
	}
	if c.route.secret {
		wire.Secret(c.w.Header())
	}
	wire.Write(c.w, a.Status, a.Body)
	return nil
}

// admit refuses a request that no operation should see.
func (c *call) admit() error {
	if !c.Guard.Knows(c.r.Host) {
		return refusalOf(web.UnknownHost())
	}
	if c.route.refusal != nil {
		if allow := c.route.allow; allow != "" {
			if c.r.URL.Path == Prefix+pathIntents { // which is the path of a connection as well
				allow += ", " + http.MethodPost
			}
			c.w.Header().Set("Allow", allow)
			return wrongMethod(c.route.path, allow).refusal
		}
		return c.route.refusal
	}
	if err := wire.CheckVersion(c.r); err != nil {
		return err
	}
	if err := c.identify(); err != nil {
		return err
	}
	if err := c.readQuery(); err != nil {
		return err
	}
	if c.route.in == nil {
		return nil
	}
	var err error
	c.body, _, err = wire.ReadBodyOf(c.w, c.r, cmp.Or(c.route.most, wire.MaxBody), "application/json")
	return err
}

// identify finds who asks, by their token alone: what a browser adds by itself is not looked
// at. The scope is held against the route here, and nowhere else (OC-06.1).
func (c *call) identify() error {
	switch {
	case c.route.browser:
		return c.seat()
	case c.route.open:
		return c.countStranger()
	}
	r := c.r.Clone(c.r.Context())
	r.Header.Del("Cookie")
	if r.Header.Get("Authorization") == "" {
		return unauthenticated()
	}
	if err := c.limits.failed.Check(c.Guard.From(c.r), "tokens", tokenIn(c.r), c.now()); err != nil {
		return err
	}
	r, err := c.Guard.Identify(r)
	if err != nil {
		return c.refused(err)
	}
	c.caller = web.CallerOf(r.Context())
	if c.caller == nil {
		return unauthenticated()
	}
	if origin := r.Header.Get("Origin"); origin != "" && !strings.HasSuffix(origin, "//"+r.Host) && r.Method != http.MethodGet {
		return web.Foreign()
	}
	c.r, c.owner = r, c.Guard.Owner(r)
	if err := c.enter(); err != nil {
		return err
	}
	return c.caller.Allows(c.route.scope)
}

// seat finds which browser of the owner's asks. A token that speaks for the owner sits before
// none, and what such a route carries crosses no network in the clear.
func (c *call) seat() error {
	if scheme, _, _ := strings.Cut(c.r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return handoffs.SessionNeeded()
	}
	r, err := c.Guard.Browser(c.r)
	if err != nil {
		return err
	}
	c.r, c.caller, c.owner = r, web.CallerOf(r.Context()), c.Guard.Owner(r)
	return c.Guard.CheckPrivate(r)
}

func unauthenticated() error {
	return &wire.Failure{
		Status: http.StatusUnauthorized, Code: wire.CodeUnauthenticated, Message: "the request has no token",
		Hint: "make one with `pdpp-host tokens create`, and send it as Authorization: Bearer",
	}
}

// readQuery reads the parameters of the route, and refuses any other.
func (c *call) readQuery() error {
	q := wire.ReadQuery(c.r.URL.RawQuery)
	c.query, c.rows = map[string]string{}, usualRows
	var missing, unread *wire.Failure
	for _, p := range c.route.params {
		var value string
		switch p.kind {
		case count:
			c.rows = int(q.Number(p.name, 1, mostRows, usualRows))
			continue
		case word:
			value = q.Word(p.name, p.words...)
		case flag:
			if q.Flag(p.name) {
				value = "true"
			}
		default:
			value = q.Text(p.name)
		}
		if p.kind == moment && value != "" {
			if _, err := time.Parse(time.RFC3339, value); err != nil {
				unread = wire.Invalid(p.name, "is no time of RFC 3339")
			}
		}
		if p.required && value == "" {
			missing = wire.Invalid(p.name, "is missing")
		}
		c.query[p.name] = value
	}
	if err := q.Done(); err != nil {
		return err
	}
	for _, f := range []*wire.Failure{unread, missing} {
		if f != nil {
			return f
		}
	}
	return nil
}

// when returns a parameter that is a moment; zero: it was not sent.
func (c *call) when(name string) time.Time {
	at, err := time.Parse(time.RFC3339, c.query[name])
	if err != nil {
		return time.Time{}
	}
	return at
}

// fail answers with an error.
func (c *call) fail(err error) {
	f := refusalOf(err)
	log := c.Logger.With("route", c.route.path, "request", c.id, "status", f.Status, "code", f.Code)
	switch {
	case f.Status == http.StatusInternalServerError:
		// The chain below may quote anything: the code says what.
		log.Error("a request failed", "cause", string(abi.CodeOf(err)))
	case c.caller != nil && !c.route.browser:
		log.Info("a request was refused", "token", c.caller.Actor.ID)
	default:
		log.Debug("a request was refused") // anybody can make any number of these, and so does a hand
	}
	if f.Status == http.StatusUnauthorized && !c.route.browser {
		c.w.Header().Set("WWW-Authenticate", "Bearer")
	}
	wire.Fail(c.w, f, c.id)
}
