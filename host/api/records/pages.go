package records

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// A page tells about so many connections, so that its cost does not grow with a host's number of
// them.
const (
	usualConnections = 100
	mostConnections  = 200
)

// paged adds the parameters of a list that tells about connections page by page.
func paged() []wire.Param {
	return of(number("limit", "how many connections a page tells about; 100 where it is left out", 1, mostConnections), cursor)
}

// connectionsOfPage returns the connections that a page tells about, and the cursor of the next page,
// "" on the last one. A list by connector has the connections of each on neighbouring pages.
func (c *call) connectionsOfPage(list string, byConnector bool) (page read.Overview, next string, err error) {
	from, err := c.from()
	limit := int(c.query.Number("limit", 1, mostConnections, usualConnections))
	sent := c.query.Text("cursor")
	if done := c.query.Done(); done != nil {
		err = done
	}
	if err != nil {
		return page, "", err
	}
	list = strings.Join(append([]string{list, from.Connector}, from.Connections...), " ")
	after, err := wire.After(list, sent)
	if err != nil {
		return page, "", err
	}
	p := read.Pages{Connector: from.Connector, ByConnector: byConnector, Limit: limit}
	p.After.Connector, p.After.Name, _ = strings.Cut(after, keySeparator)
	page, last, err := c.reader.Page(c.r.Context(), c.caller.Scope, read.Overview{Connections: from.Connections}, p)
	if last.ID != "" {
		next = wire.NewCursor(list, last.Connector+keySeparator+last.Name)
	}
	return page, next, err
}

// keySeparator separates a connector from the name behind it, in a cursor.
const keySeparator = "\x00"
