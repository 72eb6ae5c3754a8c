package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// sentence is a refusal as a test names it: its parameter and its rule.
func sentence(err error) string {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Code + " " + f.Param
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// read reads a query as a route does that has these parameters.
func read(raw string) error {
	q := ReadQuery(raw)
	q.Number("limit", 1, 200, 25)
	q.Text("name")
	q.Flag("open")
	q.Word("mode", "a", "b")
	q.List("fields")
	q.Map("filter")
	return q.Done()
}

// RD-05.1, RD-05.3: nothing is ignored, and nothing defaults because it could not be read.
func TestQueriesAreStrict(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": "", "limit=200&name=x&open=true&mode=b": "", "fields=a,b&fields=c&fields[]=d": "", "filter%5Bf%5D=v&filter[g][gte]=2": "",
		"limit=0": "invalid_request limit", "limit=-1": "invalid_request limit", "limit=abc": "invalid_request limit", "limit=201": "invalid_request limit",
		"limit=+5": "invalid_request limit", "limit=05": "invalid_request limit", "limit=": "invalid_request limit",
		"limit=5&limit=5": "invalid_request limit", "open=yes": "invalid_request open", "mode=c": "invalid_request mode",
		"fields=a,,b": "invalid_request fields", "filter=": "invalid_request filter", "filter[]=v": "invalid_request filter[]",
		"limits=5": "invalid_request limits", "=5": "invalid_request ", "name=%zz": "invalid_request ", "name=%ff": "invalid_request ",
		"name=a%00b": "invalid_request ", "name=a;b": "invalid_request ", strings.Repeat("a&", 64): "invalid_request ",
		"name=" + strings.Repeat("a", 16<<10): "invalid_request ",
	} {
		if got := sentence(read(raw)); got != want {
			t.Errorf("%.40q: got refusal %q, want %q", raw, got, want)
		}
	}
}

// RD-05.2: a list means the same in each spelling.
func TestListsAndMapsAreRead(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"f=a&f=b", "f=a,b", "f[]=a&f[]=b", "f%5B%5D=a,b"} {
		q := ReadQuery(raw)
		if got := q.List("f"); !reflect.DeepEqual(got, []string{"a", "b"}) || q.Done() != nil {
			t.Errorf("%s: got %q and %v, want a and b", raw, got, q.Done())
		}
	}
	q := ReadQuery("filter[x]=1&filter[y][gte]=2")
	if got := q.Map("filter"); !reflect.DeepEqual(got, map[string]string{"x": "1", "y][gte": "2"}) {
		t.Errorf("got %q, want x and y][gte", got)
	}
	// The names that are kept of a read hold nothing that its sender chose, also of one refused.
	q = ReadQuery("filter[x]=1&filter[%00]=2&filter[secret]=3&f=a&other=1")
	q.Map("filter")
	q.List("f")
	if got := q.Names(); !reflect.DeepEqual(got, []string{"f", "filter"}) {
		t.Errorf("got the names %q, want f and filter", got)
	}
}

type body struct {
	Name string         `json:"name"`
	Any  map[string]any `json:"any"`
}

// RD-07: a body is one JSON object, without a name twice, bytes behind it or too many levels.
func TestBodiesAreStrict(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`{"name":"x"}`: "", " {} \n": "", `{"any":` + strings.Repeat(`{"a":`, 29) + `1` + strings.Repeat(`}`, 30) + `}`: "invalid_request ",
		`{"any":` + strings.Repeat(`{"a":`, 29) + `1` + strings.Repeat(`}`, 29) + `}`: "",
		`{"any":` + strings.Repeat(`{"a":`, 32) + `1` + strings.Repeat(`}`, 32) + `}`: "invalid_request ",
		``: "invalid_request ", `[]`: "invalid_request ", `null`: "invalid_request ", `{"name":"x"} x`: "invalid_request ", `{"name":"x"}{}`: "invalid_request ",
		`{"name":"x","name":"y"}`: "invalid_request ", `{"any":{"a":1,"a":2}}`: "invalid_request ", `{"name":1}`: "invalid_request name",
		`{"nam":"x"}`: "invalid_request nam", `{"Name":"x"}`: "invalid_request Name", "{\"name\":\"\xff\"}": "invalid_request ", `{"name":"x"`: "invalid_request ",
	} {
		var v body
		if got := sentence(Decode([]byte(sent), &v)); got != want {
			t.Errorf("%.60s: got refusal %q, want %q", sent, got, want)
		}
	}
}

