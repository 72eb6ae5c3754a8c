package records

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/artifact"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// keep has the device of a connection deliver a blob, and a record refer to it in a field.
func (b *bed) keep(connection, key, name, mediaType, data string) (path string) {
	b.Helper()
	id := artifact.Put(b, b.store, b.feeds[connection], mediaType, data)
	b.put(connection, "notes", key, fmt.Sprintf(`{"id":%q,%q:%s}`, key, name, artifact.Ref(mediaType, data)))
	return "/v1/blobs/" + id
}

func sending(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func method(name string) func(*http.Request) { return func(r *http.Request) { r.Method = name } }

// RD-29, RD-29.2: a blob comes as a file that no browser shows or runs, with its length, its tag
// and a sandbox.
func TestBlobsAreFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for media, want := range map[string]string{
		"image/png": "image/png", "text/plain": "text/plain", "text/html": "application/octet-stream", "image/svg+xml": "application/octet-stream",
		"application/xhtml+xml": "application/octet-stream", "text/javascript": "application/octet-stream", "application/pdf": "application/octet-stream", "a/b": "application/octet-stream",
	} {
		data := "<script>alert(1)</script>" + media
		path := b.keep("one", "a", "title", media, data)
		for _, verb := range []string{http.MethodGet, http.MethodHead} {
			w := b.raw("client", path, method(verb))
			body := data
			if verb == http.MethodHead {
				body = ""
			}
			if w.Code != http.StatusOK || w.Body.String() != body {
				t.Errorf("%s of a %s: got %d %q, want %q", verb, media, w.Code, w.Body, body)
			}
			for name, want := range map[string]string{
				"Content-Type": want, "Content-Disposition": "attachment", "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
				"Etag": `"` + artifact.ID(data) + `"`, "Accept-Ranges": "bytes", "Content-Length": fmt.Sprint(len(data)), "Cache-Control": "private, no-store", "Cross-Origin-Resource-Policy": "same-origin",
			} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s of a %s: %s: got %q, want %q", verb, media, name, got, want)
				}
			}
		}
	}
	if w := b.raw("client", b.keep("one", "a", "title", "a/b", "")); w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "0" {
		t.Errorf("an empty blob: got %d %q, want nothing", w.Code, w.Body)
	}
}

