package records

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// hit is a record that was found.
type hit struct {
	Object       string    `json:"object"` // search_result
	Stream       string    `json:"stream"`
	RecordKey    string    `json:"record_key"`
	ConnectorID  string    `json:"connector_id"` // the same as connector_key
	ConnectorKey string    `json:"connector_key"`
	ConnectionID string    `json:"connection_id"`
	InstanceID   string    `json:"connector_instance_id"`
	DisplayName  string    `json:"display_name"`
	EmittedAt    string    `json:"emitted_at"`
	Matched      []string  `json:"matched_fields"`
	Snippet      snippet   `json:"snippet"`
	RecordURL    string    `json:"record_url"`
	Evidence     []excerpt `json:"evidence_excerpts"`
}

type snippet struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// excerpt is what a hit was found by, and where more of it is read.
type excerpt struct {
	Object     string   `json:"object"` // evidence_excerpt
	FieldPath  string   `json:"field_path"`
	Preview    string   `json:"preview_text"`
	Provenance string   `json:"provenance"` // lexical_match
	Truncated  bool     `json:"truncated"`
	Read       readMore `json:"read"`
}

type readMore struct {
	Object    string `json:"object"` // field_window_read
	Route     string `json:"route"`
	Stream    string `json:"stream"`
	RecordID  string `json:"record_id"`
	FieldPath string `json:"field_path"`
}

// found is a page of hits.
type found struct {
	Object     string     `json:"object"` // list
	Data       []hit      `json:"data"`
	HasMore    bool       `json:"has_more"`
	NextCursor string     `json:"next_cursor,omitempty"`
	Links      wire.Links `json:"links"`
	Meta       foundMeta  `json:"meta"`
}

type foundMeta struct {
	Warnings []wire.Warning `json:"warnings"`
	Count    int            `json:"count"`
	Accuracy string         `json:"count_accuracy"` // exact, lower_bound
	Recall   recall         `json:"recall"`
	Index    *behind        `json:"index,omitempty"`
}

// recall says what the ranking is of.
type recall struct {
	Complete   bool   `json:"complete"`
	Scope      string `json:"ranking_scope"` // all_matches, candidate_window
	Truncated  bool   `json:"truncated"`
	Candidates int    `json:"ranked_candidate_count"`
	Window     int    `json:"candidate_window_limit"`
}

// behind says what is not searched because it is not indexed yet. A client reads of neither where it
// would learn of what it does not see.
type behind struct {
	Behind  int64 `json:"behind,omitempty"`               // changes of the store; the owner's
	Unknown int64 `json:"records_not_searched,omitempty"` // of what the token shows
}

// search answers with records that match words (RD-27).
func (c *call) search() (any, error) {
	q := c.query
	if q.Has("connector_id") || q.Has("subject_id") {
		return nil, q.Done()
	}
	from, err := c.from()
	ask := read.Search{Text: q.Text("q"), Streams: q.List("streams"), Connections: from.Connections, Limit: c.limit(), Cursor: q.Text("cursor")}
	if c.caller.Scope.Owner {
		ask.Filters = filters(q)
	}
	if done := q.Done(); done != nil {
		return nil, done
	}
	if err != nil {
		return nil, err
	}
	if ask.Text == "" {
		return nil, wire.Invalid("q", "is needed")
	}
	page, err := c.reader.Rank(c.r.Context(), c.caller.Scope, ask)
	if err != nil {
		return nil, err
	}
	hits := make([]hit, len(page.Hits))
	for i := range page.Hits {
		hits[i] = hitOf(&page.Hits[i])
		c.tellOf(page.Hits[i].Stream, page.Hits[i].ConnectionID)
	}
	list := wire.NewList(hits, page.Next, c.r.URL)
	out := &found{list.Object, list.Data, list.HasMore, list.NextCursor, list.Links, foundMeta{
		c.warnings(page.Warnings), page.Matches, "exact", recall{page.Complete, "all_matches", !page.Complete, page.Matches, read.MostCandidates}, nil,
	}}
	if !page.Complete {
		out.Meta.Accuracy, out.Meta.Recall.Scope = "lower_bound", "candidate_window"
	}
	if page.Late {
		out.Meta.Index = &behind{page.Behind, page.Unknown}
	}
	return out, nil
}

