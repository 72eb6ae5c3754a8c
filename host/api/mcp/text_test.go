package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdpp-host/pdpp-host/host/api/records"
)

// RD-59.3: the text of a result is at most 8 KB, however many fields, connections or arguments
// there are, and it holds as much of one record as there is room for.
func TestTextIsBounded(t *testing.T) {
	t.Parallel()
	const many = 100
	told := func(tell func(*answer), body, args object) *mcp.CallToolResult {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		a := newAnswer(&question{path: []string{"v1"}, args: args}, &records.Reply{ID: "req_x", Body: text}, "")
		tell(a)
		return a.finish()
	}
	short, long, connections, names := object{}, object{}, []object{}, []string{}
	for i := range many {
		short[fmt.Sprintf("f%02d", i)] = strings.Repeat("a", mostValue)
		long[fmt.Sprintf("f%02d", i)] = strings.Repeat("b", 2*mostValue)
		connections = append(connections, object{"connection_id": fmt.Sprintf("%032x", i), "display_name": strings.Repeat("c", 60)})
		names = append(names, strings.Repeat("d", 100))
	}
	record := func(data object) object {
		return object{"id": "1", "stream": "notes", "connection_id": "0123", "data": data}
	}
	ambiguous, err := json.Marshal(object{"error": object{"code": "ambiguous_connection", "message": "choose", "available_connections": connections}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		result *mcp.CallToolResult
		want   []string
	}{
		"many fields":      {told((*answer).record, record(short), nil), []string{"record 0123/notes:1\n", "fields 1 to 18 of 100\n", `next fields: fetch {"id":"0123/notes:1","offset_fields":18}`, `{"f00":"aaa`, `"f17":"aaa`}},
		"many long fields": {told((*answer).record, record(long), nil), []string{"record 0123/notes:1\n", `"field_path":"f00"`, `{"f00":"bbb`, `next fields: fetch {"id":"0123/notes:1","offset_fields":`}},
		"many arguments": {
			told((*answer).records, object{"data": []object{record(object{"id": "1"})}, "next_cursor": "n", "next_changes_since": "s"}, object{"fields": names}),
			[]string{"rows in this page: 1\n", "next_changes_since: s\n", `{"data":{"id":"1"}`, "Lines that are in the structured content alone: "},
		},
		"long keys": {
			told((*answer).records, object{"data": []object{{"id": strings.Repeat("k ", 1000), "stream": "notes", "connection_id": "0123", "data": object{"id": "1"}}}, "next_cursor": strings.Repeat("c", 3<<10)}, object{}),
			[]string{"first record: fetch ", `next page: query_records {"cursor":"ccc`, "Lines that are in the structured content alone: "},
		},
		"a part under a long key": {
			told((*answer).field, object{"stream": "notes", "record_id": strings.Repeat("k ", 1000), "connection_id": "0123", "field": object{"path": "title"}, "window": object{"text": strings.Repeat("e", 7000), "start_chars": 0, "total_chars": 9000}}, nil),
			[]string{"characters 0 to ", "next part: read_record_field ", "eee"},
		},
		"rows of which one is long": {
			told((*answer).records, object{"data": []object{record(object{"id": "1"}), record(long), record(object{"id": "3"})}}, object{}),
			[]string{`{"data":{"id":"1"}`, `"f05":"bbb`, `{"data":{"id":"3"}`},
		},
		"many connections": {refused(ambiguous, 409), []string{"Refused (ambiguous_connection): choose\n", `{"connection_id":"00000000000000000000000000000000"`, "Lines that are in the structured content alone: "}},
	} {
		text, ok := c.result.Content[0].(*mcp.TextContent)
		if !ok || len(text.Text) > mostText {
			t.Errorf("%s: got %d bytes of text, want at most %d", name, len(text.Text), mostText)
		}
		for _, want := range c.want {
			if !strings.Contains(text.Text, want) {
				t.Errorf("%s: got %.3000q, want %q in it", name, text.Text, want)
			}
		}
	}
}

// RD-27.8, RD-59.3: a model reads of a search that not everything was looked at, and how much is missing.
func TestASearchSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"data":[],"meta":{"count":0,"count_accuracy":"lower_bound","recall":{"complete":false},"warnings":[{"message":"41751 records are not searched yet"}]}}`: true,
		`{"data":[],"meta":{"count":0,"count_accuracy":"exact","recall":{"complete":true},"warnings":[]}}`:                                                        false,
	} {
		a := &answer{question: &question{}, reply: &records.Reply{Body: []byte(body)}, result: map[string]any{}}
		a.search()
		text := a.text().Text
		if got := strings.Contains(text, "warning: 41751 records") && strings.Contains(text, "lower_bound") && strings.Contains(text, "Not every match"); got != want {
			t.Errorf("got %q, want a warning: %v", text, want)
		}
	}
}