// RD-29.2: one range comes as it is asked for, several come as the whole, and one that the blob
// has not is refused.
func TestRangesOfBlobs(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	data := strings.Repeat("0123456789abcdef", storage.BlobPartBytes/16+1)
	path := b.keep("one", "a", "title", "text/plain", data)
	size, part := len(data), storage.BlobPartBytes
	tag := `"` + artifact.ID(data) + `"`
	for asked, want := range map[string][2]int{ // from, to; -1: refused
		"":            {0, size},
		"bytes=0-0":   {0, 1},
		"bytes=5-9":   {5, 10},
		"bytes=5-":    {5, size},
		"bytes=-5":    {size - 5, size},
		"bytes=-0":    {-1},
		"bytes=9-5":   {-1},
		"bytes=-":     {-1},
		"bytes=":      {-1},
		"bytes=a-b":   {-1},
		"bytes=+1-2":  {-1},
		"bytes=1-2-3": {-1},
		"lines=1-2":   {0, size},
		"bytes=0-0,0-0," + strings.Repeat("0-,", 10000) + "1-2": {0, size},
		"bytes=0-99999999999999999999":                          {0, size},
		"bytes=-99999999999999999999":                           {0, size},
		"bytes=99999999999999999999-":                           {-1},
		fmt.Sprintf("bytes=%d-%d", part-1, part):                {part - 1, part + 1},
		fmt.Sprintf("bytes=%d-", part):                          {part, size},
		fmt.Sprintf("bytes=%d-", size):                          {-1},
		fmt.Sprintf("bytes=%d-%d", size-1, size+1):              {size - 1, size},
	} {
		w := b.raw("client", path, func(r *http.Request) {
			if asked != "" {
				r.Header.Set("Range", asked)
			}
		})
		if want[0] < 0 {
			if w.Code != http.StatusRequestedRangeNotSatisfiable || w.Header().Get("Content-Range") != fmt.Sprintf("bytes */%d", size) || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s: got %d %v, want it refused", asked, w.Code, w.Header())
			}
			continue
		}
		status, of := http.StatusOK, ""
		if want != [2]int{0, size} || strings.HasPrefix(asked, "bytes=") && !strings.Contains(asked, ",") {
			status, of = http.StatusPartialContent, fmt.Sprintf("bytes %d-%d/%d", want[0], want[1]-1, size)
		}
		if w.Code != status || w.Header().Get("Content-Range") != of || w.Body.String() != data[want[0]:want[1]] || w.Header().Get("Content-Length") != fmt.Sprint(want[1]-want[0]) {
			t.Errorf("%.40s: got %d %q and %d bytes, want %d %q", asked, w.Code, w.Header().Get("Content-Range"), w.Body.Len(), status, of)
		}
	}
	if w := b.raw("client", path, method(http.MethodHead), sending("Range", "bytes=0-0")); w.Code != http.StatusOK || w.Header().Get("Content-Range") != "" || w.Header().Get("Content-Length") != fmt.Sprint(size) {
		t.Errorf("HEAD with a range: got %d %v, want what the whole has", w.Code, w.Header())
	}
	for name, c := range map[string]struct {
		heads []func(*http.Request)
		want  int
	}{
		"of the tag":             {[]func(*http.Request){sending("Range", "bytes=0-0"), sending("If-Range", tag)}, http.StatusPartialContent},
		"of another":             {[]func(*http.Request){sending("Range", "bytes=0-0"), sending("If-Range", `"x"`)}, http.StatusOK},
		"two heads":              {[]func(*http.Request){sending("Range", "bytes=0-0"), func(r *http.Request) { r.Header.Add("Range", "bytes=1-1") }}, http.StatusOK},
		"a tag that is known":    {[]func(*http.Request){sending("If-None-Match", `"x", W/`+tag)}, http.StatusNotModified},
		"any tag":                {[]func(*http.Request){sending("If-None-Match", "*")}, http.StatusNotModified},
		"a tag that is not":      {[]func(*http.Request){sending("If-None-Match", `"x"`)}, http.StatusOK},
		"known, and a bad range": {[]func(*http.Request){sending("If-None-Match", tag), sending("Range", "bytes=9-5")}, http.StatusNotModified},
	} {
		if w := b.raw("client", path, c.heads...); w.Code != c.want || c.want == http.StatusNotModified && w.Body.Len() > 0 {
			t.Errorf("%s: got %d, want %d", name, w.Code, c.want)
		}
	}
}