func hitOf(h *read.Hit) hit {
	route := pathOf("v1", "streams", h.Stream, "records", h.Key)
	of := "?connection_id=" + url.QueryEscape(h.ConnectionID)
	return hit{
		Object: "search_result", Stream: h.Stream, RecordKey: h.Key, ConnectorID: h.Connector, ConnectorKey: h.Connector, ConnectionID: h.ConnectionID, InstanceID: h.ConnectionID,
		DisplayName: h.Connection, EmittedAt: h.EmittedAt, Matched: h.Matched, Snippet: snippet{h.Field, h.Snippet}, RecordURL: route + of,
		Evidence: []excerpt{{
			Object: "evidence_excerpt", FieldPath: h.Field, Preview: h.Snippet, Provenance: "lexical_match", Truncated: h.Before || h.Behind,
			Read: readMore{"field_window_read", route + "/field-window" + of + "&field=" + url.QueryEscape(h.Field), h.Stream, h.Key, h.Field},
		}},
	}
}

// fieldWindow is a part of a text.
type fieldWindow struct {
	Object       string     `json:"object"` // field_window
	Stream       string     `json:"stream"`
	RecordID     string     `json:"record_id"`
	ConnectionID string     `json:"connection_id"`
	Field        windowOf   `json:"field"`
	Window       part       `json:"window"`
	Links        wire.Links `json:"links"`
	Meta         wire.Meta  `json:"meta"`
}

type windowOf struct {
	Path string `json:"path"`
	Type string `json:"type"` // string
}

type part struct {
	Text     string `json:"text"`
	Start    int    `json:"start_chars"`
	End      int    `json:"end_chars"`
	Limit    int    `json:"limit_chars"`
	Total    int    `json:"total_chars"`
	Complete bool   `json:"complete"`
	HasMore  bool   `json:"has_more"`
	Next     *int   `json:"next_offset_chars"`
	Previous *int   `json:"previous_offset_chars"`
	Match    *int   `json:"match_start_chars"`
	MatchEnd *int   `json:"match_end_chars"`
}

// mostOffset is beyond the end of any text.
const mostOffset = math.MaxInt32

// window answers with a part of a text (RD-22).
func (c *call) window() (any, error) {
	from, err := c.from()
	q := c.query
	ask := read.Window{From: from, Key: c.record, Field: q.Text("field"), Query: q.Text("q")}
	ask.Offset = int(q.Number("offset_chars", 0, mostOffset, 0))
	ask.Limit = int(q.Number("limit_chars", 1, mostOffset, 0))
	ask.Before, ask.After = int(q.Number("before_chars", 0, mostOffset, 0)), int(q.Number("after_chars", 0, mostOffset, 0))
	if q.Has("cursor") { // an offset by another name, which a client sends (RD-22.2)
		if q.Has("offset_chars") || ask.Query != "" {
			q.Text("cursor")
			return nil, &wire.Failure{Status: http.StatusBadRequest, Code: "invalid_window", Param: "cursor", Message: "cursor goes with neither offset_chars nor q"}
		}
		ask.Offset = int(q.Number("cursor", 0, mostOffset, 0))
	}
	if done := q.Done(); done != nil {
		return nil, done
	}
	if err != nil {
		return nil, err
	}
	p, err := c.reader.Window(c.r.Context(), c.caller.Scope, ask)
	if err != nil {
		return nil, c.choice(err)
	}
	c.tellOf(p.Stream, p.ConnectionID)
	out := &fieldWindow{
		Object: "field_window", Stream: p.Stream, RecordID: p.Key, ConnectionID: p.ConnectionID, Field: windowOf{ask.Field, "string"},
		Window: part{Text: p.Text, Start: p.Start, End: p.End, Limit: p.Limit, Total: p.Total, Complete: p.Start == 0 && p.End == p.Total, HasMore: p.End < p.Total},
		Links:  wire.Links{Self: c.r.URL.RequestURI()}, Meta: wire.Meta{Count: wire.Count{Kind: "none"}, Warnings: c.warningsOf(p.Warnings, ask.Limit, read.MostWindow, "limit_chars")},
	}
	w := &out.Window
	if w.HasMore {
		w.Next = new(p.End)
	}
	if p.Start > 0 {
		w.Previous = new(max(p.Start-p.Limit, 0))
	}
	if p.Match >= 0 {
		w.Match, w.MatchEnd = new(p.Match), new(p.MatchEnd)
	}
	if w.Next != nil {
		self := *c.r.URL
		v := self.Query()
		for _, name := range []string{"q", "before_chars", "after_chars", "cursor"} {
			v.Del(name)
		}
		v.Set("offset_chars", strconv.Itoa(p.End))
		self.RawQuery = v.Encode()
		out.Links.Next = new(self.RequestURI())
	}
	return out, nil
}

