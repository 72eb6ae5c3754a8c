//go:build linux

package crash

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // read the store as a stranger would
)

// file is a store in its data folder.
type file struct{ t *testing.T }

func (file) fresh(string)       {}
func (file) env() []string      { return nil }
func (file) victims() []string  { return []string{"host", "worker"} }
func (file) strike(string) bool { return false }
func (file) integrity() string  { return "PRAGMA integrity_check" }

// query runs over a new, read-only connection.
func (h file) query(data, query string) string {
	h.t.Helper()
	path := filepath.Join(data, "pdpp.sqlite")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	// Of what was killed, the host that begins may be recovering the log.
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(30000)")
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.Query(query)
	if err != nil {
		if strings.Contains(err.Error(), "no such table") {
			return "" // killed before the first migration was durable
		}
		h.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		h.t.Fatal(err)
	}
	var out strings.Builder
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			h.t.Fatal(err)
		}
		for i, v := range values {
			if i > 0 {
				out.WriteByte(0x1f)
			}
			out.WriteString(v.String)
		}
		out.WriteByte(0x1e)
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return out.String()
}
