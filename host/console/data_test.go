package console_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// lettersManifest declares a stream with all that a page can ask of one.
const lettersManifest = `{"connector_key":"post","connector_id":"https://pdpp-host.example/connectors/post","version":"1.0.0","protocol_version":"0.1.0","display_name":"Post","streams":[
{"name":"letters","description":"<script>alert(1)</script> of mail","cursor_field":"at","consent_time_field":"at","primary_key":["id"],"semantics":"mutable_state","incremental":true,
"schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"at":{"type":"string","format":"date-time"},"title":{"type":"string"},"site":{"type":"string"},"n":{"type":"integer"},
"body":{"type":"string"},"more":{"type":"object"},"last":{"type":"string"}}},"query":{"search":{"lexical_fields":["title","last"]},"range_filters":{"n":["gte","gt","lte","lt"]}}}]}`

// letter is a record of that stream.
func letter(key string, day int, members map[string]any) (string, []byte) {
	m := map[string]any{"id": key, "at": time.Date(2025, 3, day, 12, 0, 0, 0, time.UTC).Format(time.RFC3339), "n": day}
	maps.Copy(m, members)
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return key, b
}

// stored gives the bed a connection with these records.
func (b *bed) stored(connection string, records map[string][]byte, gone ...string) {
	b.t.Helper()
	ctx, w := context.Background(), b.run(connection)
	batch := w.NewBatch()
	for key, data := range records {
		batch.Add(0, []byte(key), data, []byte("2026-01-02T03:04:05Z"), false)
	}
	for _, key := range gone {
		batch.Add(0, []byte(key), nil, []byte("2026-01-02T03:04:05Z"), true)
	}
	if err := errors.Join(w.Write(ctx, batch), w.Finish(ctx, storage.Outcome{Status: "succeeded"})); err != nil {
		b.t.Fatal(err)
	}
}

func letters(n int) map[string][]byte {
	all := map[string][]byte{}
	for i := range n {
		key, data := letter(fmt.Sprintf("k%03d", i), i%28+1, map[string]any{"title": fmt.Sprintf("letter %d of spring", i)})
		all[key] = data
	}
	return all
}

var links = regexp.MustCompile(`<a[^>]* href="([^"]+)"`)

// typedIn is what a field has that the owner typed.
var typedIn = regexp.MustCompile(`name="(q|value)" type="\w+" value="[^"]*"`)

// follow returns the first link of a page to an address with a part.
func follow(body, part string) string {
	for _, m := range links.FindAllStringSubmatch(body, -1) {
		if to := strings.ReplaceAll(m[1], "&amp;", "&"); strings.Contains(to, part) {
			return to
		}
	}
	return ""
}

