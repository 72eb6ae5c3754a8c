package device

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	_ "modernc.org/sqlite" // the stores are read as a stranger would
)

// query returns the rows of a statement on a store, the columns of a row joined
// by a bar.
func query(t *testing.T, file, statement string, values ...any) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), statement, values...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		texts, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range texts {
			into[i] = &texts[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := ""
		for i, text := range texts {
			if i > 0 {
				row += "|"
			}
			row += text.String
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *host) file() string { return filepath.Join(s.data, "pdpp.sqlite") }

func (s *host) sql(statement string, values ...any) []string {
	s.t.Helper()
	return query(s.t, s.file(), statement, values...)
}

// folderTime is the time of a folder that is listed without its content: the one at which the record was written last, which
// depends on when the folder was first seen.
var folderTime = regexp.MustCompile(`("type":"directory","size_bytes":null,"mtime_epoch":)\d+`)

// recordsOf are a connection's live records: "stream key" to data.
func recordsOf(t *testing.T, file, connectionID string) map[string]string {
	t.Helper()
	all := map[string]string{}
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), `SELECT s.name, r.key, r.data FROM records r JOIN streams s ON s.id = r.stream_id
		WHERE r.deleted = 0 AND (? = '' OR s.connection_id = ?)`, connectionID, connectionID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var stream, key, data string
		if err := rows.Scan(&stream, &key, &data); err != nil {
			t.Fatal(err)
		}
		if _, twice := all[stream+" "+key]; twice {
			t.Errorf("%s %s is there twice", stream, key)
		}
		all[stream+" "+key] = folderTime.ReplaceAllString(data, "${1}0")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// found returns the records that a separate host collects from a folder with the same
// connector.
func found(t *testing.T, folder string) map[string]string {
	t.Helper()
	h := newHome(t)
	data := filepath.Join(h.dir, "data")
	h.prepare(data)
	h.says(0, h.b.host, "--data-dir", data, "run", "claude_code", "--root", "claude_code="+folder, "--no-input", "--accept", "--quiet")
	all := recordsOf(t, filepath.Join(data, "pdpp.sqlite"), "")
	if len(all) == 0 {
		t.Fatal("nothing is found there")
	}
	return all
}

// holds fails unless the host has exactly the wanted records of a connection.
func (s *host) holds(l *lane, want map[string]string) {
	s.t.Helper()
	got := recordsOf(s.t, s.file(), l.connectionID)
	lost, strange, differ := 0, 0, 0
	first := ""
	note := func(count *int, what, key string) {
		if *count++; first == "" {
			first = what + key
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if data, ok := got[key]; !ok {
			note(&lost, "lost: ", key)
		} else if data != want[key] {
			note(&differ, "differs: ", fmt.Sprintf("%s\n%.400s\n%.400s", key, data, want[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			note(&strange, "not expected: ", key)
		}
	}
	if first != "" {
		s.t.Errorf("%d records for %d: %d lost, %d not expected, %d differ; %s", len(got), len(want), lost, strange, differ, first)
	}
}

// intact checks a store's file.
func intact(t *testing.T, file string) {
	t.Helper()
	if got := query(t, file, "PRAGMA integrity_check"); len(got) != 1 || got[0] != "ok" {
		t.Errorf("integrity check of %s: %v, want len(got) = 1 and got[0] = ok", filepath.Base(file), got)
	}
	if got := query(t, file, "PRAGMA foreign_key_check"); len(got) != 0 {
		t.Errorf("foreign keys of %s: %v, want len(got) = 0", filepath.Base(file), got)
	}
}

// cursors are the checkpoints that the host has committed for a lane.
func (s *host) cursors(l *lane) []string {
	s.t.Helper()
	return s.sql("SELECT stream, cursor FROM states WHERE connection_id = ? ORDER BY stream", l.connectionID)
}

// onceEach fails unless every record came in as new exactly once, whatever was
// sent again.
func (s *host) onceEach(l *lane) {
	s.t.Helper()
	for _, row := range s.sql(`SELECT st.name, st.live + st.deleted, coalesce(sum(rs.added), 0) FROM streams st LEFT JOIN run_streams rs ON rs.stream_id = st.id
		WHERE st.connection_id = ? GROUP BY st.id HAVING st.live + st.deleted <> coalesce(sum(rs.added), 0)`, l.connectionID) {
		s.t.Errorf("stream, records, new ones of all runs: %s", row)
	}
}
