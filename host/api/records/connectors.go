package records

import (
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// connectorOverview is a connector with the streams that the token shows of it (RD-13).
type connectorOverview struct {
	Object      string           `json:"object"` // connector
	ID          string           `json:"connector_id"`
	Key         string           `json:"connector_key"`
	DisplayName string           `json:"display_name"`
	Source      source           `json:"source"`
	StreamCount int              `json:"stream_count"`
	Streams     []streamOverview `json:"streams"`
}

type streamOverview struct {
	Object       string         `json:"object"` // stream
	Name         string         `json:"name"`
	RecordCount  *int64         `json:"record_count,omitempty"` // of all connections that are shown
	LastUpdated  string         `json:"last_updated,omitempty"`
	Freshness    *freshness     `json:"freshness"`
	Capabilities map[string]any `json:"capabilities"` // of each field, as a compact schema has them

	connections []string
}

// sizes counts the streams of each connector, over all connections that are shown.
type sizes map[[2]string]*sizeOf

type sizeOf struct {
	records *int64 // nil: one of them is not counted
	changed string
}

// later returns the later of two times, as connectors write them: in any zone.
func later(a, b string) string {
	x, aerr := time.Parse(time.RFC3339Nano, a)
	y, berr := time.Parse(time.RFC3339Nano, b)
	if aerr != nil || berr == nil && y.After(x) {
		return b
	}
	return a
}

// connectors lists the connectors of a page of the connections that the scope shows.
func (c *call) connectors() (any, error) {
	page, next, err := c.connectionsOfPage("connectors", true)
	if err != nil {
		return nil, err
	}
	declared, err := c.reader.Describe(c.r.Context(), c.caller.Scope, page)
	if err != nil {
		return nil, err
	}
	streams, _, err := c.reader.Streams(c.r.Context(), c.caller.Scope, page)
	if err != nil {
		return nil, err
	}
	by, err := c.tellsOf(page)
	if err != nil {
		return nil, err
	}
	counted := sizes{}
	for i := range streams {
		s := &streams[i]
		counted[[2]string{s.ConnectionID, s.Name}] = &sizeOf{s.Records, c.updated(s, c.fresh(by, s.Name, s.ConnectionID))}
	}
	all := []connectorOverview{}
	whose := map[string]int{}
	for i := range declared {
		d := &declared[i]
		at, known := whose[sourceOf(d)]
		if !known {
			at, whose[sourceOf(d)] = len(all), len(all)
			of := connectorOf(d)
			all = append(all, connectorOverview{Object: of.Object, ID: of.ID, Key: of.Key, DisplayName: of.DisplayName, Source: of.Source})
		}
		all[at].count(c, d, counted[[2]string{d.ConnectionID, d.Name}])
		c.tellAbout(d.Name, d.ConnectionID)
	}
	for i := range all {
		for k := range all[i].Streams {
			s := &all[i].Streams[k]
			s.Freshness = c.fresh(by, s.Name, s.connections...)
		}
	}
	list := wire.NewList(all, next, c.r.URL)
	list.Meta.Warnings = c.warnings(nil)
	return list, nil
}

// count adds a stream of one connection. size is nil where it came between two looks.
func (o *connectorOverview) count(c *call, d *read.Described, size *sizeOf) {
	if size == nil {
		size = &sizeOf{}
	}
	for i := range o.Streams {
		s := &o.Streams[i]
		if s.Name != d.Name {
			continue
		}
		if s.RecordCount != nil && size.records != nil {
			s.RecordCount = new(*s.RecordCount + *size.records)
		} else {
			s.RecordCount = nil
		}
		s.LastUpdated, s.connections = later(s.LastUpdated, size.changed), append(s.connections, d.ConnectionID)
		return
	}
	o.StreamCount++
	o.Streams = append(o.Streams, streamOverview{
		Object: "stream", Name: d.Name, RecordCount: size.records, LastUpdated: size.changed, Capabilities: stated{d, c.caller.Scope.Owner}.capabilities(true), connections: []string{d.ConnectionID},
	})
}