// The pages count, draw, filter and search what runs collected, and refuse what is not there.
func TestDataPages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if a := b.get("/data"); a.status != http.StatusOK || !strings.Contains(a.body, "Nothing is collected yet") {
		t.Errorf("without data: got %d, want %d that says so", a.status, http.StatusOK)
	}
	b.Connect(t, "real", "scripted", map[string]string{"script": "records notes 0 30\nfinish"})
	b.Ended(t, b.began("real"))
	b.stored("mail", letters(120), "gone")
	const at = "/data/mail/letters"
	for path, want := range map[string][]string{
		"/data":                           {`value="150"`, `<a href="/data/real/notes">`, `<time datetime="2025-03-28" data-as="day">2025-03-28</time>`, `class="heat"`, `aria-hidden="true">Jan</text>`, `>Dec</text>`, `>Mon</text>`, `>Sun</text>`},
		"/data?year=2025":                 {"By day, 2025", `<td><time datetime="2025-03-28"`, "2025: 120 records on 28 days, the most on 2025-03-01 (5)"},
		"/data?year=1":                    {"By day, 2026"},
		"/data/real/notes":                {`<a href="/data/real/notes/record?key=`, `value="30"`},
		at:                                {`value="120"`, `name="col" value="more"`, "last first by at", "&lt;script&gt;alert(1)"},
		at + "?col=n&col=none":            {`data-label="n"`},
		at + "?field=id&op=eq&value=k007": {"key=k007", `value="1"`},
		at + "?field=n&op=gte&value=28":   {"key=k027", `value="4"`},
		at + "?q=spring+7":                {"key=k007", "letter 7 of spring"},
		at + "?q=nowhere":                 {"No record has these words"},
		"/data/search?q=%22letter+9%22":   {"key=k009", "letters · mail"},
		"/data/search":                    {`name="q"`},
		at + "/record?key=k007":           {"letter 7 of spring", "/runs/run_mail", "nothing of what it was", "2026-01-02T03:04:05Z"},
		at + "/record?key=gone":           {"finds it at its source brings it again"},
	} {
		a := b.get(path)
		for _, text := range want {
			if a.status != http.StatusOK || !strings.Contains(a.body, text) {
				t.Errorf("%s: got %d, want %d with %q: %s", path, a.status, http.StatusOK, text, problem(a.body))
			}
		}
	}
	if a := b.get(at + "?col=n"); strings.Contains(a.body, `data-label="title"`) {
		t.Error("the column n: got the title as well, want n alone")
	}
	shown := regexp.MustCompile(`data-label="(\w+)"`).FindAllStringSubmatch(b.get(at).body, 5)
	var columns []string
	for _, m := range shown {
		columns = append(columns, m[1])
	}
	if want := []string{"at", "title", "site", "n", "last"}; !slices.Equal(columns, want) {
		t.Errorf("columns that nobody asked for: got %v, want %v, what orders and what is searched before the rest", columns, want)
	}
	for _, path := range []string{
		"/data/nobody/letters", "/data/mail/none", at + "/record?key=never", at + "/record", "/data/nobody/letters/export?format=csv", at + "/record/download?key=gone", "/data/mail",
	} {
		if a := b.get(path); a.status != http.StatusNotFound || !strings.Contains(a.body, `href="/"`) {
			t.Errorf("%s: got %d, want %d with a way back", path, a.status, http.StatusNotFound)
		}
	}
	for _, path := range []string{at + "?field=n&op=eq&value=x", at + "?field=title&op=gt&value=x", at + "?cursor=forged", at + "?q=x&cursor=forged", "/data/search?q=x&cursor=forged", at + "/export?format=xml"} {
		if a := b.get(path); a.status != http.StatusUnprocessableEntity || problem(a.body) == "" {
			t.Errorf("%s: got %d, want %d with its reason", path, a.status, http.StatusUnprocessableEntity)
		}
	}
}

// Every record of a stream stands on one of its pages, once, in the order that was asked for.
func TestAStreamsPagesGoOn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.stored("mail", letters(120))
	key := regexp.MustCompile(`record\?key=(k\d+)`)
	for _, order := range []string{"asc", "desc"} {
		var days []string
		seen := map[string]bool{}
		for at := "/data/mail/letters?col=at&order=" + order; at != ""; {
			a := b.get(at)
			for _, m := range key.FindAllStringSubmatch(a.body, -1) {
				if seen[m[1]] {
					t.Errorf("got %s twice", m[1])
				}
				seen[m[1]] = true
			}
			for _, m := range regexp.MustCompile(`<bdi>(2025-03-\d\d)T`).FindAllStringSubmatch(a.body, -1) {
				days = append(days, m[1])
			}
			at = follow(a.body, "cursor=")
		}
		if order == "desc" {
			slices.Reverse(days)
		}
		if len(seen) != 120 || len(days) != 120 || !slices.IsSorted(days) {
			t.Errorf("%s: got %d records and %d days, want 120 in their order", order, len(seen), len(days))
		}
	}
}

