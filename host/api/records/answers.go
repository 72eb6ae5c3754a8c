package records

import (
	"encoding/json"
	"net/url"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/read/field"
)

// row is a record, or what is told of one that is not seen any more.
type row struct {
	Object       string          `json:"object"` // record
	ID           string          `json:"id"`
	Stream       string          `json:"stream"`
	ConnectionID string          `json:"connection_id"`
	InstanceID   string          `json:"connector_instance_id"` // the same by its old name (RD-08)
	DisplayName  string          `json:"display_name"`
	ConnectorKey string          `json:"connector_key"`
	Data         json.RawMessage `json:"data,omitempty"`
	Deleted      bool            `json:"deleted,omitempty"`
	DeletedAt    string          `json:"deleted_at,omitempty"`
	EmittedAt    string          `json:"emitted_at"`
	Expanded     map[string]any  `json:"expanded,omitempty"` // by relation: of one to many a belonging, else a record or null
}

// belonging are the records that a relation to many leads to from one record.
type belonging struct {
	Object  string `json:"object"` // list
	URL     string `json:"url"`    // of all of them
	HasMore bool   `json:"has_more"`
	Data    []row  `json:"data"`
}

// expanded is what the relations of a record lead to (RD-20.2).
func expanded(r *read.Record) map[string]any {
	if r.Expanded == nil {
		return nil
	}
	all := map[string]any{}
	for i := range r.Expanded {
		x := &r.Expanded[i]
		rows := make([]row, len(x.Records))
		for i := range x.Records {
			rows[i] = rowOf(&x.Records[i])
		}
		switch {
		case x.Many():
			q := url.Values{"connection_id": {r.ConnectionID}, "filter[" + x.ForeignKey + "]": {r.Key}, "order": {"asc"}}
			all[x.Name] = &belonging{"list", pathOf("v1", "streams", x.Stream, "records") + "?" + q.Encode(), x.More, rows}
		case len(rows) == 1:
			all[x.Name] = &rows[0]
		default:
			all[x.Name] = nil
		}
	}
	return all
}

func rowOf(r *read.Record) row {
	return row{
		Object: "record", ID: r.Key, Stream: r.Stream, ConnectionID: r.ConnectionID, InstanceID: r.ConnectionID, DisplayName: r.Connection,
		ConnectorKey: r.Connector, Data: field.WithFetchURLs(r.Data, fetchURL), EmittedAt: r.EmittedAt, Expanded: expanded(r),
	}
}

// page is a list with a token of the changes since it.
type page struct {
	*wire.List[row]

	Since     string     `json:"next_changes_since,omitempty"`
	Freshness *freshness `json:"freshness,omitempty"` // of the stream in the connections that were read; nil: none was
}

// page is a page of a stream in some connections.
func (c *call) page(rows []row, next, since string, warnings []read.Warning, connections []string) (*page, error) {
	c.tell(rows...)
	p := &page{List: wire.NewList(rows, next, c.r.URL), Since: since}
	p.Meta.Warnings = c.warnings(warnings)
	if len(connections) == 0 {
		return p, nil
	}
	by, err := c.tells(connections)
	p.Freshness = c.fresh(by, c.stream, connections...)
	return p, err
}

func (c *call) warnings(told []read.Warning) []wire.Warning {
	return c.warningsOf(told, c.limit(), read.MostLimit, "limit")
}

// warningsOf is warnings where another parameter than limit is clamped.
func (c *call) warningsOf(told []read.Warning, asked, most int, param string) []wire.Warning {
	all := []wire.Warning{}
	for _, w := range told {
		one := wire.Warning{Code: w.Code, Message: w.Message, Field: w.Field, ConnectionID: w.Connection}
		if w.Code == read.WarnClamped {
			one.Param, one.Detail = param, map[string]int64{"requested_limit": int64(asked), "max_limit": int64(most)}
		}
		all = append(all, one)
	}
	if c.alias {
		all = append(all, wire.Warning{Code: "deprecated_alias_used", Message: "connector_instance_id is connection_id", Param: "connector_instance_id"})
	}
	return all
}

