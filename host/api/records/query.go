package records

import (
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// subject is the one person whose host this is.
const subject = "owner_local"

// ownersAlone begin the parameters that no client may send (RD-17.1, RD-18.4, RD-20.1).
var ownersAlone = []string{"filter", "view", "expand", "connector_id"}

// refuseOwners refuses what a client may never send, before anything is looked up.
func (c *call) refuseOwners() error {
	if c.caller.Scope.Owner {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.r.URL.Query())) {
		plain, _, _ := strings.Cut(name, "[")
		if plain == "view" && c.stream == "" { // of a schema, which is no stream's
			continue
		}
		if slices.Contains(ownersAlone, plain) || plain == "expand_limit" {
			return wire.Invalid(plain, "cannot be used with a grant")
		}
	}
	return nil
}

// from reads which streams are asked for.
func (c *call) from() (read.From, error) {
	q, f := c.query, read.From{Stream: c.stream}
	connection, old := q.Text("connection_id"), q.Text("connector_instance_id")
	if connection != "" && old != "" && connection != old {
		return f, &wire.Failure{Status: http.StatusBadRequest, Code: codeArgument, Param: "connector_instance_id", Message: "connection_id and connector_instance_id differ"}
	}
	c.alias = old != ""
	if connection == "" {
		connection = old
	}
	if connection != "" {
		f.Connections = []string{connection}
	}
	if c.caller.Scope.Owner {
		f.Connector = q.Text("connector_id")
	}
	if s := q.Text("subject_id"); s != "" && s != subject {
		return f, wire.Invalid("subject_id", "is not "+subject)
	}
	return f, nil
}

// list reads the parameters of a list.
func (c *call) list() (read.List, error) {
	from, err := c.from()
	q := c.query
	l := read.List{From: from, Fields: q.List("fields"), Order: q.Word("order", "asc", "desc"), Limit: c.limit(), Cursor: q.Text("cursor")}
	if sort := q.List("sort"); len(sort) > 1 {
		err = &wire.Failure{Status: http.StatusBadRequest, Code: codeSort, Param: "sort", Message: "a list is sorted by one field"}
	} else if len(sort) == 1 {
		l.Sort = sort[0]
	}
	count := q.Word("count", "none", "estimated", "exact")
	l.Count = count != "" && count != "none"
	l.Times = q.Word("window", "exact") != ""
	view := ""
	if c.caller.Scope.Owner {
		l.Filters, view, l.Expand = filters(q), q.Text("view"), expand(q)
	}
	if done := q.Done(); done != nil {
		return l, done
	}
	if err == nil && view != "" {
		l.Fields, err = c.viewed(&l, view)
	}
	return l, err
}

// viewed returns the fields of a view (RD-18.4). A connection that declares them otherwise is left
// out as one that lacks a field.
func (c *call) viewed(l *read.List, view string) ([]string, error) {
	if l.Fields != nil {
		return nil, wire.Invalid("view", "does not go with fields")
	}
	all, err := c.reader.Describe(c.r.Context(), c.caller.Scope, read.Overview{Stream: l.Stream, Connections: l.Connections})
	if err != nil {
		return nil, err
	}
	for i := range all {
		d := &all[i]
		if l.Connector != "" && d.Connector != l.Connector {
			continue
		}
		if n := slices.IndexFunc(d.Views, func(v declaration.View) bool { return v.ID == view }); n >= 0 {
			return slices.DeleteFunc(some(slices.Clone(d.Views[n].Fields)), func(name string) bool { return d.Field(name) == nil }), nil
		}
	}
	return nil, wire.Invalid("view", "is no view of the stream")
}

// limit is how many rows were asked for. More than a page has are clamped by the read.
func (c *call) limit() int { return int(c.query.Number("limit", 1, math.MaxInt32, read.DefaultLimit)) }

// filters reads filter[f]=v and filter[f][op]=v.
func filters(q *wire.Query) (all []read.Filter) {
	sent := q.Map("filter")
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		name, op, has := strings.Cut(key, "][")
		if !has {
			op = string(read.Equal)
		}
		all = append(all, read.Filter{Field: name, Op: read.Operator(op), Value: sent[key]})
	}
	return all
}

// mostRelations bounds the relations of one request.
const mostRelations = 16

// expand reads the relations that are followed, and expand_limit[name]=n.
func expand(q *wire.Query) (e read.Expand) {
	if e.Names = q.List("expand"); len(e.Names) > mostRelations {
		q.Refuse("expand", "names more than 16 relations")
	}
	for name, sent := range q.Map("expand_limit") {
		n, err := strconv.Atoi(sent)
		if err != nil || n < 1 || sent != strconv.Itoa(n) {
			q.Refuse("expand_limit", "is not a whole number above zero")
		}
		if e.Limits == nil {
			e.Limits = map[string]int{}
		}
		e.Limits[name] = n
	}
	return e
}

// changes reads the parameters of a feed of changes. The others of a list do not go with it
// (RD-23.10).
func (c *call) changes() (read.Changes, error) {
	from, err := c.from()
	q := c.query
	ch := read.Changes{From: from, Since: q.Text("changes_since"), Fields: q.List("fields"), Limit: c.limit(), Cursor: q.Text("cursor")}
	if done := q.Done(); done != nil {
		return ch, done
	}
	return ch, err
}
