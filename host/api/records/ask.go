package records

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// Reply is what a question is answered.
type Reply struct {
	ID     string // of the request
	Status int
	Body   []byte // JSON: the answer, or an envelope with an error
}

// Ask answers another face of this process as ServeHTTP answers a request: the same routes,
// parameters and refusals, under the scope of whoever that face has taken in. path are the
// parts of the route, as they are. It counts what is costly and what is read, and not how often.
func (s *Server) Ask(ctx context.Context, caller *read.Caller, path []string, query url.Values) *Reply {
	w := &unsent{head: http.Header{}}
	r := (&http.Request{Method: http.MethodGet, URL: &url.URL{RawQuery: query.Encode()}}).WithContext(ctx)
	r.URL.RawPath = pathOf(path...)
	r.URL.Path, _ = url.PathUnescape(r.URL.RawPath) // as it was escaped above
	c := s.call(w, r, "")
	c.caller = caller
	if err := c.ask(path); err != nil {
		c.fail(err)
	}
	return &Reply{c.id, w.status, w.body}
}

func (c *call) ask(path []string) (err error) {
	defer web.Recover(c.Logger, Prefix, c.id, func() { err = wire.Broken() })
	rt := c.routeTo(path)
	if rt == nil || rt.answer == nil { // other faces take JSON
		return wire.NotFound()
	}
	c.r.Pattern = rt.Path
	c.query = wire.ReadQuery(c.r.URL.RawQuery)
	if err := c.within(workTime, c.mayRead); err != nil {
		return err
	}
	body, err := c.answer(rt)
	if err == nil {
		wire.Write(c.w, http.StatusOK, body)
	}
	return err
}

// unsent keeps an answer.
type unsent struct {
	head   http.Header
	status int
	body   []byte
}

func (u *unsent) Header() http.Header    { return u.head }
func (u *unsent) WriteHeader(status int) { u.status = status }

func (u *unsent) Write(b []byte) (int, error) {
	u.body = append(u.body, b...)
	return len(b), nil
}

// Admit takes in a request of another face for the holder of a client's token, under the
// limits of readers. about is the path where a client learns to ask for access. ok is false
// where it was refused, and answered so; else the face calls turn before it writes its answer,
// whose reader may be slow, and leave when it is done.
func (s *Server) Admit(w http.ResponseWriter, r *http.Request, about string) (caller *read.Caller, turn, leave func(), ok bool) {
	c := s.call(w, r, about)
	err := c.named()
	if err == nil {
		err = c.askAgain(c.within(workTime, c.identify))
	}
	if err == nil && c.caller.Scope.Owner {
		err = forbidden("this path takes the token of a grant, and none of the owner's")
	}
	if err != nil {
		if c.leave != nil {
			c.leave()
		}
		c.fail(err)
		return nil, nil, nil, false
	}
	return c.caller, c.turn, c.leave, true
}

// Refuse answers a request of another face with a failure, and one to another host with that.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, f *wire.Failure) {
	c := s.call(w, r, "")
	if err := c.named(); err != nil {
		c.fail(err)
		return
	}
	c.fail(f)
}

// Refused is the reply to a question whose caller may not read. caller is nil where it was not
// found.
func (s *Server) Refused(ctx context.Context, caller *read.Caller, path []string, err error) *Reply {
	w := &unsent{head: http.Header{}}
	c := s.call(w, (&http.Request{URL: &url.URL{}}).WithContext(ctx), "")
	c.caller = caller
	if rt := c.routeTo(path); rt != nil {
		c.r.Pattern = rt.Path
	}
	if abi.CodeOf(err) == read.CodeTokenUnknown {
		err = &wire.Failure{Status: http.StatusUnauthorized, Code: wire.CodeUnauthenticated, Message: "the token is unknown, revoked or too old"}
	}
	c.fail(err)
	return &Reply{c.id, w.status, w.body}
}

// Path escapes the parts of a route's path.
func Path(parts []string) string { return pathOf(parts...) }
