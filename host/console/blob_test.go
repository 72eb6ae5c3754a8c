package console_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/artifact"
)

// RD-29, OC-08: the page of a record offers what its references lead to, as a file that no browser
// shows or runs, and nothing that no record of the connection refers to.
func TestBlobIsAFile(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const html = "<script>alert(1)</script>"
	data := html + strings.Repeat("x", 600<<10)
	artifact.Put(t, b.Store, artifact.Source(t, b.Store, "mail", "post"), "text/html", data)
	key, record := letter("k", 1, map[string]any{"more": json.RawMessage(artifact.Ref("text/html", data)), "last": json.RawMessage(artifact.Ref("text/plain", "nowhere"))})
	b.stored("mail", map[string][]byte{key: record})
	page := b.get("/data/mail/letters/record?key=k").body
	link := follow(page, "/record/blob?id="+artifact.ID(data))
	if link == "" || strings.Count(page, "/record/blob?id=") != 2 {
		t.Fatalf("got %s, want a link for each reference", page)
	}
	raw := func(cookie string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+link, nil)
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		b.pages.ServeHTTP(w, r)
		return w
	}
	file := raw(b.cookie)
	if file.Code != http.StatusOK || file.Body.String() != data {
		t.Errorf("got %d and %d bytes, want the %d of the file", file.Code, file.Body.Len(), len(data))
	}
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=" + artifact.ID(data), "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'", "Content-Length": fmt.Sprint(len(data)),
	} {
		if got := file.Header().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{
		"/data/mail/letters/record/blob?id=" + artifact.ID("nowhere"), "/data/mail/letters/record/blob?id=..%2Fx", "/data/mail/letters/record/blob", "/data/mail/none/record/blob?id=" + artifact.ID(data), strings.Replace(link, "/mail/", "/nobody/", 1),
	} {
		if a := b.ask(http.MethodGet, path, nil, nil); a.status != http.StatusNotFound {
			t.Errorf("%s: got %d, want %d", path, a.status, http.StatusNotFound)
		}
	}
	db, err := sql.Open("sqlite", b.Store.Path())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "PRAGMA busy_timeout = 60000; DELETE FROM device_blob_parts")
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if lost := raw(b.cookie); lost.Code == http.StatusOK || !strings.HasPrefix(lost.Header().Get("Content-Type"), "text/html") || lost.Header().Get("Content-Length") != "" || lost.Header().Get("Content-Disposition") != "" {
		t.Errorf("the bytes have gone: got %d %v, want a page that says so", lost.Code, lost.Header())
	}
	if w := raw("x=y"); w.Code == http.StatusOK || strings.Contains(w.Body.String(), html) {
		t.Errorf("without a session: got %d %.100s, want nothing of the file", w.Code, w.Body)
	}
}
