package sqlitefile

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// oracle is a database written by a real SQLite. Closing it last keeps the
// write-ahead log from being checkpointed.
type oracle struct {
	t    *testing.T
	path string
	db   *sql.DB
}

func newOracle(t *testing.T, pragmas ...string) *oracle {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.sqlite")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	o := &oracle{t, path, db}
	for _, p := range pragmas {
		o.exec("PRAGMA " + p)
	}
	return o
}

func (o *oracle) exec(stmt string, args ...any) {
	o.t.Helper()
	if _, err := o.db.Exec(stmt, args...); err != nil {
		o.t.Fatalf("%s: %v", stmt, err)
	}
}

// bytes returns the bytes that a reader without SQLite sees: the file and its log.
func (o *oracle) bytes() (file, log []byte) {
	o.t.Helper()
	file, err := os.ReadFile(o.path)
	if err != nil {
		o.t.Fatal(err)
	}
	log, err = os.ReadFile(o.path + "-wal")
	if err != nil && !os.IsNotExist(err) {
		o.t.Fatal(err)
	}
	return file, log
}

func (o *oracle) open() *DB {
	o.t.Helper()
	file, log := o.bytes()
	db, err := openBytes(file, log)
	if err != nil {
		o.t.Fatal(err)
	}
	return db
}

func openBytes(file, log []byte) (*DB, error) {
	var w io.ReadSeeker
	if log != nil {
		w = bytes.NewReader(log)
	}
	return Open(bytes.NewReader(file), w, Limits{})
}

// rows reads a whole table the way SQLite would hand it over.
func rows(t *testing.T, db *DB, name string) [][]any {
	t.Helper()
	table, err := db.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]any
	err = table.Each(func(r *Row) error {
		out = append(out, plain(r, len(table.Columns)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func plain(r *Row, n int) []any {
	one := make([]any, n)
	for i := range one {
		switch v := r.Value(i); v.Kind {
		case Int:
			one[i] = v.Int()
		case Float:
			one[i] = v.Float()
		case Text:
			one[i] = string(v.Bytes())
		case Blob:
			one[i] = append([]byte{}, v.Bytes()...)
		case Oversized:
			one[i] = "(oversized)"
		}
	}
	return one
}

// compare checks this package's answer against SQLite's.
func (o *oracle) compare(table string) {
	o.t.Helper()
	result, err := o.db.Query("SELECT * FROM " + table + " ORDER BY rowid") //nolint:unqueryvet // whichever columns there are
	if err != nil {
		o.t.Fatal(err)
	}
	defer result.Close()
	columns, _ := result.Columns()
	var want [][]any
	for result.Next() {
		one := make([]any, len(columns))
		to := make([]any, len(columns))
		for i := range one {
			to[i] = &one[i]
		}
		if err := result.Scan(to...); err != nil {
			o.t.Fatal(err)
		}
		want = append(want, one)
	}
	if err := result.Err(); err != nil {
		o.t.Fatal(err)
	}
	got := rows(o.t, o.open(), table)
	if len(got) != len(want) {
		o.t.Fatalf("%d rows, SQLite has %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(normal(got[i]), normal(want[i])) {
			o.t.Fatalf("row %d:\n got %.300s\nwant %.300s", i, fmt.Sprint(got[i]), fmt.Sprint(want[i]))
		}
	}
}

// normal makes an empty blob and whole floats compare alike: a REAL column
// stores 2.0 as the integer 2.
func normal(row []any) []any {
	out := make([]any, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case []byte:
			out[i] = "blob:" + string(v)
		case float64:
			if v == float64(int64(v)) {
				out[i] = int64(v)
				continue
			}
			out[i] = v
		default:
			out[i] = v
		}
	}
	return out
}
