package console_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// RD-25, RD-25.1: the page of a record deletes it behind a confirmation, says who did, and lets runs
// bring it again; the page of a run says how many it dropped.
func TestARecordIsDeletedOnItsPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	key := "a/b ?&\n\u202e" // as a field of a form it would come back with another end of its line
	b.stored("mail", map[string][]byte{key: []byte(`{"id":"x"}`), "kept": []byte(`{"id":"kept"}`)})
	const at = "/data/mail/letters/record"
	query := "?key=" + url.QueryEscape(key)
	page := at + query
	says := func(path, want, not string) {
		t.Helper()
		if a := b.get(path); a.status != http.StatusOK || !strings.Contains(a.body, want) || strings.Contains(a.body, not) {
			t.Errorf("%s: got %d, want %d with %q and without %q: %s", path, a.status, http.StatusOK, want, not, a.body)
		}
	}
	says(page, "Delete it for good", "Let runs bring it again")
	if a := b.done(at+"/delete"+query, nil, at); !strings.Contains(a.to, "done=record_deleted") {
		t.Errorf("got sent to %s, want the notice of a deletion", a.to)
	} else {
		says(a.to, "No run brings it back unless you let it", "Delete it for good")
	}
	says(page, "You deleted this record", "brings it again")
	says(page, "Let runs bring it again", "Delete it for good")
	if a := b.ask(http.MethodPost, at+"/delete"+query, nil, nil); a.status != http.StatusNotFound {
		t.Errorf("again: got %d, want %d", a.status, http.StatusNotFound)
	}
	conn, err := b.Store.Connection(t.Context(), "mail")
	if err != nil {
		t.Fatal(err)
	}
	w, err := b.Store.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_again", ConnectionID: conn.ID, Connector: "post", Version: "1", ModuleSHA256: "m", Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "holder", Streams: []string{"letters"}, LeaseTTL: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	batch := w.NewBatch()
	batch.Add(0, []byte(key), []byte(`{"id":"x"}`), []byte("2026-01-02T03:04:05Z"), false)
	if err := errors.Join(w.Write(t.Context(), batch), w.Finish(t.Context(), storage.Outcome{Status: "succeeded"})); err != nil {
		t.Fatal(err)
	}
	says("/runs/run_again", "1 deleted by you", "1 new")
	b.done(at+"/restore"+query, nil, at)
	says(page, "finds it at its source brings it again", "Let runs bring it again")
	if got, want := strings.Join(b.events(), ", "), "records.restore done, records.delete record.unknown, records.delete done"; got != want {
		t.Errorf("got the events %s, want %s", got, want)
	}
}
