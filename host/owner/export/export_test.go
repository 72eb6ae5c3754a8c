package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/storage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var records = []storage.Record{
	{Seq: 1, Stream: "notes", Key: `a"<b>`, Data: []byte(`{"id":"a","n":1.50,"list":[1, 2]}`), EmittedAt: "2026-01-02T03:04:05Z", RunID: "r1"},
	{Seq: 2, Stream: "notes", Key: "b", Deleted: true, EmittedAt: "2026-01-02T03:04:05Z", RunID: "r1"},
	{Seq: 3, Stream: "notes", Key: "c", Data: []byte(`{"id":"c","text":"two\nlines, \"quoted\"","more":true,"none":null}`), EmittedAt: "", RunID: "r2"},
}

func TestLines(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	l := NewLines(&b)
	for _, r := range records {
		if err := l.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n")) {
		var got struct {
			Stream  string          `json:"stream"`
			Key     string          `json:"key"`
			Deleted bool            `json:"deleted"`
			Data    json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		r := records[i]
		if got.Key != r.Key || got.Deleted != r.Deleted || !bytes.Equal(got.Data, r.Data) {
			t.Errorf("line %d is %s", i, line)
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var c Columns
	c.AddSchema([]byte(`{"properties":{"id":{"type":"string"},"text":{},"n":{}}}`))
	for _, r := range records {
		if err := c.AddObject(r.Data); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	w, err := NewCSV(&b, &c, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append(records, storage.Record{Key: "late", Data: []byte(`{"unseen":1}`)}) {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || w.Dropped != 1 {
		t.Errorf("%v, %d dropped", err, w.Dropped)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"_key", "_emitted_at", "_deleted", "id", "text", "n", "list", "more", "none"},
		{`a"<b>`, "2026-01-02T03:04:05Z", "", "a", "", "1.50", "[1,2]", "", ""},
		{"b", "2026-01-02T03:04:05Z", "true", "", "", "", "", "", ""},
		{"c", "", "", "c", "two\nlines, \"quoted\"", "", "", "true", ""},
		{"late", "", "", "", "", "", "", "", ""},
	}
	for i := range want {
		for j := range want[i] {
			if rows[i][j] != want[i][j] {
				t.Errorf("row %d column %d is %q, want %q", i, j, rows[i][j], want[i][j])
			}
		}
	}
}

func TestSchemaWithoutProperties(t *testing.T) {
	t.Parallel()
	var c Columns
	for _, s := range []string{``, `{}`, `{"properties":[]}`, `true`, `{`} {
		c.AddSchema([]byte(s))
	}
	if len(c.Names()) != len(fixed) {
		t.Errorf("got %q", c.Names())
	}
}

// Collected text is a stranger's: a spreadsheet must not run it.
func TestSafeCSV(t *testing.T) {
	t.Parallel()
	var c Columns
	r := storage.Record{Key: "@key", EmittedAt: "=1+1", Data: []byte(`{"=field":"=cmd()","wide":"＝cmd()","n":-1.5,"ok":"a=b","esc":"\u001b[2Jx","tab":"\t=1","cr":"\r=2","empty":""}`)}
	if err := c.AddObject(r.Data); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := NewCSV(&b, &c, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(r), w.Close()); err != nil {
		t.Fatal(err)
	}
	want := "_key,_emitted_at,_deleted,'=field,wide,n,ok,esc,tab,cr,empty\n'@key,'=1+1,,'=cmd(),'＝cmd(),-1.5,a=b,[2Jx,'\t=1,'=2,\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