// RD-29.1, RD-03.2: whatever is not to be read is refused in the same words: another connection's,
// that of a field that is not granted, of an erased record, one that is not there, and no id.
func TestBlobsOutsideTheScope(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	shown := b.keep("one", "a", "title", "text/plain", "shown")
	hidden := b.keep("one", "b", "secret", "text/plain", "hidden")
	other := b.keep("two", "a", "title", "text/plain", "other")
	erased := b.keep("one", "c", "title", "text/plain", "erased")
	b.put("one", "notes", "-c", "")
	b.put("one", "notes", "d", `{"id":"d","title":`+artifact.Ref("text/plain", "other")+`}`) // bytes that this connection has not
	loose := "/v1/blobs/" + artifact.Put(t, b.store, b.feeds["one"], "text/plain", "loose")
	words := map[string]bool{}
	for _, path := range []string{
		hidden, other, erased, loose, "/v1/blobs/" + strings.Repeat("0", 64), "/v1/blobs/" + strings.ToUpper(strings.TrimPrefix(shown, "/v1/blobs/")), "/v1/blobs/x", "/v1/blobs/..%2Fx", "/v1/blobs/%27--",
	} {
		for _, verb := range []string{http.MethodGet, http.MethodHead} {
			a := b.raw("client", path, method(verb), sending("Range", "bytes=0-0"), sending("If-None-Match", "*"))
			words[strings.ReplaceAll(a.Body.String(), a.Header().Get("Request-Id"), "")] = true
			if a.Code != http.StatusNotFound || a.Header().Get("ETag") != "" {
				t.Errorf("%s %s: got %d %s, want it not found", verb, path, a.Code, a.Body)
			}
		}
	}
	if len(words) != 1 || !strings.Contains(fmt.Sprint(words), `"code":"blob_not_found"`) {
		t.Errorf("got %v, want one refusal for all", words)
	}
	for path, want := range map[string]string{hidden: "hidden", other: "other", shown: "shown"} {
		if w := b.raw(b.owner, path); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("the owner, %s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
	for token, want := range map[string]string{"": "authentication_error", "none": "authentication_error", "revoked": "grant_revoked"} {
		if a := b.get(token, shown); a.Error.Code != want {
			t.Errorf("the token %q: got %s, want %s", token, a.body, want)
		}
	}
	for query, want := range map[string]string{
		"connection_id=" + b.ids["two"]: "connection_not_found", "connection_id=x": "connection_not_found", "x=1": "invalid_request", "expand=x": "invalid_request", "connector_id=demo": "invalid_request",
	} {
		if a := b.get("client", shown+"?"+query); a.Error.Code != want {
			t.Errorf("%s: got %s, want %s", query, a.body, want)
		}
	}
	if a := b.get("client", shown, method(http.MethodPost)); a.status != http.StatusMethodNotAllowed {
		t.Errorf("a POST: got %d, want %d", a.status, http.StatusMethodNotAllowed)
	}
}

// RD-09.2: a blob of several connections is ambiguous, among those of the scope.
func TestBlobOfSeveralConnections(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	path := b.keep("one", "a", "title", "text/plain", "same")
	b.keep("two", "a", "title", "text/plain", "same")
	a := b.get(b.owner, path)
	var ids []string
	for _, c := range a.Error.Available {
		ids = append(ids, c.ID)
	}
	if a.Error.Code != "ambiguous_connection" || a.Error.RetryWith != "connection_id" || !slices.Equal(ids, []string{b.ids["one"], b.ids["two"]}) {
		t.Errorf("got %s, want both connections", a.body)
	}
	for _, path := range []string{path + "?connection_id=" + b.ids["two"], path + "?connector_instance_id=" + b.ids["one"]} {
		if w := b.raw(b.owner, path); w.Body.String() != "same" {
			t.Errorf("%s: got %d %s, want it", path, w.Code, w.Body)
		}
	}
	if w := b.raw("client", path); w.Body.String() != "same" {
		t.Errorf("a client of one of them: got %d %s, want it", w.Code, w.Body)
	}
}

// RD-29: a reference says on the way out where its blob is read, whatever the record says of
// that, in lists, single records and changes, and for other faces.
func TestReferencesSayWhereTheyLead(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ref := artifact.Ref("text/plain", "x")
	evil := ref[:len(ref)-1] + `,"fetch_url":"https://evil.example/"}`
	b.put("one", "notes", "a", `{"id":"a","title":`+evil+`,"secret":`+ref+`}`)
	want := `{"id":"a","title":` + ref[:len(ref)-1] + `,"fetch_url":"/v1/blobs/` + artifact.ID("x") + `"}}`
	for _, path := range []string{"/v1/streams/notes/records", "/v1/streams/notes/records/a", "/v1/streams/notes/records?changes_since=beginning"} {
		if a := b.get("client", path); a.status != http.StatusOK || !strings.Contains(a.body, `"data":`+want) {
			t.Errorf("%s: got %s, want %s", path, a.body, want)
		}
	}
	client, err := b.server.Callers.Caller(t.Context(), "client")
	b.ok(err)
	if r := b.server.Ask(t.Context(), client, []string{"v1", "streams", "notes", "records", "a"}, nil); !strings.Contains(string(r.Body), want) {
		t.Errorf("another face: got %s, want %s", r.Body, want)
	}
	if r := b.server.Ask(t.Context(), client, []string{"v1", "blobs", artifact.ID("x")}, nil); r.Status != http.StatusNotFound {
		t.Errorf("another face, the blob: got %d, want %d", r.Status, http.StatusNotFound)
	}
}

// RD-56, RD-57: the bytes of a blob are told, and count against what a grant may read in an
// hour; what was not sent does neither.
func TestBytesOfBlobsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	path := b.keep("one", "a", "title", "text/plain", strings.Repeat("x", 3000))
	now := time.Unix(1, 0)
	b.server.Now = func() time.Time { return now }
	scope := &read.Scope{Streams: []read.StreamScope{{Name: "notes", Connections: []string{b.ids["one"]}, Fields: []string{"id", "title"}}}}
	b.server.Callers = grants{"bounded": &read.Caller{Client: "c", Grant: "g", Token: "t", Bytes: 3600, Scope: scope}}
	var told []string
	b.server.Disclose = func(d *read.Disclosure) {
		told = append(told, fmt.Sprintln(d.Route, d.Status, d.Bytes, d.Records, d.Code, strings.Contains(fmt.Sprintf("%+v", d), artifact.ID(strings.Repeat("x", 3000)))))
	}
	for _, c := range []struct {
		change func(*http.Request)
		want   int
	}{
		{method(http.MethodHead), http.StatusOK}, {sending("If-None-Match", "*"), http.StatusNotModified}, {sending("Range", "bytes=9999-"), http.StatusRequestedRangeNotSatisfiable},
		{sending("Range", "bytes=0-999"), http.StatusPartialContent}, {sending("X", ""), http.StatusOK}, {sending("X", ""), http.StatusTooManyRequests}, {method(http.MethodHead), http.StatusTooManyRequests},
	} {
		if w := b.raw("bounded", path, c.change); w.Code != c.want {
			t.Errorf("after %v: got %d %.100s, want %d", told, w.Code, w.Body, c.want)
		}
	}
	const route = "/v1/blobs/{blob_id} "
	want := []string{
		route + "200 0 map[notes:0]  false\n", route + "304 0 map[notes:0]  false\n", route + "416 0 map[] invalid_request false\n", route + "206 1000 map[notes:0]  false\n", route + "200 3000 map[notes:0]  false\n",
		route + "429 0 map[] rate_limit_exceeded false\n", route + "429 0 map[] rate_limit_exceeded false\n",
	}
	if !slices.Equal(told, want) {
		t.Errorf("got  %q\nwant %q", told, want)
	}
}

// watched takes an answer, forgets it, and looks now and then at how much memory is in use.
type watched struct {
	http.ResponseWriter

	n, writes int
	most      uint64
}

func (w *watched) Write(p []byte) (int, error) {
	if w.writes++; w.writes%16 == 0 {
		w.most = max(w.most, inUse())
	}
	w.n += len(p)
	return len(p), nil
}

// inUse is how many bytes of the heap are reached.
func inUse() uint64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}

