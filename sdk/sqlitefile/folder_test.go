//go:build !wasip1

package sqlitefile_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sqlitefile"
)

// A database that another program writes is read with its log, and a commit meanwhile shows.
func TestLive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "chats.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	exec := func(statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	exec("PRAGMA journal_mode=WAL")
	exec("PRAGMA wal_autocheckpoint=0")
	exec("CREATE TABLE chats (id INTEGER PRIMARY KEY, title TEXT)")
	exec("INSERT INTO chats (title) VALUES ('Groceries')")
	live, err := sqlitefile.OpenLive(os.DirFS(dir), "chats.sqlite", sqlitefile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	table, err := live.Table("chats")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := table.Each(func(*sqlitefile.Row) error { n++; return nil }); err != nil || n != 1 || !live.Still() {
		t.Errorf("%d rows, %v, still %v, want the row of the log and no change", n, err, live.Still())
	}
	exec("INSERT INTO chats (title) VALUES ('Summer')")
	if live.Still() {
		t.Error("a commit went unnoticed, want it seen")
	}
	hot := "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and more"
	if err := os.WriteFile(filepath.Join(dir, "chats.sqlite-journal"), []byte(hot), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlitefile.OpenLive(os.DirFS(dir), "chats.sqlite", sqlitefile.Limits{}); err == nil {
		t.Error("a database in a transaction was opened, want it refused")
	}
	if _, err := sqlitefile.OpenLive(os.DirFS(dir), "none.sqlite", sqlitefile.Limits{}); err == nil {
		t.Error("a database that is not there was opened, want an error")
	}
}