// RD-07: a body is bounded, whatever its length is said to be, and is JSON by its type.
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, kind, encoding string
		size                 int
		told                 bool
		want                 string
	}{
		{"small", "application/json", "", 10, true, ""},
		{"with a charset", "application/json; charset=utf-8", "", 10, true, ""},
		{"at the limit", "application/json", "", MaxBody, false, ""},
		{"too large", "application/json", "", MaxBody + 1, true, "too_large "},
		{"too large, and not told", "application/json", "", MaxBody + 1, false, "too_large "},
		{"a form", "application/x-www-form-urlencoded", "", 10, true, "unsupported_media_type "},
		{"no type", "", "", 10, true, "unsupported_media_type "},
		{"compressed", "application/json", "gzip", 10, true, "unsupported_media_type "},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(strings.Repeat(" ", tt.size)))
		r.Header.Set("Content-Type", tt.kind)
		r.Header.Set("Content-Encoding", tt.encoding)
		if !tt.told {
			r.ContentLength = -1
		}
		_, err := ReadBody(httptest.NewRecorder(), r)
		if got := sentence(err); got != tt.want {
			t.Errorf("%s: got refusal %q, want %q", tt.name, got, tt.want)
		}
	}
}

// RD-03, RD-04.1 to RD-04.3: the envelope of an error, and the headers of every answer.
func TestFailuresAreEnclosed(t *testing.T) {
	t.Parallel()
	id := NewID(bytes.NewReader(make([]byte, 16)))
	if id != "req_aaaaaaaaaaaaaaaaaaaaaaaaaa" {
		t.Errorf("got id %q, want req_ and 26 letters", id)
	}
	if got := NewID(strings.NewReader("short")); got != "req_unnamed" {
		t.Errorf("got id %q without random numbers, want req_unnamed", got)
	}
	for status, want := range map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error", 405: "invalid_request_error",
		409: "invalid_request_error", 410: "gone_error", 429: "rate_limit_error", 500: "api_error", 503: "api_error",
	} {
		w := httptest.NewRecorder()
		Begin(w.Header(), id)
		f := Busy()
		f.Status = status
		Fail(w, f, id)
		var got Envelope
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != status || got.Error.Type != want || got.Error.RequestID != id {
			t.Errorf("%d: got %d, %+v and %v, want type %s", status, w.Code, got, err, want)
		}
		for name, value := range map[string]string{
			"Request-Id": id, "X-Request-Id": id, "PDPP-Version": Version, "Content-Type": "application/json",
			"Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff", "Retry-After": "1",
		} {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%d: got %s %q, want %q", status, name, got, value)
			}
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	for version, want := range map[string]string{Version: "", "2020-01-01": "unsupported_version PDPP-Version"} {
		r.Header.Set(HeaderVersion, version) //nolint:canonicalheader // the contract's spelling
		if got := sentence(CheckVersion(r)); got != want {
			t.Errorf("%s: got %q, want %q", version, got, want)
		}
	}
}

// RD-06, RD-06.2: a page links to itself and to the next one, and a cursor belongs to one list.
func TestListsGoOn(t *testing.T) {
	t.Parallel()
	at, err := url.Parse("/v1/owner/runs?limit=2&connection=a%20b")
	if err != nil {
		t.Fatal(err)
	}
	next := NewCursor("runs a b", "run_7")
	l := NewList([]int{1, 2}, next, at)
	want := "/v1/owner/runs?connection=a+b&cursor=" + next + "&limit=2"
	if !l.HasMore || l.Links.Next == nil || *l.Links.Next != want {
		t.Errorf("got next %v, want %s", l.Links.Next, want)
	}
	if last := NewList[int](nil, "", at); last.HasMore || last.Links.Next != nil || last.Data == nil {
		t.Errorf("got %+v, want an empty last page", last)
	}
	if after, err := After("runs a b", next); after != "run_7" || err != nil {
		t.Errorf("got %q, %v, want run_7", after, err)
	}
	for _, sent := range []string{"x", next + "x", NewCursor("runs", "run_7"), NewCursor("runs a b", ""), NewCursor("runs a b", strings.Repeat("a", 4096))} {
		if _, err := After("runs a b", sent); sentence(err) != "invalid_cursor cursor" {
			t.Errorf("%.30s: got %v, want invalid_cursor", sent, err)
		}
	}
}

func FuzzQuery(f *testing.F) {
	f.Add("limit=5&filter[a]=b&fields=a,b")
	f.Fuzz(func(t *testing.T, raw string) {
		if err := read(raw); err != nil && len(err.Error()) > 512 {
			t.Errorf("got an error of %d bytes, want a short one", len(err.Error()))
		}
	})
}

func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"name":"x","any":{"a":[1,null]}}`))
	f.Fuzz(func(t *testing.T, sent []byte) {
		var strict, lax body
		if Decode(sent, &strict) == nil && json.Unmarshal(sent, &lax) != nil {
			t.Errorf("got %q taken, want nothing that is no JSON", sent)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add(NewCursor("runs", "run_7"))
	f.Fuzz(func(t *testing.T, sent string) {
		after, err := After("runs", sent)
		if again, err2 := After("runs", NewCursor("runs", after)); err == nil && after != "" && (err2 != nil || again != after) {
			t.Errorf("%q: got %q, then %q, want the same", sent, after, again)
		}
	})
}
