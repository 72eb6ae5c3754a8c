package chain

import (
	"database/sql"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the store is read as a stranger would
)

// sql runs a statement on the owner's store, behind the program's back, and
// returns the first column of its rows.
func (o *owner) sql(statement string, values ...any) []string {
	o.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(o.data, "pdpp.sqlite")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(o.t.Context(), statement, values...)
	if err != nil {
		o.t.Fatalf("%s: %v", statement, err)
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var text sql.NullString
		if err := rows.Scan(&text); err != nil {
			o.t.Fatal(err)
		}
		out = append(out, text.String)
	}
	if err := rows.Err(); err != nil {
		o.t.Fatal(err)
	}
	return out
}

// cursor is a committed cursor.
func (o *owner) cursor(stream string) string {
	o.t.Helper()
	for _, text := range o.sql("SELECT cursor FROM states WHERE stream = ?", stream) {
		return text
	}
	o.t.Fatalf("%s has no cursor", stream)
	return ""
}

// dayPasses ages the cursors of connectors that look for deletions once a day only: no
// test can turn the program's clock.
func (o *owner) dayPasses() {
	o.t.Helper()
	o.sql(`UPDATE states SET cursor = json_replace(cursor, '$.inventory_ms', json_extract(cursor, '$.inventory_ms') - 90000000)
		WHERE json_extract(cursor, '$.inventory_ms') > 0`)
}

// intact checks the file, and that every run has ended.
func (o *owner) intact() {
	o.t.Helper()
	if got := o.sql("PRAGMA integrity_check"); len(got) != 1 || got[0] != "ok" {
		o.t.Errorf("integrity check: %v, want len(got) = 1 and got[0] = ok", got)
	}
	if got := o.sql("SELECT run_id FROM runs WHERE status = 'running'"); len(got) > 0 {
		o.t.Errorf("runs %v are still running, want len(got) = 0", got)
	}
}

func TestSQLSeesTheStore(t *testing.T) {
	t.Parallel()
	provider, variables, _, _ := notionChanges(t)
	o := newOwner(t, provider, variables)
	o.runs(0, "notion")
	o.intact()
	if got := o.sql("SELECT key FROM records"); len(got) != 4 {
		t.Errorf("%v, want len(got) = 4", got)
	}
}
