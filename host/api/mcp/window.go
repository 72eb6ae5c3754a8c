package mcp

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/read/field"
)

// args are those of the call that reads on in a value.
func (v cutValue) args(id string) map[string]any {
	return map[string]any{"id": id, "field_path": v.field, "offset_chars": v.from}
}

// what is what that call reads.
func (v cutValue) what() string {
	if v.from == 0 {
		return "a long value as JSON"
	}
	return "rest of a text"
}

// part is a part of a value.
type part struct {
	Stream     string         `json:"stream"`
	ID         string         `json:"record_id"`
	Connection string         `json:"connection_id"`
	Field      map[string]any `json:"field"`
	Window     map[string]any `json:"window"`
}

func (a *answer) field() {
	var is part
	a.read(&is)
	is.Field["text_like"] = true
	a.part(&is)
}

// part answers with a part of a value. Its texts are cut where they are too long for a result.
func (a *answer) part(is *part) {
	id := idOf(is.Connection, is.Stream, is.ID)
	text, _ := is.Window["text"].(string)
	start, _ := is.Window["start_chars"].(float64)
	total, _ := is.Window["total_chars"].(float64)
	if short, chars := cutTo(text, mostBody); len(short) < len(text) {
		end := int(start) + chars
		maps.Copy(is.Window, map[string]any{"text": short, "end_chars": end, "complete": false, "has_more": true, "next_offset_chars": float64(end)})
	}
	for from, to := range map[string]string{"next_offset_chars": "next_cursor", "previous_offset_chars": "previous_cursor"} {
		if n, ok := is.Window[from].(float64); ok {
			is.Window[to] = strconv.Itoa(int(n))
		}
	}
	maps.Copy(a.result, map[string]any{"record": map[string]any{"id": id, "connection_id": is.Connection, "stream": is.Stream, "record_id": is.ID}, "field": is.Field, "window": is.Window})
	shown, chars := cutTo(text, mostText-1024-len(id)) // which the other lines take
	end := int(start) + chars
	a.say("characters ", strconv.Itoa(int(start)), " to ", strconv.Itoa(end), " of ", strconv.Itoa(int(total)))
	if end < int(total) {
		path, _ := is.Field["path"].(string)
		a.next("next part", "read_record_field", cutValue{field: path, from: end}.args(id))
	}
	a.show(shown)
}

// cutTo cuts a text so that it has less than so many bytes as JSON, and returns how many characters are left.
func cutTo(text string, most int) (string, int) {
	chars := utf8.RuneCountInString(text)
	for size(text) >= most {
		chars -= chars/8 + 1 //nolint:mnd // as JSON each of them may be longer
		text, _ = firstChars(text, chars)
	}
	return text, chars
}

// asJSON asks for the record of a field that is no text, whose JSON is read in its place. It returns false where the
// refusal says something else.
func (q *question) asJSON(refused *records.Reply) (*question, bool) {
	var is struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if q.of == nil || refused.Status != http.StatusUnprocessableEntity || json.Unmarshal(refused.Body, &is) != nil || is.Error.Code != "field_not_text" || q.query.Has("q") {
		return nil, false
	}
	one := url.Values{"fields": {q.query.Get("field")}}
	if q.query.Has("connection_id") {
		one.Set("connection_id", q.query.Get("connection_id"))
	}
	return &question{path: q.path[:len(q.path)-1], query: one, of: q.of, args: q.args}, true
}

// fieldAsJSON answers with a part of the JSON of a field, which of is asked for.
func (a *answer) fieldAsJSON(of url.Values) {
	var is row
	a.read(&is)
	path := of.Get("field")
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(of.Get(name))
		if err != nil { // the route has refused what is no number
			return otherwise
		}
		return n
	}
	text := string(field.Get(is.Data, path))
	total := utf8.RuneCountInString(text)
	start := min(number("offset_chars", number("cursor", 0)), total)
	limit := min(number("limit_chars", read.DefaultWindow), read.MostWindow)
	before, _ := firstChars(text, start)
	shown, more := firstChars(text[len(before):], limit)
	end := start + utf8.RuneCountInString(shown)
	window := map[string]any{"text": shown, "start_chars": float64(start), "end_chars": end, "limit_chars": limit, "total_chars": float64(total), "complete": start == 0 && !more, "has_more": more}
	if more {
		window["next_offset_chars"] = float64(end)
	}
	if start > 0 {
		window["previous_offset_chars"] = float64(max(start-limit, 0))
	}
	a.part(&part{Stream: is.Stream, ID: is.ID, Connection: is.Connection, Field: map[string]any{"path": path, "type": "json", "text_like": false}, Window: window})
}