// records answers with a page of a stream, or of its changes.
func (c *call) records() (any, error) {
	if c.query.Has("changes_since") {
		return c.feed()
	}
	l, err := c.list()
	if err != nil {
		return nil, err
	}
	found, err := c.reader.List(c.r.Context(), c.caller.Scope, l)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(found.Records))
	for i := range found.Records {
		rows[i] = rowOf(&found.Records[i])
		c.tellExpanded(&found.Records[i])
	}
	p, err := c.page(rows, found.Next, found.Since, found.Warnings, found.Connections)
	if err != nil {
		return nil, err
	}
	if found.Count != nil {
		p.Meta.Count = wire.Count{Kind: "exact", Value: found.Count}
	}
	if found.Estimate != nil {
		p.Meta.Count = wire.Count{Kind: "estimated", Value: found.Estimate}
	}
	if w := found.Times; w != nil {
		p.Meta.Window = &wire.Window{Total: w.Total, Earliest: w.Earliest, Latest: w.Latest}
	}
	return p, nil
}

func (c *call) feed() (any, error) {
	ask, err := c.changes()
	if err != nil {
		return nil, err
	}
	found, err := c.reader.Changes(c.r.Context(), c.caller.Scope, ask)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(found.Rows))
	for i := range found.Rows {
		changed := &found.Rows[i]
		rows[i] = rowOf(&changed.Record)
		if changed.Gone {
			rows[i].Deleted, rows[i].DeletedAt = true, changed.EmittedAt
		}
	}
	return c.page(rows, found.Next, found.Since, found.Warnings, found.Connections)
}

// single is a record by itself.
type single struct {
	row

	Links wire.Links `json:"links"`
	Meta  wire.Meta  `json:"meta"`
}

func (c *call) meta() wire.Meta {
	return wire.Meta{Count: wire.Count{Kind: "none"}, Warnings: c.warnings(nil)}
}

func (c *call) one() (any, error) {
	from, err := c.from()
	ask := read.One{From: from, Key: c.record, Fields: c.query.List("fields")}
	if c.caller.Scope.Owner {
		ask.Expand = expand(c.query)
	}
	if done := c.query.Done(); done != nil {
		err = done
	}
	if err != nil {
		return nil, err
	}
	found, err := c.reader.Record(c.r.Context(), c.caller.Scope, ask)
	if err != nil {
		return nil, c.choice(err)
	}
	shown := rowOf(found)
	c.tell(shown)
	c.tellExpanded(found)
	return &single{shown, wire.Links{Self: c.r.URL.RequestURI()}, c.meta()}, nil
}

// stream is one stream of one connection.
type stream struct {
	Object       string `json:"object"` // stream
	Name         string `json:"name"`
	RecordCount  *int64 `json:"record_count,omitempty"`
	LastUpdated  string `json:"last_updated,omitempty"`
	ConnectionID string `json:"connection_id"`
	InstanceID   string `json:"connector_instance_id"`
	DisplayName  string `json:"display_name"`
	ConnectorKey string `json:"connector_key"`

	Source    source     `json:"source"`
	Freshness *freshness `json:"freshness"`
}

// streams lists the streams of a page of the connections that the scope shows (RD-10).
func (c *call) streams() (any, error) {
	page, next, err := c.connectionsOfPage("streams", false)
	if err != nil {
		return nil, err
	}
	all, _, err := c.reader.Streams(c.r.Context(), c.caller.Scope, page)
	if err != nil {
		return nil, err
	}
	by, err := c.tellsOf(page)
	if err != nil {
		return nil, err
	}
	var rows []stream
	uncounted := false
	for i := range all {
		s := &all[i]
		uncounted = uncounted || s.Records == nil
		fresh := c.fresh(by, s.Name, s.ConnectionID)
		rows = append(rows, stream{"stream", s.Name, s.Records, c.updated(s, fresh), s.ConnectionID, s.ConnectionID, s.Connection, s.Connector, source{"connector", s.SourceID}, fresh})
	}
	list := wire.NewList(rows, next, c.r.URL)
	var warnings []read.Warning
	if uncounted {
		warnings = append(warnings, read.Warning{Code: read.WarnDowngraded, Message: "a stream of which a part is seen is not counted"})
	}
	list.Meta.Warnings = c.warnings(warnings)
	return list, nil
}

// updated is when a record of a stream changed last. To a client it is when a run has last
// confirmed the stream, or a change of what it does not see would show (RD-10.3).
func (c *call) updated(s *read.Stream, fresh *freshness) string {
	if c.caller.Scope.Owner {
		return s.Changed
	}
	return fresh.CapturedAt
}
