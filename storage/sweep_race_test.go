package storage

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/connection"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// A sweep that read its list of removed streams before another process had
// finished the removal must not delete a new stream that got the same id.
func TestSweepLeavesALiveStream(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.sqlite")
	s, err := Open(context.Background(), Options{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	begin := func(name, run string) *RunWriter {
		c, err := s.EnsureConnection(ctx, name, "x")
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.BeginRun(ctx, NewRun{RunID: run, ConnectionID: c.ID, Connector: "x", Version: "1", ModuleSHA256: "a", Mode: "incremental", Bookmark: "incremental", Holder: "h", Streams: []string{"notes"}, LeaseTTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	put := func(w *RunWriter) {
		b := w.NewBatch()
		b.Add(0, []byte("k"), []byte(`{}`), []byte("t"), false)
		if err := w.Write(ctx, b); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	w := begin("old", "r1")
	put(w)
	if err := w.Finish(ctx, Outcome{Status: "succeeded"}); err != nil {
		t.Fatal(err)
	}
	var id int64
	if err := s.db.Read.QueryRowContext(ctx, "SELECT id FROM streams").Scan(&id); err != nil {
		t.Fatal(err)
	}
	// The removal's first step, as a process that dies or is slow leaves it.
	if err := s.db.Alone(ctx, "x", func(tx *db.Tx) error { return connection.RemoveConnection(tx, "old", nil) }); err != nil {
		t.Fatal(err)
	}
	// Another process holds the write lock: it finishes the removal and starts a new run.
	other, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)") // the log may be being emptied
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn, err := other.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	swept := make(chan error, 1)
	go func() { swept <- s.SweepRemoved(ctx) }() // e.g. any command's Open
	time.Sleep(300 * time.Millisecond)
	for _, q := range []string{
		"DELETE FROM records", "DELETE FROM streams",
		"INSERT INTO connections (id, name, connector, options, roots, pinned_sha256, pinned_manifest, created_us) VALUES ('new','new','x','{}','{}','','',0)",
		"INSERT INTO streams (connection_id,name,removed,live,deleted,last_seq) VALUES ('new','notes',0,1,0,2)",
		"INSERT INTO records SELECT 2, id, 'precious', '{}', 0, 't', 9 FROM streams",
		"UPDATE counters SET value = 2", "COMMIT",
	} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			t.Fatal(q, err)
		}
	}
	if err := <-swept; err != nil {
		t.Fatal(err)
	}
	var streams, records int
	_ = s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM streams").Scan(&streams)
	_ = s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM records").Scan(&records)
	if streams != 1 || records != 1 {
		t.Fatalf("behind the sweep: got %d streams and %d records, want 1 and 1", streams, records)
	}
}

// A revived record must not be lost when the tombstone counter is off.
func TestReviveWithAWrongCounter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.sqlite")
	s, err := Open(context.Background(), Options{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	c, _ := s.EnsureConnection(ctx, "c", "x")
	w, err := s.BeginRun(ctx, NewRun{RunID: "r", ConnectionID: c.ID, Connector: "x", Version: "1", ModuleSHA256: "a", Mode: "incremental", Bookmark: "incremental", Holder: "h", Streams: []string{"notes"}, LeaseTTL: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	add := func(del bool) {
		b := w.NewBatch()
		b.Add(0, []byte("k"), []byte(`{}`), []byte("t"), del)
		_ = w.Write(ctx, b)
		if err := w.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	add(false)
	add(true)
	if err := s.db.Alone(ctx, "x", func(tx *db.Tx) error { _, err := tx.DB.ExecContext(ctx, "UPDATE streams SET deleted = 0"); return err }); err != nil {
		t.Fatal(err)
	}
	add(false)
	var live int
	_ = s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM records WHERE deleted = 0").Scan(&live)
	if live != 1 {
		t.Fatalf("got %d live records of counts %+v, want 1", live, w.Counts())
	}
}
