package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	reader "github.com/parquet-go/parquet-go"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// asParquet is records as a file.
func asParquet(t testing.TB, schema string, all []storage.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := New(&b, Columnar, &abi.Stream{Schema: abi.Raw(schema)}, false, func(fn func(storage.Record) error) error {
		for _, r := range all {
			if err := fn(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rowsOf are the rows of a file, as a library of others reads them.
func rowsOf(t testing.TB, file []byte) (names []string, rows [][]any) {
	t.Helper()
	f, err := reader.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name())
	}
	for _, g := range f.RowGroups() {
		r := g.Rows()
		page := make([]reader.Row, 16)
		for {
			n, err := r.ReadRows(page)
			for _, row := range page[:n] {
				values := make([]any, len(names))
				row.Range(func(at int, v []reader.Value) bool {
					switch x := v[0]; {
					case x.IsNull():
					case x.Kind() == reader.ByteArray:
						values[at] = string(x.ByteArray())
					case x.Kind() == reader.Int64:
						values[at] = x.Int64()
					case x.Kind() == reader.Double:
						values[at] = x.Double()
					case x.Kind() == reader.Boolean:
						values[at] = x.Boolean()
					}
					return true
				})
				rows = append(rows, values)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return names, rows
}

// A Parquet file has a column for each property, typed by the schema and by what the records
// have; everything else of a record is in its last column.
func TestParquet(t *testing.T) {
	t.Parallel()
	schema := `{"properties":{"id":{"type":"string"},"n":{"type":["integer","null"]},"x":{"type":"number"},"ok":{"type":"boolean"},"list":{"type":"array"},"mixed":{"type":"integer"},` +
		`"large":{"type":"number"},"never":{"type":"string"},"ID":{"type":"string"},"_key":{"type":"string"},"a\nb":{"type":"string"},"":{}}}`
	file := asParquet(t, schema, []storage.Record{
		{Key: "a", EmittedAt: "2026-01-02T03:04:05Z", Data: []byte(`{"id":"ä\"\u0000","n":9223372036854775807,"x":1,"ok":true,"list":[1, {"a":null}],"mixed":1,"large":9007199254740993,"late":false,"ID":"two","a\nb":"c","":0}`)},
		{Key: "b", EmittedAt: "", Deleted: true},
		{Key: "c", Data: []byte(`{"id":"","n":null,"x":-2.5e3,"ok":false,"mixed":"text","large":0.5,"late":null,"_key":"theirs"}`)},
		{Key: "d", Data: []byte(`{"x":1e999}`)},
	})
	names, rows := rowsOf(t, file)
	if got, want := strings.Join(names, " "), "_key _emitted_at _deleted id n x ok list mixed large never late _more"; got != want {
		t.Fatalf("columns are %s, want %s", got, want)
	}
	want := [][]any{
		{"a", int64(1767323045000000), false, "ä\"\x00", int64(9223372036854775807), "1", true, `[1, {"a":null}]`, "1", "9007199254740993", nil, false, `{"":0,"ID":"two","a\nb":"c"}`},
		{"b", nil, true, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
		{"c", nil, false, "", nil, "-2.5e3", false, nil, `"text"`, "0.5", nil, nil, `{"_key":"theirs"}`},
		{"d", nil, false, nil, nil, "1e999", nil, nil, nil, nil, nil, nil, nil},
	}
	for i := range want {
		for j := range names {
			if i >= len(rows) || rows[i][j] != want[i][j] {
				t.Errorf("row %d, %s: got %#v, want %#v", i, names[j], rows[i][j], want[i][j])
			}
		}
	}
	if names, rows := rowsOf(t, asParquet(t, `{`, nil)); len(names) != 4 || len(rows) != 0 {
		t.Errorf("no records: got the columns %q and %d rows, want the four that each file has, and none", names, len(rows))
	}
}

// A column whose texts are all instants has them as timestamps in UTC, whether a schema says so or says nothing. One text that
// is none, or is finer than a microsecond, makes it a column of texts as they are.
func TestParquetInstants(t *testing.T) {
	t.Parallel()
	schema := `{"properties":{"at":{"type":["string","null"],"format":"date-time"},"text":{"type":"string"},"odd":{"type":"string","format":"date-time"},` +
		`"fine":{"type":"string","format":"date-time"},"never":{"type":"string","format":"date-time"}}}`
	file := asParquet(t, schema, []storage.Record{
		{Key: "a", Data: []byte(`{"at":"1970-01-01T01:00:00.5+01:00","text":"2026-01-02T03:04:05Z","odd":"2026-01-02T03:04:05Z","fine":"2026-01-02T03:04:05.123456789Z","free":"1969-12-31T23:59:59.999999Z","local":"2026-01-02T03:04:05"}`)},
		{Key: "b", Data: []byte(`{"at":null,"odd":"yesterday","fine":"2026-01-02T03:04:05Z"}`)},
	})
	names, rows := rowsOf(t, file)
	want := map[string]any{
		"at": int64(500_000), "text": "2026-01-02T03:04:05Z", "odd": "2026-01-02T03:04:05Z", "fine": "2026-01-02T03:04:05.123456789Z",
		"never": nil, "free": int64(-1), "local": "2026-01-02T03:04:05",
	}
	f, err := reader.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Root().Columns() {
		if w, ok := want[names[i]]; ok && rows[0][i] != w {
			t.Errorf("%s: got %v, want %v", names[i], rows[0][i], w)
		}
		instant := slices.Contains([]string{"_emitted_at", "at", "never", "free"}, names[i])
		if got := c.Type().String(); (got == "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)") != instant {
			t.Errorf("%s is of the type %s; want a timestamp: %t", names[i], got, instant)
		}
	}
}

// Numbers that a Double has stay numbers.
func TestParquetNumbers(t *testing.T) {
	t.Parallel()
	_, rows := rowsOf(t, asParquet(t, `{"properties":{"x":{"type":"number"}}}`, []storage.Record{{Key: "a", Data: []byte(`{"x":1}`)}, {Key: "b", Data: []byte(`{"x":0.25}`)}}))
	if rows[0][3] != 1.0 || rows[1][3] != 0.25 {
		t.Errorf("got %#v and %#v, want the numbers 1 and 0.25", rows[0][3], rows[1][3])
	}
}

// A hostile schema makes no more columns than the bound, and loses nothing.
func TestParquetOfAHostileSchema(t *testing.T) {
	t.Parallel()
	properties := make([]string, 10_000)
	for i := range properties {
		properties[i] = fmt.Sprintf(`"p%d\u0007":{"type":"string"},"q%d":{"type":"integer"}`, i, i)
	}
	names, rows := rowsOf(t, asParquet(t, `{"properties":{`+strings.Join(properties, ",")+`}}`, []storage.Record{{Key: "a", Data: []byte(`{"q1":1,"q9999":2,"p1\u0007":"x"}`)}}))
	if len(names) != len(fixed)+mostColumns+1 || rows[0][4] != int64(1) || rows[0][len(names)-1] != `{"p1\u0007":"x","q9999":2}` {
		t.Errorf("got %d columns and the row %v, want %d with all of the record", len(names), rows[0][len(names)-1], len(fixed)+mostColumns+1)
	}
}

// A long export holds one row group in memory, and its rows come back in their order.
//
//nolint:paralleltest // it looks at this process's memory
func TestParquetHoldsOneGroup(t *testing.T) {
	table := NewTable([]byte(`{"properties":{"n":{"type":"integer"},"text":{"type":"string"}}}`))
	var b bytes.Buffer
	b.Grow(48 << 20)
	p, err := NewParquet(&b, table)
	if err != nil {
		t.Fatal(err)
	}
	source := rand.NewChaCha8([32]byte{1})
	text := make([]byte, 512)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const rows = 68_000 // 35 MB
	var peak uint64
	for i := range rows {
		_, _ = source.Read(text) // it never fails
		for j := range text {
			text[j] = 'a' + text[j]%26
		}
		if err := p.Write(storage.Record{Key: "k", Data: fmt.Appendf(nil, `{"n":%d,"text":%q}`, i, text)}); err != nil {
			t.Fatal(err)
		}
		if i%10_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			peak = max(peak, after.HeapAlloc-min(after.HeapAlloc, before.HeapAlloc))
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if peak > 64<<20 {
		t.Errorf("it held %d MB beside the file, want at most 64", peak>>20)
	}
	f, err := reader.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRows() != rows || len(f.RowGroups()) < 3 {
		t.Errorf("got %d rows in %d groups, want %d in three or more", f.NumRows(), len(f.RowGroups()), rows)
	}
}

// FuzzParquet: any record makes a file that others read, and loses none of its members.
func FuzzParquet(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"string"}}}`, `{"a":"b","c":[1]}`)
	f.Add(`{"properties":{"a":{"type":"string","format":"date-time"}}}`, `{"a":"2026-01-02T03:04:05.5Z","b":"2026-01-02T03:04:05+14:00"}`)
	f.Add(`{"properties":{"a":{"type":["number","null"]}}}`, `{"a":1e400,"A":true,"\u0000":null}`)
	f.Fuzz(func(t *testing.T, schema, record string) {
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(record), &fields) != nil || fields == nil || len(record) > 1<<14 {
			return
		}
		names, rows := rowsOf(t, asParquet(t, schema, []storage.Record{{Key: "k", Data: []byte(record)}, {Key: "gone", Deleted: true}}))
		if len(rows) != 2 || rows[0][0] != "k" || rows[1][2] != true {
			t.Fatalf("got the rows %v, want the record and its deletion", rows)
		}
		more := map[string]json.RawMessage{}
		if text, ok := rows[0][len(names)-1].(string); ok {
			if err := json.Unmarshal([]byte(text), &more); err != nil {
				t.Fatal(err)
			}
		}
		for name, value := range fields {
			at := -1
			for i, n := range names[len(fixed) : len(names)-1] {
				if n == name {
					at = len(fixed) + i
				}
			}
			_, beside := more[name]
			if here := at >= 0 && rows[0][at] != nil; here == beside && !(string(value) == "null" && !here) {
				t.Errorf("%q is in its column: %t, and in the last one: %t; want one of them", name, here, beside)
			}
		}
	})
}
