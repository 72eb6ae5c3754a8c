package records

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"github.com/pdpp-host/pdpp-host/host/read"
)

// tell counts records that are about to be told.
func (c *call) tell(rows ...row) {
	for i := range rows {
		if !rows[i].Deleted {
			c.tellOf(rows[i].Stream, rows[i].ConnectionID)
		}
	}
}

// tellExpanded counts the records that the relations of one lead to.
func (c *call) tellExpanded(r *read.Record) {
	for i := range r.Expanded {
		for j := range r.Expanded[i].Records {
			c.tellOf(r.Expanded[i].Records[j].Stream, r.Expanded[i].Records[j].ConnectionID)
		}
	}
}

// tellOf counts a record of a stream, of which a part is about to be told.
func (c *call) tellOf(stream, connection string) {
	c.tellAbout(stream, connection)
	c.told[stream]++
}

// tellAbout counts a read of a stream that told of no record by itself: what its records come
// to, or how they are declared.
func (c *call) tellAbout(stream string, connections ...string) {
	if c.told == nil {
		c.told, c.whose = map[string]int64{}, map[string]struct{}{}
	}
	c.told[stream] += 0
	for _, id := range connections {
		c.whose[id] = struct{}{}
	}
}

// disclose has a read of a known caller counted (RD-56). code is that of a refusal; "": it
// was answered.
func (c *call) disclose(status int, bytes int64, code string) {
	if c.caller == nil {
		return
	}
	c.spend(bytes)
	c.note(status, bytes, code)
}

// spend takes from what may be read by a grant.
func (c *call) spend(bytes int64) {
	if most := c.caller.Bytes; most > 0 {
		c.limits.bytes.Spend(c.caller.Grant, float64(most), float64(bytes), c.Now())
	}
}

// note has a read of a known caller counted, without what may be read.
func (c *call) note(status int, bytes int64, code string) {
	if c.Disclose == nil {
		return
	}
	if status == http.StatusTooManyRequests && c.limits.noted.Take(cmp.Or(c.caller.Grant, c.caller.Token), c.Now()) > 0 {
		return // it read nothing, and comes in numbers: its rows would keep the store busy
	}
	d := &read.Disclosure{At: c.Now(), RequestID: c.id, Caller: c.caller, Route: c.r.Pattern, Bytes: bytes, Status: status, Code: code, Took: c.Now().Sub(c.began)}
	if code == "" {
		d.Records = c.told
		d.Connections = slices.Sorted(maps.Keys(c.whose))
		d.Connections = d.Connections[:min(len(d.Connections), read.MostNamed)]
	}
	if c.query != nil {
		d.Parameters = c.query.Names()
	}
	c.Disclose(d)
}