// aggregation is what records come to.
type aggregation struct {
	Object      string          `json:"object"` // aggregation
	Stream      string          `json:"stream"`
	Metric      string          `json:"metric"`
	Field       *string         `json:"field"`
	Value       json.RawMessage `json:"value,omitempty"`
	Groups      *[]group        `json:"groups,omitempty"`
	GroupBy     *string         `json:"group_by"`
	GroupByTime *string         `json:"group_by_time"`
	Granularity *string         `json:"granularity"`
	TimeZone    *string         `json:"time_zone"`
	Limit       int             `json:"limit,omitempty"`
	OtherCount  *int64          `json:"other_count,omitempty"`
	Records     int64           `json:"filtered_record_count"`
	Approximate bool            `json:"approximate"` // never
	Links       wire.Links      `json:"links"`
	Meta        wire.Meta       `json:"meta"`
}

type group struct {
	Key   json.RawMessage `json:"key"`
	Count int64           `json:"count"`
}

// aggregate answers with what records come to (RD-26).
func (c *call) aggregate() (any, error) {
	from, err := c.from()
	q := c.query
	a := read.Aggregate{
		From: from, Metric: q.Word("metric", read.Metrics...), Field: q.Text("field"), GroupBy: q.Text("group_by"), GroupByTime: q.Text("group_by_time"),
		Granularity: q.Word("granularity", read.Granularities...), TimeZone: q.Text("time_zone"), Limit: int(q.Number("limit", 1, read.MostGroups, 0)),
	}
	if c.caller.Scope.Owner {
		a.Filters = filters(q)
	}
	if done := q.Done(); done != nil {
		return nil, done
	}
	if err != nil {
		return nil, err
	}
	got, err := c.reader.Aggregate(c.r.Context(), c.caller.Scope, a)
	if err != nil {
		return nil, err
	}
	c.tellAbout(c.stream, a.Connections...)
	out := &aggregation{
		Object: "aggregation", Stream: c.stream, Metric: a.Metric, Field: named(a.Field), GroupBy: named(a.GroupBy), GroupByTime: named(a.GroupByTime),
		Granularity: named(a.Granularity), TimeZone: named(a.TimeZone), Limit: got.Limit, Records: got.Records, Links: wire.Links{Self: c.r.URL.RequestURI()}, Meta: c.meta(),
	}
	out.Meta.Warnings = c.warnings(got.Warnings)
	if got.Limit == 0 {
		if out.Value = got.Value; out.Value == nil {
			out.Value = json.RawMessage("null")
		}
		return out, nil
	}
	if a.GroupByTime != "" && a.TimeZone == "" {
		out.TimeZone = named("UTC")
	}
	groups := make([]group, len(got.Groups))
	for i, g := range got.Groups {
		if groups[i] = (group{g.Key, g.Count}); g.Key == nil {
			groups[i].Key = json.RawMessage("null")
		}
	}
	out.Groups, out.OtherCount = &groups, &got.Other
	return out, nil
}

// named is a name, null where there is none.
func named(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// pathOf escapes the parts of a path.
func pathOf(parts ...string) string {
	var path strings.Builder
	for _, part := range parts {
		path.WriteString("/" + url.PathEscape(part))
	}
	return path.String()
}
