package records

import (
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
	Capabilities map[string]any `json:"capabilities"` // of each field, as a compact schema has them
}

// sizes counts the streams of each connector, over all connections that are shown.
type sizes map[[2]string]*sizeOf

type sizeOf struct {
	records *int64 // nil: one of them is not counted
	changed string
}

func (s sizes) add(one *read.Stream) {
	at := [2]string{one.ConnectionID, one.Name}
	s[at] = &sizeOf{one.Records, one.Changed}
}

// connectors lists the connectors of what the scope shows.
func (c *call) connectors() (any, error) {
	declared, err := c.declared("")
	if err != nil {
		return nil, err
	}
	from, err := c.from()
	if err != nil {
		return nil, err
	}
	streams, _, err := c.reader.Streams(c.r.Context(), c.caller.Scope, read.Overview{Connections: from.Connections})
	if err != nil {
		return nil, err
	}
	counted := sizes{}
	for i := range streams {
		counted.add(&streams[i])
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
		c.tellAbout(d.Name)
	}
	list := wire.NewList(all, "", c.r.URL)
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
		s.LastUpdated = max(s.LastUpdated, size.changed)
		return
	}
	o.StreamCount++
	o.Streams = append(o.Streams, streamOverview{"stream", d.Name, size.records, size.changed, stated{d, c.caller.Scope.Owner}.capabilities(true)})
}
