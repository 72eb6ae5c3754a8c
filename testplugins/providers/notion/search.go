package notion

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxPage is the largest page_size.
const maxPage = 100

type query struct {
	PageSize    int    `json:"page_size"`
	StartCursor string `json:"start_cursor"`
	Filter      struct {
		Property string `json:"property"`
		Value    string `json:"value"`
	} `json:"filter"`
	Sort struct {
		Direction string `json:"direction"`
		Timestamp string `json:"timestamp"`
	} `json:"sort"`
}

// search lists the objects that are shared, indexed and not in the trash, by the minute
// of their last edit.
func (p *Provider) search(body []byte) (int, any) {
	q := query{PageSize: maxPage}
	if json.Unmarshal(body, &q) != nil {
		return refuse(http.StatusBadRequest, "invalid_json", "Error parsing JSON body.")
	}
	if q.PageSize < 1 || q.PageSize > maxPage || q.Filter.Property != "object" ||
		(q.Filter.Value != "page" && q.Filter.Value != "data_source") || q.Sort.Timestamp != "last_edited_time" {
		return refuse(http.StatusBadRequest, "validation_error", "body failed validation.")
	}
	list := p.listed(q.Filter.Value)
	if q.Sort.Direction == "ascending" {
		slices.Reverse(list)
	}
	from := 0
	if q.StartCursor != "" {
		var ok bool
		if from, ok = p.position(list, q.StartCursor); !ok || p.faults.ForgetCursors {
			return refuse(http.StatusBadRequest, "validation_error", "The start_cursor provided is invalid: "+q.StartCursor)
		}
	}
	size := q.PageSize
	if p.faults.ShortPages > 0 {
		size = min(size, p.faults.ShortPages)
	}
	to := min(from+size, len(list))
	results := make([]any, 0, size)
	for _, o := range list[from:to] {
		results = append(results, p.render(o))
	}
	var next any
	if to < len(list) {
		next = p.cursor(list, to)
	}
	more := to < len(list)
	switch {
	case p.faults.RepeatCursor:
		next, more = "0:again", true
	case p.faults.MissingCursor:
		next, more = nil, true
	}
	answer := map[string]any{
		"object": "list", "results": results, "next_cursor": next, "has_more": more, "type": "page_or_database",
		"page_or_database": map[string]any{}, "request_id": "00000000-0000-4000-8000-000000000000",
	}
	if p.faults.Incomplete {
		answer["request_status"] = map[string]any{"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}
	}
	return http.StatusOK, answer
}

// listed returns the objects of a kind that the index shows, newest first.
func (p *Provider) listed(kind string) []*object {
	var list []*object
	for _, o := range p.objects {
		if o.kind == kind && o.shared && !o.trashed && !o.hidden {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, newer)
	return list
}

// newer orders by the minute of the last edit, newest first, then by id.
func newer(a, b *object) int {
	if c := minute(b.edited).Compare(minute(a.edited)); c != 0 {
		return c
	}
	return strings.Compare(a.id, b.id)
}

// cursor names the object at position to, or the position itself.
func (p *Provider) cursor(list []*object, to int) string {
	if p.faults.Offsets {
		return strconv.Itoa(to) + ":"
	}
	return strconv.FormatInt(minute(list[to].edited).Unix(), 10) + ":" + list[to].id
}

// position finds where a cursor continues. When its object moved or was deleted, it
// continues with the objects after that place.
func (p *Provider) position(list []*object, cursor string) (int, bool) {
	at, id, ok := strings.Cut(cursor, ":")
	n, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil {
		return 0, false
	}
	if p.faults.RepeatCursor {
		return 0, true
	}
	if id == "" {
		return min(int(n), len(list)), n >= 0
	}
	there := &object{id: id, edited: time.Unix(n, 0)}
	i, _ := slices.BinarySearchFunc(list, there, newer)
	return i, true
}
