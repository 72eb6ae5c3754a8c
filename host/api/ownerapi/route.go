package ownerapi

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// route is one method of one path.
type route struct {
	method, path string
	scope        access.Scope
	operation    string // as the list of operations names it; "": of none
	summary      string
	status       int // of a success
	params       []param
	in, out      reflect.Type // of the bodies; nil: there is none
	most         int64        // bytes of the body; 0: wire.MaxBody
	media        string       // of what stream answers; "": server-sent events
	secret       bool         // the answer holds a secret
	open         bool         // it shows what every installation has alike, to whoever asks
	browser      bool         // only a browser of the owner's that is signed in may ask
	edits        bool         // it takes If-Match
	tagged       bool         // its answer has an ETag
	do           func(*call) (any, error)
	stream       func(*call) error // answers by itself, in the place of do

	refusal *wire.Failure // of a route that only refuses
	allow   string
}

// param is one parameter of a query.
type param struct {
	name, about string
	kind        kind
	words       []string // of a word
	required    bool
}

// kind is how a parameter is read.
type kind int

const (
	text kind = iota
	word
	flag
	count  // 1 to most
	moment // RFC 3339
)

// The parameters that every list has.
const (
	mostRows  = 200
	usualRows = 100
)

var paged = []param{
	{name: "limit", about: "how many rows a page has, 1 to 200", kind: count},
	{name: "cursor", about: "next_cursor of the page before"},
}

// list returns the parameters of a list, with those that choose its rows.
func list(chosen ...param) []param { return append(chosen, paged...) }

// ask is a route that takes no body.
func ask[Out any](method, path string, scope access.Scope, operation, summary string, params []param, do func(*call) (Out, error)) route {
	return route{
		method: method, path: Prefix + path, scope: scope, operation: operation, summary: summary, status: http.StatusOK, params: params,
		out: reflect.TypeFor[Out](), do: func(c *call) (any, error) { return do(c) },
	}
}

// send is a route that takes a body.
func send[In, Out any](method, path string, scope access.Scope, operation, summary string, status int, do func(*call, *In) (Out, error)) route {
	return route{
		method: method, path: Prefix + path, scope: scope, operation: operation, summary: summary, status: status,
		in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		do: func(c *call) (any, error) {
			in := new(In)
			if err := wire.Decode(c.body, in); err != nil {
				return nil, err
			}
			return do(c, in)
		},
	}
}

// with returns a route with one thing changed.
func with(r route, change func(*route)) route {
	change(&r)
	return r
}

func secret(r *route) { r.secret = true }
func edits(r *route)  { r.edits, r.tagged = true, true }
func tagged(r *route) { r.tagged = true }
func seated(r *route) { r.browser = true }

// repeats reports whether the route takes an Idempotency-Key.
func (r *route) repeats() bool { return r.method == http.MethodPost && !r.browser }

// pageOf returns the page of a list that its operation returns whole. A row that is gone
// takes none of the others with it: the list goes on behind its key.
func pageOf[T any](c *call, list string, all []T, key func(*T) string) (*wire.List[T], error) {
	after, err := wire.After(list, c.query["cursor"])
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b T) int { return strings.Compare(key(&a), key(&b)) })
	from := 0
	if after != "" {
		from, _ = slices.BinarySearchFunc(all, after+"\x00", func(x T, t string) int { return strings.Compare(key(&x), t) })
	}
	all, next := all[from:], ""
	if len(all) > c.rows {
		all = all[:c.rows]
		next = wire.NewCursor(list, key(&all[c.rows-1]))
	}
	return wire.NewList(all, next, c.r.URL), nil
}
