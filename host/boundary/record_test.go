package boundary

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// accepted is a Record that outlives its callback.
type accepted struct {
	stream                 int
	key, data, emittedAt   string
	movedFrom              string
	deleted                bool
	rejectedAt, rejectedBy string
}

func records(g *Gate, payload string) ([]accepted, error) {
	var all []accepted
	err := g.Records([]byte(payload), func(r *Record) error {
		a := accepted{stream: r.Stream, key: string(r.Key), data: string(r.Data), emittedAt: string(r.EmittedAt), movedFrom: string(r.MovedFrom), deleted: r.Delete}
		if r.Rejected != nil {
			a.rejectedAt, a.rejectedBy = r.Rejected.Path, r.Rejected.Keyword
		}
		all = append(all, a)
		return nil
	})
	return all, err
}

const at = `"emitted_at":"2026-03-01T12:00:00Z"`

func record(stream, key, data string) string {
	return fmt.Sprintf(`{"type":"RECORD","stream":%q,"key":%s,%s,"data":%s}`, stream, key, at, data)
}

func TestRecordsAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, payload string
		want          []accepted
	}{
		{"one", record("log", `"a"`, `{"id":"a"}`), []accepted{{stream: 3, key: "a", data: `{"id":"a"}`}}},
		{"two lines", record("log", `"a"`, `{"id":"a"}`) + "\n" + record("stats", `"b"`, `{"id":"b"}`) + "\n",
			[]accepted{{stream: 3, key: "a", data: `{"id":"a"}`}, {stream: 2, key: "b", data: `{"id":"b"}`}}},
		{"line ends of two bytes", record("log", `"a"`, `{"id":"a"}`) + "\r\n", []accepted{{stream: 3, key: "a", data: `{"id":"a"}`}}},
		{"escapes", `{"typ\u0065":"REC\u004fRD","stream":"l\u006fg","key":"\u00e9\ud83d\ude00","emitted_at":"2026-03-01T12:00:00\u005a","data":{"i\u0064":"é😀"}}`,
			[]accepted{{stream: 3, key: "é😀", data: `{"i\u0064":"é😀"}`}}},
		{"key escaped in the data only", record("log", `"a/b"`, `{"id":"a\/b"}`), []accepted{{stream: 3, key: "a/b", data: `{"id":"a\/b"}`}}},
		{"data keeps its spelling", record("log", `"a"`, `{ "id" : "a", "x": 1.50 }`), []accepted{{stream: 3, key: "a", data: `{ "id" : "a", "x": 1.50 }`}}},
		{"number in the data", record("log", `"17"`, `{"id":17}`), []accepted{{stream: 3, key: "17", data: `{"id":17}`}}},
		{"composite", record("tops", `["a","short"]`, `{"range":"short","id":"a"}`), []accepted{{stream: 1, key: `["a","short"]`, data: `{"range":"short","id":"a"}`}}},
		{"composite in another spelling", record("tops", `[ "a\u002fb" , "\"\n\u0001" ]`, `{"range":"\u0022\u000a\u0001","id":"a/b"}`),
			[]accepted{{stream: 1, key: `["a/b","\"\n\u0001"]`, data: `{"range":"\u0022\u000a\u0001","id":"a/b"}`}}},
		{"composite with a number", record("tops", `["1","2.50"]`, `{"range":2.50,"id":1}`), []accepted{{stream: 1, key: `["1","2.50"]`, data: `{"range":2.50,"id":1}`}}},
		{"members that are not defined", `{"type":"RECORD","x":[1],"stream":"log","key":"a",` + at + `,"data":{"id":"a"}}`, []accepted{{stream: 3, key: "a", data: `{"id":"a"}`}}},
		{"deletion", `{"type":"RECORD","stream":"messages","key":"a","op":"delete",` + at + `}`, []accepted{{stream: 0, key: "a", deleted: true}}}, // RT-07.1
		{"moved", `{"type":"RECORD","stream":"messages","key":"a","moved_from":"\u00e9",` + at + `,"data":{"id":"a","created_at":"2026-01-31T10:00:00Z"}}`,
			[]accepted{{stream: 0, key: "a", movedFrom: "é", data: `{"id":"a","created_at":"2026-01-31T10:00:00Z"}`}}},
		{"composite moved", `{"type":"RECORD","stream":"tops","key":["a","b"],"moved_from":[ "a" , "c" ],` + at + `,"data":{"id":"a","range":"b"}}`,
			[]accepted{{stream: 1, key: `["a","b"]`, movedFrom: `["a","c"]`, data: `{"id":"a","range":"b"}`}}},
		{"moved on an append-only stream", `{"type":"RECORD","stream":"log","key":"a","moved_from":"b",` + at + `,"data":{"id":"a"}}`,
			[]accepted{{stream: 3, key: "a", movedFrom: "b", data: `{"id":"a"}`}}},
		{"deletion with data", `{"type":"RECORD","stream":"messages","key":"a","op":"delete",` + at + `,"data":{"id":"b"}}`, []accepted{{stream: 0, key: "a", deleted: true}}},
		{"deletion with data null", `{"type":"RECORD","stream":"messages","key":"a","op":"delete",` + at + `,"data":null}`, []accepted{{stream: 0, key: "a", deleted: true}}},
		{"composite deletion", `{"type":"RECORD","stream":"tops","key":["a","b"],"op":"delete",` + at + `}`, []accepted{{stream: 1, key: `["a","b"]`, deleted: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := records(gate(t, allStreams()), c.payload)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.want {
				c.want[i].emittedAt = "2026-03-01T12:00:00Z"
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// RT-07.1 writes a deletion without emitted_at.
func TestDeletionAsTheSpecWritesIt(t *testing.T) {
	t.Parallel()
	got, err := records(gate(t, allStreams()), `{"type":"RECORD","stream":"messages","key":"a","op":"delete"}`)
	if err != nil || !slices.Equal(got, []accepted{{stream: 0, key: "a", deleted: true}}) {
		t.Errorf(`got %+v, %v, want no error && slices.Equal(got, []accepted{{stream: 0, key: "a", deleted: true}})`, got, err)
	}
}

func TestRecordsRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, abi.MaxNesting) + `1` + strings.Repeat(`}`, abi.MaxNesting)
	for _, c := range []struct {
		name, payload string
		code          abi.Code
	}{
		{"nothing", ``, abi.CodeSyntax},
		{"moved, and deleted", `{"type":"RECORD","stream":"messages","key":"a","moved_from":"b","op":"delete"}`, abi.CodeEnvelope},
		{"moved from a number", `{"type":"RECORD","stream":"messages","key":"a","moved_from":1,` + at + `,"data":{"id":"a"}}`, abi.CodeEnvelope},
		{"moved from a key of more fields", `{"type":"RECORD","stream":"messages","key":"a","moved_from":["b"],` + at + `,"data":{"id":"a"}}`, abi.CodeKeyInvalid},
		{"moved from nothing", `{"type":"RECORD","stream":"messages","key":"a","moved_from":"",` + at + `,"data":{"id":"a"}}`, abi.CodeKeyInvalid},
		{"moved from a NUL", `{"type":"RECORD","stream":"messages","key":"a","moved_from":"\u0000",` + at + `,"data":{"id":"a"}}`, abi.CodeKeyInvalid},
		{"moved from where it is", `{"type":"RECORD","stream":"messages","key":"a","moved_from":"\u0061",` + at + `,"data":{"id":"a"}}`, abi.CodeKeyInvalid},
		{"empty line", "\n", abi.CodeSyntax},
		{"empty line between", record("log", `"a"`, `{"id":"a"}`) + "\n\n" + record("log", `"a"`, `{"id":"a"}`), abi.CodeSyntax},
		{"call too large", strings.Repeat(" ", abi.MaxEmitBytes+1), abi.CodeCallTooLarge},
		{"record too large", record("log", `"a"`, `{"id":"a","x":"`+strings.Repeat("x", abi.MaxRecordBytes)+`"}`), abi.CodeCallTooLarge},
		{"size before syntax", strings.Repeat("x", abi.MaxRecordBytes+1), abi.CodeCallTooLarge},
		{"not JSON", `{"type":"RECORD"`, abi.CodeSyntax},
		{"two values on a line", record("log", `"a"`, `{"id":"a"}`) + record("log", `"a"`, `{"id":"a"}`), abi.CodeSyntax},
		{"one value on two lines", "{\"type\":\"RECORD\",\n\"stream\":\"log\"}", abi.CodeSyntax},
		{"bad UTF-8", record("log", `"a"`, "{\"id\":\"a\",\"x\":\"\xff\"}"), abi.CodeInvalidUTF8},
		{"lone surrogate", record("log", `"a"`, `{"id":"a","x":"\ud800"}`), abi.CodeInvalidUTF8},
		{"duplicate in the data", record("log", `"a"`, `{"id":"a","id":"b"}`), abi.CodeDuplicateName},
		{"duplicate in the envelope", `{"type":"RECORD","type":"RECORD"}`, abi.CodeDuplicateName},
		{"deep", record("log", `"a"`, deep), abi.CodeNesting},
		{"array", `[]`, abi.CodeEnvelope},
		{"no type", `{"stream":"log","key":"a",` + at + `,"data":{"id":"a"}}`, abi.CodeEnvelope},
		{"type in upper case", `{"Type":"RECORD","stream":"log","key":"a",` + at + `,"data":{"id":"a"}}`, abi.CodeEnvelope},
		{"another message", `{"type":"STATE","stream":"log","cursor":{}}`, abi.CodeMessageType},
		{"unknown message", `{"type":"RECORDS"}`, abi.CodeMessageType},
		{"no stream", `{"type":"RECORD","key":"a",` + at + `,"data":{"id":"a"}}`, abi.CodeEnvelope},
		{"empty stream", record("", `"a"`, `{"id":"a"}`), abi.CodeEnvelope},
		{"no key", `{"type":"RECORD","stream":"log",` + at + `,"data":{"id":"a"}}`, abi.CodeEnvelope},
		{"number as key", record("log", `1`, `{"id":1}`), abi.CodeEnvelope},
		{"null as key", record("log", `null`, `{"id":"a"}`), abi.CodeEnvelope},
		{"no data", `{"type":"RECORD","stream":"log","key":"a",` + at + `}`, abi.CodeEnvelope},
		{"data is no object", record("log", `"a"`, `["a"]`), abi.CodeEnvelope},
		{"no emitted_at", `{"type":"RECORD","stream":"log","key":"a","data":{"id":"a"}}`, abi.CodeEnvelope},
		{"empty emitted_at", `{"type":"RECORD","stream":"log","key":"a","emitted_at":"","data":{"id":"a"}}`, abi.CodeEnvelope},
		{"long emitted_at", `{"type":"RECORD","stream":"log","key":"a","emitted_at":"` + strings.Repeat("2", 80) + `","data":{"id":"a"}}`, abi.CodeEnvelope},
		{"NUL in emitted_at", `{"type":"RECORD","stream":"log","key":"a","emitted_at":"2026\u0000","data":{"id":"a"}}`, abi.CodeEnvelope},
		{"NUL in a deletion's emitted_at", `{"type":"RECORD","stream":"messages","key":"a","op":"delete","emitted_at":"\u0000"}`, abi.CodeEnvelope},
		{"unknown op", `{"type":"RECORD","stream":"messages","key":"a","op":"upsert",` + at + `,"data":{"id":"a"}}`, abi.CodeEnvelope},
		{"null op", `{"type":"RECORD","stream":"messages","key":"a","op":null,` + at + `,"data":{"id":"a"}}`, abi.CodeEnvelope},
		{"deletion with odd data", `{"type":"RECORD","stream":"messages","key":"a","op":"delete","data":1}`, abi.CodeEnvelope},
		{"unknown stream", record("nowhere", `"a"`, `{"id":"a"}`), abi.CodeStreamOutOfScope},
		{"stream of the manifest, not of the scope", record("hidden", `"a"`, `{"id":"a"}`), abi.CodeStreamOutOfScope},
		{"empty key", record("log", `""`, `{"id":""}`), abi.CodeKeyInvalid},
		{"NUL in the key", record("log", `"a\u0000"`, `{"id":"a\u0000"}`), abi.CodeKeyInvalid},
		{"long key", record("log", `"`+strings.Repeat("k", abi.MaxKeyBytes+1)+`"`, `{"id":"a"}`), abi.CodeKeyInvalid},
		{"array for one field", record("log", `["a"]`, `{"id":"a"}`), abi.CodeKeyInvalid},
		{"string for two fields", record("tops", `"a"`, `{"id":"a","range":"b"}`), abi.CodeKeyInvalid},
		{"text of an array for two fields", record("tops", `"[\"a\",\"b\"]"`, `{"id":"a","range":"b"}`), abi.CodeKeyInvalid},
		{"too few parts", record("tops", `["a"]`, `{"id":"a","range":"b"}`), abi.CodeKeyInvalid},
		{"too many parts", record("tops", `["a","b","c"]`, `{"id":"a","range":"b"}`), abi.CodeKeyInvalid},
		{"part of another type", record("tops", `["a",1]`, `{"id":"a","range":1}`), abi.CodeKeyInvalid},
		{"deletion with a key of the wrong form", `{"type":"RECORD","stream":"tops","key":"a","op":"delete"}`, abi.CodeKeyInvalid},
		{"another key than the data's", record("log", `"a"`, `{"id":"b"}`), abi.CodeKeyMismatch},
		{"key field missing", record("log", `"a"`, `{}`), abi.CodeKeyMismatch},
		{"key field null", record("log", `"null"`, `{"id":null}`), abi.CodeKeyMismatch},
		{"key field true", record("log", `"true"`, `{"id":true}`), abi.CodeKeyMismatch},
		{"number in another spelling", record("log", `"1"`, `{"id":1.0}`), abi.CodeKeyMismatch},
		{"parts in the wrong order", record("tops", `["b","a"]`, `{"id":"a","range":"b"}`), abi.CodeKeyMismatch},
		{"parts cut elsewhere", record("tops", `["a\",\"b","c"]`, `{"id":"a","range":"b\",\"c"}`), abi.CodeKeyMismatch},
		{"deletion on append", `{"type":"RECORD","stream":"stats","key":"a","op":"delete"}`, abi.CodeDeleteOnAppendOnly},    // RT-07.2
		{"deletion on append_only", `{"type":"RECORD","stream":"log","key":"a","op":"delete"}`, abi.CodeDeleteOnAppendOnly}, // RT-07.2
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := records(gate(t, allStreams()), c.payload)
			if got := codeOf(t, err); got != c.code {
				t.Errorf("%v, want %s", err, c.code)
			}
		})
	}
}

// The records before a violation have been handed over; the caller's own error
// comes back untouched.
func TestRecordsStops(t *testing.T) {
	t.Parallel()
	good := record("log", `"a"`, `{"id":"a"}`)
	got, err := records(gate(t, allStreams()), good+"\n"+good+"\n{}\n"+good)
	if len(got) != 2 || codeOf(t, err) != abi.CodeEnvelope || !strings.Contains(err.Error(), "line 3") {
		t.Errorf(`%d records, %v, want len(got) == 2 && codeOf(t, err) == abi.CodeEnvelope && strings.Contains(err.Error(), "line 3")`, len(got), err)
	}
	want, calls := errors.New("full"), 0
	err = gate(t, allStreams()).Records([]byte(good+"\n"+good), func(*Record) error { calls++; return want })
	if !errors.Is(err, want) || calls != 1 {
		t.Errorf("%v after %d calls, want errors.Is(err, want) && calls == 1", err, calls)
	}
}

func TestRecordsRejects(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for _, c := range []struct{ data, path, keyword string }{
		{`{"id":"a","created_at":"` + secret + `"}`, "/created_at", "format"},
		{`{"id":"a"}`, "/created_at", "required"},
		{`{"id":"a","created_at":"2026-01-31T10:00:00Z","cost":"` + secret + `"}`, "/cost", "type"},
		{`{"id":"a","created_at":"2026-01-31T10:00:00Z","` + secret + `":1}`, "/*", "additionalProperties"},
		{`{"id":"a","created_at":"2026-01-31T10:00:00Z","role":"` + secret + `"}`, "/role", "enum"},
		{`{"id":"a","created_at":"2026-01-31T10:00:00Z","input_tokens":1e999999999}`, "/input_tokens", "type"},
	} {
		g := gate(t, allStreams())
		got, err := records(g, record("messages", `"a"`, c.data)+"\n"+record("messages", `"a"`, `{"id":"a","created_at":"2026-01-31T10:00:00Z"}`))
		if err != nil || len(got) != 2 {
			t.Fatalf("%s: got %v, want no error && len(got) == 2", c.data, err)
		}
		if r := got[0]; r.rejectedAt != c.path || r.rejectedBy != c.keyword || r.key != "a" || r.stream != 0 {
			t.Errorf("%s: %+v, want %q %q", c.data, r, c.path, c.keyword)
		}
		if got[1].rejectedBy != "" {
			t.Error("a rejection sticks to the next record")
		}
	}
}

// The order of the rules: if two are broken, the earlier one is reported.
func TestRecordsOrder(t *testing.T) {
	t.Parallel()
	s := allStreams()
	s.Streams[0].Resources = []string{"in"}
	s.Streams[0].Fields = []string{"id", "created_at"}
	s.Streams[0].TimeRange = &abi.TimeRange{Since: "2026-01-01T00:00:00Z"}
	s.Streams[3].Resources = []string{"in"}
	in, out := `"created_at":"2026-01-01T00:00:00Z"`, `"created_at":"2025-12-31T23:59:59Z"`
	for _, c := range []struct {
		name, payload string
		code          abi.Code
	}{
		{"syntax before envelope", `{"a":1,"a":2}`, abi.CodeDuplicateName},
		{"envelope before stream", `{"type":"RECORD","stream":"nowhere","key":"a","data":1,` + at + `}`, abi.CodeEnvelope},
		{"stream before key", record("nowhere", `[]`, `{}`), abi.CodeStreamOutOfScope},
		{"key before resources", record("messages", `"out"`, `{"id":"other",`+out+`}`), abi.CodeKeyMismatch},
		{"resources before time range", record("messages", `"out"`, `{"id":"out",`+out+`}`), abi.CodeKeyOutsideResource},
		{"time range before fields", record("messages", `"in"`, `{"id":"in","model":1,`+out+`}`), abi.CodeOutsideTimeRange},
		{"fields before schema", record("messages", `"in"`, `{"id":"in","model":1,`+in+`}`), abi.CodeFieldOutOfScope},
		{"resources before delete", `{"type":"RECORD","stream":"log","key":"out","op":"delete"}`, abi.CodeKeyOutsideResource},
		{"all held", record("messages", `"in"`, `{"id":"in",`+in+`}`), ""},
	} {
		if _, err := records(gate(t, s), c.payload); codeOf(t, err) != c.code {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
}
