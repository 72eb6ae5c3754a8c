package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// RD-59.3: the structured content of a result is bounded as its text is, whatever the routes answer.
func TestContentIsBounded(t *testing.T) {
	t.Parallel()
	many, long := object{}, object{}
	for i := range 2900 {
		many[fmt.Sprintf("f%04d", i)] = strings.Repeat("<", mostValue+1)
	}
	for i := range 20 {
		long[fmt.Sprintf("f%02d", i)] = []string{strings.Repeat("ж", 20_000)}
	}
	rows := func(data object, n int) (all []object) {
		for i := range n {
			all = append(all, object{"id": strings.Repeat("k ", 900) + fmt.Sprint(i), "stream": "notes", "connection_id": "0123", "data": data})
		}
		return all
	}
	var connectors, connections, hits []object
	for i := range 3000 {
		connections = append(connections, object{"connection_id": fmt.Sprintf("%032x", i), "display_name": strings.Repeat("c", 60)})
		hits = append(hits, object{"stream": "notes", "record_key": fmt.Sprint(i), "connection_id": "0123", "snippet": object{"text": strings.Repeat("s", 200)}})
		connectors = append(connectors, object{"display_name": "Demo", "streams": []object{{"name": fmt.Sprint("stream", i), "schema": many}}})
		if i == 20 {
			many = object{"a": 1}
		}
	}
	big := connectors[0]["streams"].([]object)[0]["schema"]
	for name, c := range map[string]struct {
		tell func(*answer)
		body object
	}{
		"record of many fields":  {(*answer).record, rows(big.(object), 1)[0]},
		"record of long values":  {(*answer).record, rows(long, 1)[0]},
		"rows of many fields":    {(*answer).records, object{"data": rows(big.(object), 5), "next_cursor": "n", "next_changes_since": "s"}},
		"rows of long values":    {(*answer).records, object{"data": rows(long, 9), "next_cursor": "n"}},
		"many rows":              {(*answer).records, object{"data": rows(object{"a": strings.Repeat("a", 3000)}, 100), "next_cursor": "n"}},
		"schema":                 {(*answer).schema, object{"connectors": connectors}},
		"schema of one stream":   {(*answer).schema, object{"connectors": connectors[:1], "detail": ""}},
		"aggregate":              {(*answer).aggregate, object{"metric": "count", "limit": 100, "groups": rows(long, 100)}},
		"search":                 {(*answer).search, object{"data": hits, "next_cursor": "n", "meta": object{"recall": object{"complete": true}}}},
		"field":                  {(*answer).field, object{"stream": "notes", "record_id": strings.Repeat("k ", 900), "connection_id": "0123", "field": object{"path": "f"}, "window": object{"text": strings.Repeat("<", 16384), "start_chars": 100, "total_chars": 90_000}}},
		"refusal of connections": {nil, object{"error": object{"code": "ambiguous_connection", "message": "choose", "available_connections": connections}}},
	} {
		text, err := json.Marshal(c.body)
		if err != nil {
			t.Fatal(err)
		}
		a := newAnswer(&question{path: []string{"v1"}, args: object{}}, &records.Reply{ID: "req_x", Body: text}, "http://host")
		var got any
		if c.tell == nil {
			r := refused(text, 409)
			got = r.StructuredContent
		} else {
			c.tell(a)
			got = a.finish().StructuredContent
		}
		whole, err := json.Marshal(got)
		if err != nil || len(whole) > mostContent {
			t.Errorf("%s: got %d bytes of structured content, %v, want at most %d", name, len(whole), err, mostContent)
		}
		if a.result["content_ladder"] == nil && c.tell != nil && name != "aggregate" && name != "field" && name != "schema of one stream" {
			t.Errorf("%s: got %.300s, want a call that goes on", name, whole)
		}
		if a.text(); c.tell != nil && len(a.text().Text) > mostText {
			t.Errorf("%s: got %d bytes of text, want at most %d", name, len(a.text().Text), mostText)
		}
	}
}

// RD-59.3: all of a record is read by the calls that results name: its fields in parts, and each long value in parts.
func TestAllOfARecordIsRead(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.caller = &read.Caller{Client: "c", Grant: "g", Scope: &read.Scope{Streams: []read.StreamScope{{Name: "wide", Connections: []string{b.id}, Fields: wideFields()}}}}
	for name, s := range b.transports() {
		got, calls := object{}, []object{{"tool": "fetch", "arguments": object{"id": b.id + "/wide:wide"}}}
		parts := map[string]string{}
		asked := 0
		for ; len(calls) > 0 && asked < 200; asked++ {
			tool, _ := calls[0]["tool"].(string)
			r := b.call(s, tool, calls[0]["arguments"])
			if r.failed || len(r.whole) > mostContent+4*mostText {
				t.Fatalf("%s: %v: got %.300s of %d bytes, want a part", name, calls[0], r.whole, len(r.whole))
			}
			calls = calls[1:]
			if tool == "fetch" {
				var part object
				b.ok(json.Unmarshal([]byte(r.content["text"].(string)), &part))
				maps.Copy(got, part)
				steps, _ := r.content["content_ladder"].([]any)
				for _, step := range steps {
					calls = append(calls, step.(object))
				}
				continue
			}
			window := r.content["window"].(object)
			path := r.content["field"].(object)["path"].(string)
			parts[path] += window["text"].(string)
			if next, more := window["next_offset_chars"]; more && next != nil {
				calls = append(calls, object{"tool": tool, "arguments": object{"id": b.id + "/wide:wide", "field_path": path, "offset_chars": next}})
			}
		}
		for path, rest := range parts {
			cut, isCut := strings.CutSuffix(got[path].(string), "…")
			if !isCut { // no text: it is read from its beginning, as JSON
				var value any
				b.ok(json.Unmarshal([]byte(rest), &value))
				got[path] = value
				continue
			}
			got[path] = cut + rest
		}
		var want object
		b.ok(json.Unmarshal([]byte(wide()), &want))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %d fields by %d calls: %.200v, want the %d of the record: %.200v", name, len(got), asked, got, len(want), want)
		}
	}
}

// wide is a record with many fields, a long text and a long list.
func wide() string {
	var b strings.Builder
	b.WriteString(`{"id":"wide","body":"` + strings.Repeat("wörd <b> ", 3000) + `","n":[` + strings.Repeat(`"ж",`, 9000) + `1]`)
	for _, name := range wideFields()[3:] {
		fmt.Fprintf(&b, `,"%s":"%s"`, name, strings.Repeat("v", 100))
	}
	return b.String() + "}"
}

func wideFields() []string {
	all := []string{"id", "body", "n"}
	for i := range 300 {
		all = append(all, fmt.Sprintf("f%03d", i))
	}
	return all
}
