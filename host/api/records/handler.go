package records

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

// Prefix begins the paths that are answered here, but for those of the owner's API.
const Prefix = "/v1/"

// Deps is what the resource server works with.
type Deps struct {
	Guard   *web.Guard
	Reader  func(context.Context) (*read.Reader, error)
	Callers read.Callers
	Now     func() time.Time
	Random  io.Reader // of request ids
	Logger  *slog.Logger
	// Tell says how some connections are; nil: each.
	Tell func(ctx context.Context, ids []string) ([]owner.Told, error)
	// Metadata is the path at which clients learn where to ask for access; "": there is none.
	Metadata string
	// Knows reports whether a token was given out here once, whatever became of it. nil: none was
	// but what Callers tell of.
	Knows func(ctx context.Context, token string) bool
	// Disclose is told of each read of a known caller, behind its answer. nil: nobody counts.
	Disclose func(*read.Disclosure)
	// Spent is how many bytes were read by a grant since a moment, in this process or in another:
	// what a grant may read is bounded over all of them. nil: in this process alone.
	Spent func(ctx context.Context, grant string, since time.Time) (int64, error)
}

// Server answers readers. It is safe for concurrent use.
type Server struct {
	Deps

	limits *limits
}

// New returns a resource server.
func New(d Deps) *Server { return &Server{d, newLimits()} }

// call is one request on its way to its answer.
type call struct {
	*Server

	w       http.ResponseWriter
	r       *http.Request
	id      string
	caller  *read.Caller
	reader  *read.Reader
	query   *wire.Query
	stream  string
	record  string
	blob    string
	alias   bool   // the connection was named by its old parameter
	leave   func() // gives back what the request was counted by; nil: it was not
	turn    func() // gives back its turn among all before
	about   string // the path of where clients learn to ask for access; "": there is none
	began   time.Time
	arrived time.Time           // by this machine's clock
	told    map[string]int64    // how many records of each stream
	whose   map[string]struct{} // the connections that they are of
}

// routeOf finds the route of an escaped path: a record's key may have any character in it,
// escaped (RD-01.5).
func (c *call) routeOf(path string) *route {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return nil
		}
		parts[i] = plain
	}
	return c.routeTo(parts)
}

// routeTo finds the route of a path by its parts.
func (c *call) routeTo(parts []string) *route {
	for _, part := range parts {
		if part == "" || !utf8.ValidString(part) || strings.ContainsRune(part, 0) {
			return nil
		}
	}
	for i := range table {
		if c.fits(&table[i], parts) {
			return &table[i]
		}
	}
	return nil
}

// fits reports whether a path is a route's, and takes the stream and the record from it.
func (c *call) fits(rt *route, parts []string) bool {
	pattern := strings.Split(strings.TrimPrefix(rt.Path, "/"), "/")
	if len(pattern) != len(parts) {
		return false
	}
	for i, p := range pattern {
		if !strings.HasPrefix(p, "{") && p != parts[i] {
			return false
		}
	}
	for i, p := range pattern {
		switch p {
		case "{stream}":
			c.stream = parts[i]
		case "{record}":
			c.record = parts[i]
		case "{blob_id}":
			c.blob = parts[i]
		}
	}
	return true
}

func (s *Server) call(w http.ResponseWriter, r *http.Request, about string) *call {
	c := &call{Server: s, w: w, r: r, id: wire.NewID(s.Random), about: about, began: s.Now(), arrived: time.Now()}
	wire.Begin(w.Header(), c.id)
	return c
}

// ServeHTTP answers one request with JSON, also when something panics.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := s.call(w, r, s.Metadata)
	if err := c.guarded(); err != nil {
		c.fail(err)
	}
}