// OC-08: a record full of markup, script, characters that turn text round and a text as long
// as a record may be shows harmlessly on each page, and its download is whole.
func TestHostileRecordsShowHarmlessly(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	long := strings.Repeat("longest ", 120_000)
	addresses := map[string]bool{
		"https://example.com/a?b=c": true, "http://example.com": true, "mailto:someone@example.com": true,
		"javascript:alert(1)": false, "JaVaScRiPt:alert(1)": false, "data:text/html,<script>alert(1)</script>": false, "\u0020https://example.com": false, "//example.com/x": false,
		"https://you@example.com/": false, "vbscript:x": false, "file:///etc/passwd": false, "https://example.com/\u202egnp.exe": false, "https:\\\\example.com": false, "https://": false,
	}
	all, at := map[string][]byte{}, "/data/mail/letters"
	n := 0
	for site := range addresses {
		key, data := letter(fmt.Sprintf("site%d", n), 1, map[string]any{"site": site})
		all[key], n = data, n+1
	}
	key, data := letter(hostile, 2, map[string]any{
		"title": hostile + " findme", "site": "javascript:alert(1)", "body": long, "more": map[string]any{hostile: []string{hostile, "\x1b[2J\u2066\u200f\u0007"}}, hostile: hostile,
	})
	all[key] = data
	b.stored("mail", all)
	record := at + "/record?" + url.Values{"key": {key}}.Encode()
	for _, path := range []string{"/data", at, at + "?col=title&col=body&col=more&col=site", at + "?q=findme", "/data/search?q=findme", record, at + "?q=" + url.QueryEscape(hostile), at + "?field=title&value=" + url.QueryEscape(hostile)} {
		a := b.get(path)
		if a.status != http.StatusOK || len(a.body) > 200_000 {
			t.Errorf("%s: got %d with %d bytes, want %d with few", path, a.status, len(a.body), http.StatusOK)
		}
		for _, harm := range []string{"<script>alert", "<img", " style=", `href="javascript:`, `href="data:`, "\x1b", "\u2066", "\u200f", "\u0007"} {
			if strings.Contains(a.body, harm) {
				t.Errorf("%s: got %q in the page, want it as text or as its name", path, harm)
			}
		}
		if strings.Contains(typedIn.ReplaceAllString(a.body, ""), "\u202e") {
			t.Errorf("%s: got U+202E in the page, want its name", path)
		}
	}
	if body := b.get(record).body; !strings.Contains(body, "U+202E") || !strings.Contains(body, "U+2066 U+200F") || !strings.Contains(body, "cut here") {
		t.Error("got no name of what cannot be seen, or no word of what was cut, want both")
	}
	for i := range n {
		key := fmt.Sprintf("site%d", i)
		var fields struct {
			Site string `json:"site"`
		}
		if err := json.Unmarshal(all[key], &fields); err != nil {
			t.Fatal(err)
		}
		safe := `rel="noreferrer noopener"`
		if got := strings.Contains(b.get(at+"/record?key="+key).body, safe); got != addresses[fields.Site] {
			t.Errorf("%q: got a link %v, want %v", fields.Site, got, addresses[fields.Site])
		}
	}
	if a := b.ask(http.MethodGet, strings.Replace(record, "/record?", "/record/download?", 1), nil, nil); a.body != string(data) {
		t.Errorf("the download: got %d bytes, want the whole %d", len(a.body), len(data))
	}
}

// OC-08: an export is a file that a browser keeps, whole, and its CSV holds no formula.
func TestExportIsAFile(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	key, data := letter("=cmd|' /C calc'!A0", 1, map[string]any{"title": "@SUM(1)", "=x": "+1"})
	all := letters(40)
	all[key] = data
	b.stored("../mail\u202e", all)
	at := "/data/" + url.PathEscape("../mail\u202e") + "/letters/export?format="
	for format, media := range map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl", "parquet": "application/vnd.apache.parquet"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+at+format, nil)
		r.Header.Set("Cookie", b.cookie)
		w := httptest.NewRecorder()
		b.pages.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Disposition"); w.Code != http.StatusOK || w.Header().Get("Content-Type") != media || got != "attachment; filename=_mail_-letters."+format {
			t.Errorf("%s: got %d, %q, %q, want a file of %s", format, w.Code, w.Header().Get("Content-Type"), got, media)
		}
		if format == "parquet" {
			f, err := parquet.OpenFile(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
			if err != nil || f.NumRows() != 41 {
				t.Errorf("got %v with %v, want a file of 41 rows", f, err)
			}
			continue
		}
		if format == "jsonl" {
			if n := bytes.Count(w.Body.Bytes(), []byte("\n")); n != 41 {
				t.Errorf("got %d lines, want 41", n)
			}
			continue
		}
		rows, err := csv.NewReader(w.Body).ReadAll()
		if err != nil || len(rows) != 42 {
			t.Fatalf("got %d rows, %v, want 42", len(rows), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
					t.Errorf("got the cell %q, want no formula", cell)
				}
			}
		}
	}
}

// A list that was refused says what was wrong, and not that nothing fits.
func TestARefusedListSaysNothingOfItsRows(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.stored("mail", letters(3))
	for path, not := range map[string]string{"/data/mail/letters?cursor=bad": words.NoRecords, "/audit?since=never": words.AuditNothing} {
		a := b.get(path)
		if a.status < http.StatusBadRequest || strings.Contains(a.body, not) {
			t.Errorf("%s: got %d and %q: %v, want a refusal without it", path, a.status, not, strings.Contains(a.body, not))
		}
	}
}
