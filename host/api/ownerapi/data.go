package ownerapi

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/data"
)

// mostRecords is how many records a page has at most, whatever its limit.
const mostRecords = 100

// pagedRecords are the parameters of a list whose cursor is the reader's own.
var pagedRecords = []param{
	{name: "limit", about: "how many rows a page has, 1 to 200; of records at most 100", kind: count},
	{name: "cursor", about: "next_cursor of the page before"},
}

func (c *call) listStreams() (*wire.List[data.StreamSize], error) {
	w := data.Where{Stream: c.query["stream"], Connections: c.only("connection")}
	sizes, err := data.Streams(c.Context(), c.owner, w)
	if err != nil {
		return nil, err
	}
	list := "streams " + c.query["stream"] + " " + c.query["connection"]
	return pageOf(c, list, sizes.Streams, func(s *data.StreamSize) string { return s.ConnectionID + " " + s.Stream })
}

func (c *call) listRecords() (*wire.List[data.Record], error) {
	r := data.RecordsRequest{
		Stream: c.r.PathValue("stream"), Connections: []string{c.r.PathValue("connection")}, Sort: c.query["sort"], Order: c.query["order"],
		Limit: min(c.rows, mostRecords), Cursor: c.query["cursor"],
	}
	if fields := c.query["fields"]; fields != "" {
		r.Fields = strings.Split(fields, ",")
	}
	page, err := data.Records(c.Context(), c.owner, r)
	if err != nil {
		return nil, err
	}
	return warned(wire.NewList(page.Records, page.Next, c.r.URL), page.Warnings), nil
}

func (c *call) showRecord() (*data.RecordDetail, error) {
	return data.RecordOf(c.Context(), c.owner, c.r.PathValue("connection"), c.r.PathValue("stream"), c.r.PathValue("record"))
}

func (c *call) eraseRecord() (*data.Erased, error) {
	return data.Erase(c.Context(), c.owner, c.r.PathValue("connection"), c.r.PathValue("stream"), c.r.PathValue("record"))
}

func (c *call) restoreRecord(*struct{}) (*data.Erased, error) {
	return data.Restore(c.Context(), c.owner, c.r.PathValue("connection"), c.r.PathValue("stream"), c.r.PathValue("record"))
}

func (c *call) search() (*wire.List[data.Hit], error) {
	found, err := data.Search(c.Context(), c.owner, data.SearchRequest{
		Text: c.query["q"], Streams: c.only("stream"), Connections: c.only("connection"), Limit: min(c.rows, mostRecords), Cursor: c.query["cursor"],
	})
	if err != nil {
		return nil, err
	}
	return warned(wire.NewList(found.Hits, found.Next, c.r.URL), found.Warnings), nil
}

// only is a parameter as a choice of one; nil: it was not sent.
func (c *call) only(name string) []string {
	if c.query[name] == "" {
		return nil
	}
	return []string{c.query[name]}
}

// warned returns a list with what its reader should know about it.
func warned[T any](l *wire.List[T], warnings []data.Warning) *wire.List[T] {
	for _, w := range warnings {
		l.Meta.Warnings = append(l.Meta.Warnings, wire.Warning{Code: w.Code, Message: w.Message})
	}
	return l
}