func (c *call) guarded() (err error) {
	defer web.Recover(c.Logger, Prefix, c.id, func() { err = wire.Broken() })
	rt, err := c.admit()
	if c.leave != nil {
		defer c.leave()
	}
	if err != nil {
		return err
	}
	if c.r.Method == http.MethodDelete {
		return c.erase(rt)
	}
	if rt.send != nil {
		return c.sent(rt)
	}
	body, err := c.answer(rt)
	if err != nil {
		return err
	}
	if rt.Tagged && c.isKnown(fmt.Sprintf(`"%x"`, sha256.Sum256(body))) {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	c.turn() // its reader may be slow: the others wait for it no longer
	wire.Write(c.w, http.StatusOK, body)
	return nil
}

// answer is the body of an answer, which is counted.
func (c *call) answer(rt *route) ([]byte, error) {
	if err := c.refuseOwners(); err != nil {
		return nil, err
	}
	if rt.costly && c.caller.Grant != "" {
		if wait := c.limits.costly.Take(c.caller.Grant, c.Now()); wait > 0 {
			return nil, wire.TooMany("too many searches came under this grant", burstOfCostly, wait)
		}
	}
	var body []byte
	err := c.reads(rt, func() error {
		answer, err := rt.answer(c)
		if err == nil {
			body, err = encode(answer)
		}
		return err
	})
	if err == nil {
		c.disclose(http.StatusOK, int64(len(body)), "")
	}
	return body, err
}

// isKnown tags an answer, and reports whether its reader has it.
func (c *call) isKnown(tag string) bool {
	c.w.Header().Set("ETag", tag)
	return isAmong(c.r.Header.Values("If-None-Match"), tag)
}

// admit refuses a request that no read should see.
func (c *call) admit() (*route, error) {
	if err := c.named(); err != nil {
		return nil, err
	}
	rt := c.routeOf(c.r.URL.EscapedPath())
	if rt == nil {
		return nil, wire.NotFound()
	}
	c.r.Pattern = rt.Path
	if err := c.takes(rt); err != nil {
		return nil, err
	}
	if err := wire.CheckVersion(c.r); err != nil {
		return nil, err
	}
	if err := c.within(workTime, c.identify); err != nil {
		return nil, err
	}
	c.query = wire.ReadQuery(c.r.URL.RawQuery)
	return rt, nil
}

// How long the host works on a request, and on one that may look at every record (RD-07).
const workTime, costlyTime = 20 * time.Second, 10 * time.Second

// within does a part of the work on a request, which ends so long after it came: what takes longer
// is refused as busy, and what its client does not wait for ends with its request.
func (c *call) within(limit time.Duration, do func() error) error {
	sent := c.r
	ctx, cancel := context.WithDeadline(sent.Context(), c.arrived.Add(limit))
	defer func() { cancel(); c.r = sent }()
	c.r = sent.WithContext(ctx)
	err := do()
	if err != nil && ctx.Err() != nil {
		return wire.Busy()
	}
	return err
}

// reads opens the store and asks it.
func (c *call) reads(rt *route, do func() error) error {
	limit := workTime
	if rt.costly {
		limit = costlyTime
	}
	return c.within(limit, func() (err error) {
		if c.reader, err = c.Reader(c.r.Context()); err != nil {
			return err
		}
		return do()
	})
}

// named refuses a request to another host (RD-01.2).
func (c *call) named() error {
	if !c.Guard.Knows(c.r.Host) {
		return &wire.Failure{Status: http.StatusMisdirectedRequest, Code: codeMisdirected, Message: "the host does not answer to this name"}
	}
	return nil
}

// identify finds who asks, by the one header that says so (RD-02).
func (c *call) identify() error {
	sent := c.r.Header.Values("Authorization")
	if len(sent) != 1 {
		return c.unauthenticated("the request has no token, or several", false)
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " \t,") {
		return c.unauthenticated("the request has no token that is sent as Authorization: Bearer", false)
	}
	from := c.Guard.From(c.r)
	if err := c.limits.failed.Check(from, "tokens", token, c.Now()); err != nil {
		return err
	}
	caller, err := c.Callers.Caller(c.r.Context(), token)
	c.caller = caller
	if err != nil {
		if tooMany := c.count(token, from, err); tooMany != nil {
			return tooMany
		}
		return c.strange(err)
	}
	c.limits.failed.Right(token)
	listen.Prove(c.r.Context())
	c.leave, err = c.enter(token)
	return err
}
