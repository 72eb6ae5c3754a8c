package data

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	records "github.com/pdpp-host/pdpp-host/host/owner/data"
)

const (
	pageSize     = 50  // records
	fewColumns   = 5   // that are shown unasked
	mostColumns  = 30  // that are shown
	mostOffered  = 200 // fields to choose from
	ascending    = "asc"
	descending   = "desc"
	exactlyEqual = "eq"
)

// comparisons are how a filter compares.
var comparisons = []string{exactlyEqual, "gte", "gt", "lte", "lt"}

// choice is what was asked of a stream.
type choice struct {
	columns             []string
	field, op, value    string
	order, text, cursor string
}

func choiceOf(q url.Values, s *records.Shape) choice {
	c := choice{field: q.Get("field"), op: q.Get("op"), value: typed(q.Get("value")), order: q.Get("order"), text: typed(q.Get("q")), cursor: q.Get("cursor")}
	if !slices.Contains(comparisons, c.op) {
		c.op = exactlyEqual
	}
	if c.order != ascending {
		c.order = descending
	}
	asked := q["col"]
	if len(asked) == 0 {
		asked = telling(s)
	}
	for i := range s.Fields {
		name := s.Fields[i].Name
		if len(c.columns) < mostColumns && slices.Contains(asked, name) {
			c.columns = append(c.columns, name)
		}
		if name == c.field && !s.Fields[i].Equal {
			c.field = ""
		}
	}
	if !slices.ContainsFunc(s.Fields, func(f records.Field) bool { return f.Name == c.field }) {
		c.field = ""
	}
	return c
}

// telling are the fields that say most about a record in a list: the one that orders the
// stream, those that a search looks at, then the first of the schema. Its key stands there
// anyway, so "id" comes last.
func telling(s *records.Shape) []string {
	rank := func(f records.Field) int {
		switch {
		case f.Name == s.Cursor:
			return 0
		case f.Searched:
			return 1
		case f.Name == "id":
			return 3
		}
		return 2
	}
	fields := slices.SortedStableFunc(slices.Values(s.Fields), func(a, b records.Field) int { return rank(a) - rank(b) })
	var names []string
	for _, f := range fields[:min(len(fields), fewColumns)] {
		names = append(names, f.Name)
	}
	return names
}

// stream is what the page of a stream shows.
type stream struct {
	*records.Shape

	choice  choice
	page    *records.Page
	rows    []row
	columns []string
	found   *found // what a search found; nil: records are listed
	err     error

	indexing *records.Indexing // nil: the list is there
}

// row is a record in a list.
type row struct {
	*records.Record

	cells []shownText
}

func showStream(v *site.Visit) error {
	shape, err := records.ShapeOf(v.Context(), v.Owner, v.R.PathValue("connection"), v.R.PathValue("stream"))
	if err != nil {
		return err
	}
	s := stream{Shape: shape, choice: choiceOf(v.R.URL.Query(), shape), page: &records.Page{}}
	if s.choice.text != "" {
		s.found = &found{text: s.choice.text, cursor: s.choice.cursor, inside: s.path(), Found: &records.Found{}}
		if err := s.found.ask(v, records.SearchRequest{Streams: []string{s.Stream}, Connections: []string{s.Connection}}); err != nil {
			return err
		}
		return v.Show(s.found.status(), ui.Safe(s.Stream), ui.Data, streamPage(&s))
	}
	status := http.StatusOK
	switch s.page, err = records.Records(v.Context(), v.Owner, s.request()); {
	case err == nil:
		s.fill()
	case site.OfForm(err):
		s.page, s.err, status = &records.Page{}, err, site.StatusOf(err)
		if s.indexing, err = records.IndexingOf(v.Context(), v.Owner); err != nil {
			return err
		}
	default:
		return err
	}
	return v.Show(status, ui.Safe(s.Stream), ui.Data, streamPage(&s))
}

func (s *stream) request() records.RecordsRequest {
	r := records.RecordsRequest{
		Stream: s.Stream, Connections: []string{s.Connection}, Fields: s.choice.columns, Order: s.choice.order, Limit: pageSize, Cursor: s.choice.cursor, Count: true,
	}
	if s.choice.field != "" {
		r.Filters = []records.Filter{{Field: s.choice.field, Operator: s.choice.op, Value: s.choice.value}}
	}
	return r
}

// fill makes the table. A stream without a schema has the fields of its records.
func (s *stream) fill() {
	s.columns = s.choice.columns
	fields := make([]map[string]json.RawMessage, len(s.page.Records))
	for i := range s.page.Records {
		_ = json.Unmarshal(s.page.Records[i].Data, &fields[i]) // what is no object has no fields
		if len(s.Fields) > 0 {
			continue
		}
		for name := range ui.Sorted(fields[i]) {
			if len(s.columns) < fewColumns && !slices.Contains(s.columns, name) {
				s.columns = append(s.columns, name)
			}
		}
	}
	s.rows = make([]row, len(fields))
	for i := range fields {
		s.rows[i] = row{Record: &s.page.Records[i], cells: make([]shownText, len(s.columns))}
		for k, name := range s.columns {
			s.rows[i].cells[k] = valueOf(fields[i][name], mostCell)
		}
	}
}

func (s *stream) path() string { return streamPath(s.Connection, s.Stream) }

func (s *stream) exportPath(format string) string { return s.path() + "/export?format=" + format }

// offered are the fields to choose from.
func (s *stream) offered() []records.Field { return s.Fields[:min(len(s.Fields), mostOffered)] }

// next is the address of the page behind this one.
func (s *stream) next() string {
	q := url.Values{"cursor": {s.page.Next}, "order": {s.choice.order}, "col": s.choice.columns}
	if s.choice.field != "" {
		q["field"], q["op"], q["value"] = []string{s.choice.field}, []string{s.choice.op}, []string{s.choice.value}
	}
	return s.path() + "?" + q.Encode()
}

// orders are the directions, and how they are said.
func (s *stream) orders() [][2]string {
	by := " " + words.SortByKey
	if s.Cursor != "" {
		by = " " + words.SortBy + " " + ui.Safe(s.Cursor)
	}
	return [][2]string{{descending, words.SortNewest + by}, {ascending, words.SortOldest + by}}
}
