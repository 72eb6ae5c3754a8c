package records

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/read/field"
)

// metadata is what is declared of a stream (RD-11).
type metadata struct {
	Object       string                 `json:"object"` // stream_metadata
	Name         string                 `json:"name"`
	Semantics    string                 `json:"semantics,omitempty"`
	Schema       json.RawMessage        `json:"schema,omitempty"`
	PrimaryKey   []string               `json:"primary_key"`
	CursorField  *string                `json:"cursor_field"`
	TimeField    *string                `json:"consent_time_field"`
	Selection    selection              `json:"selection"`
	Query        queries                `json:"query,omitzero"` // of a compact schema there is none
	Views        []declaration.View     `json:"views"`
	Relations    []declaration.Relation `json:"relationships"`
	Capabilities map[string]any         `json:"field_capabilities"`
	Expand       []expandable           `json:"expand_capabilities"` // a client's has none
	Connections  []connection           `json:"granted_connections,omitempty"`
	Freshness    *freshness             `json:"freshness,omitempty"` // of a stream that is asked for by itself
	Links        *wire.Links            `json:"links,omitempty"`
	Meta         *wire.Meta             `json:"meta,omitempty"`
}

// expandable says how a relation is followed (RD-20).
type expandable struct {
	Name        string `json:"name"`
	Relation    string `json:"relation"`
	Stream      string `json:"stream"`
	Target      string `json:"target_stream"` // the same
	ForeignKey  string `json:"foreign_key"`
	ParentKey   string `json:"child_parent_key_field,omitempty"` // "": foreign_key is the record's own, and has the other's key
	Cardinality string `json:"cardinality"`
	Default     int    `json:"default_limit,omitempty"`
	Max         int    `json:"max_limit,omitempty"`
	Granted     bool   `json:"granted"`
	Usable      bool   `json:"usable"`
	Reason      string `json:"reason,omitempty"`
}

func expandables(d *read.Described) []expandable {
	all := make([]expandable, len(d.Leads))
	for i := range d.Leads {
		l := &d.Leads[i]
		e := expandable{Name: l.Name, Relation: l.Name, Stream: l.Stream, Target: l.Stream, ForeignKey: l.ForeignKey, Cardinality: l.Cardinality, Granted: true, Usable: l.Usable}
		if !l.Own {
			e.ParentKey = l.ForeignKey
		}
		if l.Many() {
			e.Default, e.Max = l.Default, l.Max
		}
		if !l.Usable {
			e.Reason = "not_declared"
		}
		all[i] = e
	}
	return all
}

type selection struct {
	Fields    bool `json:"fields"`
	Resources bool `json:"resources"`
}

type queries struct {
	Search       *searched               `json:"search,omitempty"`
	Aggregations *declaration.Aggregates `json:"aggregations,omitempty"`
	RangeFilters []string                `json:"range_filters,omitempty"`
}

type searched struct {
	Fields []string `json:"lexical_fields"`
}

type connection struct {
	ID          string `json:"connection_id"`
	DisplayName string `json:"display_name,omitempty"`
}