// RD-29.3: a blob that is read takes under 8 MB of memory, whatever its size. It is read in
// a process of its own, since other tests take memory, too.
func TestBlobsTakeLittleMemory(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	const alone = "PDPP_TEST_BLOB_ALONE"
	if os.Getenv(alone) == "" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBlobsTakeLittleMemory$")
		again.Env = append(os.Environ(), alone+"=1")
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("got %v, want a success:\n%s", err, out)
		}
		return
	}
	b := newBed(t)
	const size = 64 << 20
	path := b.keep("one", "a", "title", "text/plain", strings.Repeat("x", size))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+path, nil)
	r.Header.Set("Authorization", "Bearer client")
	w, before := &watched{ResponseWriter: httptest.NewRecorder()}, inUse()
	b.server.ServeHTTP(w, r)
	if w.n != size || w.most == 0 {
		t.Errorf("got %d bytes in %d parts, want %d", w.n, w.writes, size)
	}
	if grown := int64(w.most) - int64(before); grown > 8_000_000 {
		t.Errorf("%d bytes more were in use, want less than 8 MB", grown)
	}
}

// A blob whose bytes go away while they are read is cut off, and not taken for the whole.
func TestBlobThatGoesAwayIsCutOff(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	path := b.keep("one", "a", "title", "text/plain", strings.Repeat("x", 2*storage.BlobPartBytes))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = at
		b.server.ServeHTTP(&cutting{ResponseWriter: w, cut: func() {
			if err := b.store.RemoveConnection(context.Background(), "one", nil); err != nil {
				t.Error(err)
			}
		}}, r)
	}))
	defer srv.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+path, nil)
	b.ok(err)
	r.Header.Set("Authorization", "Bearer client")
	answer, err := srv.Client().Do(r)
	b.ok(err)
	defer func() { _ = answer.Body.Close() }()
	if got, err := io.ReadAll(answer.Body); err == nil || answer.ContentLength != 2*storage.BlobPartBytes {
		t.Errorf("got %d of %d bytes and no error, want it cut off", len(got), answer.ContentLength)
	}
}
