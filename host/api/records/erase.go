package records

import (
	"net/http"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/data"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// deletion is the one route that changes anything (RD-25). A token of the owner's that manages may.
var deletion = wire.Route{
	Method: http.MethodDelete, Path: "/v1/streams/{stream}/records/{record}", Summary: "Deletes a record, which no run brings back",
	Scope: string(access.ScopeManage), Params: of(), Answers: []wire.Answer{{Status: http.StatusNoContent}},
}

// takes refuses a method that a route does not take.
func (c *call) takes(rt *route) error {
	methods := []string{http.MethodGet, http.MethodHead}
	if rt.Path == deletion.Path {
		methods = append(methods, http.MethodDelete)
	}
	if slices.Contains(methods, c.r.Method) {
		return nil
	}
	all := strings.Join(methods, ", ")
	c.w.Header().Set("Allow", all)
	return &wire.Failure{Status: http.StatusMethodNotAllowed, Code: wire.CodeMethod, Message: "this path takes " + all}
}

// erase deletes the record that is asked for.
func (c *call) erase(rt *route) error {
	if !c.caller.Scope.Owner {
		return forbidden("an app changes nothing")
	}
	r := c.r.Clone(c.r.Context())
	r.Header.Del("Cookie") // its token alone says who asks
	r, err := c.Guard.Identify(r)
	if err != nil {
		return err
	}
	who := web.CallerOf(r.Context())
	if who == nil || who.Allows(access.ScopeManage) != nil {
		return forbidden("the token does not allow that: it takes one that manages")
	}
	if origin := r.Header.Get("Origin"); origin != "" && !strings.HasSuffix(origin, "//"+r.Host) {
		return forbidden("the request comes from another origin")
	}
	err = c.reads(rt, func() error {
		from, err := c.from()
		if done := c.query.Done(); done != nil {
			err = done
		}
		if err != nil {
			return err
		}
		found, err := c.reader.Record(c.r.Context(), c.caller.Scope, read.One{From: from, Key: c.record})
		if err != nil {
			return c.choice(err)
		}
		_, err = data.Erase(c.r.Context(), c.Guard.Owner(r), found.ConnectionID, found.Stream, found.Key)
		if abi.CodeOf(err) == abi.CodeRecordUnknown { // deleted meanwhile: the store's words have a command in them
			return wire.NotFound()
		}
		return err
	})
	if err != nil {
		return err
	}
	c.w.Header().Del("Content-Type")
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func forbidden(message string) error {
	return &wire.Failure{Status: http.StatusForbidden, Code: "permission_error", Message: message}
}