// capability says what a field is good for.
type capability struct {
	Type        string          `json:"type,omitempty"`
	Granted     bool            `json:"granted"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Exact       *usable         `json:"exact_filter,omitempty"`
	Range       *bounds         `json:"range_filter,omitempty"`
	Lexical     usable          `json:"lexical_search"`
	Semantic    usable          `json:"semantic_search"`
	Aggregation summable        `json:"aggregation"`
}

type usable struct {
	Declared bool `json:"declared"`
	Usable   bool `json:"usable"`
}

// bounds are the operators by which a field is compared with a bound.
type bounds struct {
	usable

	Operators []read.Operator `json:"operators,omitempty"`
}

type summable struct {
	Distinct    usable `json:"count_distinct"`
	GroupBy     usable `json:"group_by"`
	GroupByTime usable `json:"group_by_time"`
	Max         usable `json:"max"`
	Min         usable `json:"min"`
	Sum         usable `json:"sum"`
}

func is(declared bool) usable { return usable{declared, declared} }

// stated is a declaration on its way to its answer.
type stated struct {
	*read.Described

	owner bool
}

func (s stated) capabilities(compact bool) map[string]any {
	all := map[string]any{}
	for i := range s.Fields {
		f := &s.Fields[i]
		a := &s.Aggregates
		has := slices.Contains[[]string]
		schema := field.Get(field.Get(s.Schema, "properties"), f.Name)
		c := &capability{
			Type: string(f.Type), Granted: true, Schema: schema, Lexical: is(has(s.Lexical, f.Name)),
			Aggregation: summable{is(has(a.Distinct, f.Name)), is(has(a.GroupBy, f.Name)), is(has(a.GroupByTime, f.Name)), is(has(a.Max, f.Name)), is(has(a.Min, f.Name)), is(has(a.Sum, f.Name))},
		}
		if s.owner {
			c.Exact, c.Range = new(is(f.Type != declaration.Other)), &bounds{usable: is(has(s.Range, f.Name))}
			if c.Range.Usable {
				c.Range.Operators = read.Bounds
			}
		}
		if all[f.Name] = c; compact {
			all[f.Name] = c.flags()
		}
	}
	return all
}

// flags writes a capability on one line (RD-12.1).
func (c *capability) flags() string {
	var all []string
	add := func(word string, when bool) {
		if when {
			all = append(all, word)
		}
	}
	add("t="+c.Type, c.Type != "")
	add("eq", c.Exact != nil && c.Exact.Usable)
	if c.Range != nil && c.Range.Usable {
		var operators []string
		for _, one := range c.Range.Operators {
			operators = append(operators, string(one))
		}
		add("r="+strings.Join(operators, "|"), true)
	}
	add("lex", c.Lexical.Usable)
	var sums []string
	for _, one := range []struct {
		name string
		usable
	}{
		{"count_distinct", c.Aggregation.Distinct}, {"group_by", c.Aggregation.GroupBy}, {"group_by_time", c.Aggregation.GroupByTime},
		{"max", c.Aggregation.Max}, {"min", c.Aggregation.Min}, {"sum", c.Aggregation.Sum},
	} {
		if one.Usable {
			sums = append(sums, one.name)
		}
	}
	add("a="+strings.Join(sums, "|"), sums != nil)
	return strings.Join(all, ",")
}

func (c *call) metadataOf(d *read.Described, compact bool) *metadata {
	s := stated{d, c.caller.Scope.Owner}
	m := &metadata{
		Object: "stream_metadata", Name: d.Name, Semantics: d.Semantics, Schema: d.Schema, PrimaryKey: some(d.PrimaryKey), CursorField: named(d.CursorField), TimeField: named(d.ConsentTimeField),
		Selection: selection{!d.WholeRecords, !d.EveryRecord}, Views: some(d.Views), Relations: some(d.Relations), Expand: expandables(d), Capabilities: s.capabilities(compact),
		Connections: []connection{{d.ConnectionID, d.Connection}},
	}
	if len(d.Lexical) > 0 {
		m.Query.Search = &searched{d.Lexical}
	}
	m.Query.Aggregations, m.Query.RangeFilters = &d.Aggregates, d.Range
	if compact {
		m.Schema, m.Query = nil, queries{}
	}
	return m
}

func some[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// declared returns what is declared of the streams that are asked for.
func (c *call) declared(stream string) ([]read.Described, error) {
	from, err := c.from()
	if done := c.query.Done(); done != nil {
		err = done
	}
	if err != nil {
		return nil, err
	}
	all, err := c.reader.Describe(c.r.Context(), c.caller.Scope, read.Overview{Stream: stream, Connections: from.Connections})
	all = slices.DeleteFunc(all, func(d read.Described) bool {
		return from.Connector != "" && !abi.SameConnector(d.Connector, from.Connector)
	})
	return all, err
}

// describe answers with what is declared of one stream.
func (c *call) describe() (any, error) {
	all, err := c.declared(c.stream)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && !c.caller.Scope.Owner && (c.query.Has("connection_id") || c.query.Has("connector_instance_id")) {
		return nil, abi.NewError(abi.CodeConnectionUnknown, "there is no such connection", "") // as of its records
	}
	if len(all) == 0 {
		return nil, &wire.Failure{Status: http.StatusNotFound, Code: wire.CodeNotFound, Message: "no connection has that stream"}
	}
	m := c.metadataOf(&all[0], false)
	for i := range all {
		if sourceOf(&all[i]) != sourceOf(&all[0]) {
			return nil, c.ambiguous(all, codeAmbiguous)
		}
		if i > 0 {
			m.Connections = append(m.Connections, connection{all[i].ConnectionID, all[i].Connection})
		}
	}
	ids := make([]string, len(m.Connections))
	for i := range m.Connections {
		ids[i] = m.Connections[i].ID
	}
	by, err := c.tells(ids)
	if err != nil {
		return nil, err
	}
	m.Freshness = c.fresh(by, c.stream, ids...)
	c.tellAbout(c.stream, ids...)
	m.Links, m.Meta = &wire.Links{Self: c.r.URL.RequestURI()}, new(c.meta())
	return m, nil
}

// sourceOf tells apart whose streams are.
func sourceOf(d *read.Described) string { return d.Connector + "\x00" + d.Source.ID }

func (c *call) ambiguous(all []read.Described, code string) error {
	f := &wire.Failure{Status: http.StatusConflict, Code: code, Message: "several sources have that stream", Param: "connection_id", RetryWith: "connection_id"}
	for i := range all {
		f.Connections = append(f.Connections, wire.Connection{ID: all[i].ConnectionID, DisplayName: all[i].Connection, ConnectorKey: all[i].Connector})
	}
	return f
}

// schema is what is declared of everything (RD-12).
type schema struct {
	Object     string           `json:"object"` // schema
	Bearer     bearer           `json:"bearer"`
	Detail     string           `json:"detail,omitempty"`
	Connectors []connectorState `json:"connectors"`
	Links      wire.Links       `json:"links"`
	Meta       wire.Meta        `json:"meta"`
}

type bearer struct {
	Scope    string `json:"scope"`      // owner, grant
	Kind     string `json:"token_kind"` // owner, client
	ClientID string `json:"client_id,omitempty"`
	GrantID  string `json:"grant_id,omitempty"`
}

type connectorState struct {
	Object      string       `json:"object"`       // connector
	ID          string       `json:"connector_id"` // the same as connector_key
	Key         string       `json:"connector_key"`
	DisplayName string       `json:"display_name"`
	Source      source       `json:"source"`
	StreamCount int          `json:"stream_count"`
	Connections []connection `json:"granted_connections,omitempty"`
	Streams     []*metadata  `json:"streams"`

	of string
}

type source struct {
	Kind string `json:"kind"` // connector
	ID   string `json:"id"`
}

// codeDetail refuses to tell all of one stream that several sources have (RD-12.3).
const codeDetail = "ambiguous_schema_detail"

func (c *call) schema() (any, error) {
	view, detail, stream := c.query.Word("view", "compact"), c.query.Word("detail", "compact", "full"), c.query.Text("stream")
	if detail == "full" && stream == "" {
		return nil, wire.Invalid("detail", "is full for one stream alone: name it as stream")
	}
	compact := view == "compact" || detail == "compact"
	if compact && detail == "full" {
		return nil, wire.Invalid("detail", "and view disagree")
	}
	all, err := c.declared(stream)
	switch {
	case c.caller.Scope.Owner && abi.CodeOf(err) == abi.CodeConnectionUnknown: // it narrows to nothing (RD-12.2)
	case err != nil:
		return nil, err
	case len(all) == 0 && stream != "" && !c.caller.Scope.Owner:
		return nil, read.NotGranted("the stream")
	}
	out := &schema{Object: "schema", Bearer: bearer{"owner", "owner", "", ""}, Links: wire.Links{Self: c.r.URL.RequestURI()}, Meta: c.meta(), Connectors: []connectorState{}}
	if !c.caller.Scope.Owner {
		out.Bearer = bearer{"grant", "client", c.caller.Client, c.caller.Grant}
	}
	if compact {
		out.Detail = "compact"
	}
	for i := range all {
		out.add(c, &all[i], compact)
		c.tellAbout(all[i].Name, all[i].ConnectionID)
	}
	if detail == "full" && len(out.Connectors) > 1 {
		return nil, c.ambiguous(all, codeDetail)
	}
	if compact {
		for i := range out.Connectors {
			out.Connectors[i].lift()
		}
	}
	return out, nil
}

// add adds a stream of a connection to what its connector has.
func (s *schema) add(c *call, d *read.Described, compact bool) {
	at := slices.IndexFunc(s.Connectors, func(one connectorState) bool { return one.of == sourceOf(d) })
	if at < 0 {
		at = len(s.Connectors)
		s.Connectors = append(s.Connectors, connectorOf(d))
	}
	one := &s.Connectors[at]
	if i := slices.IndexFunc(one.Streams, func(m *metadata) bool { return m.Name == d.Name }); i >= 0 {
		one.Streams[i].Connections = append(one.Streams[i].Connections, connection{d.ConnectionID, d.Connection})
		return
	}
	one.StreamCount++
	one.Streams = append(one.Streams, c.metadataOf(d, compact))
}

// connectorOf is the connector of a stream, without its streams.
func connectorOf(d *read.Described) connectorState {
	return connectorState{
		Object: "connector", ID: d.Connector, Key: d.Connector, DisplayName: cmp.Or(d.Source.Name, d.Connector), Source: source{"connector", d.Source.ID}, of: sourceOf(d),
	}
}

// lift names connections that all streams have once.
func (s *connectorState) lift() {
	for _, m := range s.Streams {
		if !slices.Equal(m.Connections, s.Streams[0].Connections) {
			return
		}
	}
	s.Connections = s.Streams[0].Connections
	for _, m := range s.Streams {
		m.Connections = nil
	}
}
