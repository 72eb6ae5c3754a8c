package storage

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// shape is what a copy has to know of a table.
type shape struct {
	columns []string // by name
	key     []string // in its order
	numbers string   // the column whose numbers the table gives itself; "": none
}

const (
	fileShapes = `SELECT m.name AS of, p.name AS col, p.pk AS place, 0 AS numbers FROM sqlite_schema AS m, pragma_table_info(m.name) AS p
WHERE m.type = 'table' ORDER BY m.name, p.name`
	serverShapes = `SELECT c.relname AS of, a.attname AS col, coalesce(array_position(string_to_array(i.indkey::text, ' ')::int[], a.attnum::int), 0) AS place,
CASE WHEN a.attidentity = '' AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NULL THEN 0 ELSE 1 END AS numbers
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`
)

// shapesOf returns the tables of a store, and the names of its counters.
func shapesOf(t *testing.T, path, query string) (map[string]shape, []string) {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var rows []struct {
		Of, Col        string
		Place, Numbers int
	}
	if err := s.db.Read.NewRaw(query).Scan(t.Context(), &rows); err != nil {
		t.Fatal(err)
	}
	shapes := map[string]shape{}
	for _, r := range rows {
		is := shapes[r.Of]
		is.columns = append(is.columns, r.Col)
		if r.Place > 0 {
			is.key = append(is.key, make([]string, max(r.Place-len(is.key), 0))...)
			is.key[r.Place-1] = r.Col
		}
		if r.Numbers > 0 {
			is.numbers = r.Col
		}
		shapes[r.Of] = is
	}
	for name, is := range shapes {
		slices.Sort(is.columns) // bytewise: a server's names may be in another order
		shapes[name] = is
	}
	var counters []string
	if err := s.db.Read.NewRaw("SELECT name FROM counters ORDER BY name").Scan(t.Context(), &counters); err != nil {
		t.Fatal(err)
	}
	return shapes, counters
}

// A migration that adds a table, a column, a key or a counter to one of the databases is
// one that a copy knows: both have the same tables with the same columns, Copy has their
// keys, and it moves on all numbers that tables give themselves.
func TestCopyKnowsEachColumn(t *testing.T) {
	t.Parallel()
	file, fileCounters := shapesOf(t, filepath.Join(t.TempDir(), "pdpp.sqlite"), fileShapes)
	server, serverCounters := shapesOf(t, pgtest.Database(t, migrated), serverShapes)
	for _, got := range [][]string{fileCounters, serverCounters} {
		if want := []string{"change"}; !slices.Equal(got, want) {
			t.Errorf("got the counters %v, want %v: a copy takes no other along", got, want)
		}
	}
	for _, table := range copyTables {
		f, s := file[table.name], server[table.name]
		if !slices.Equal(s.columns, f.columns) {
			t.Errorf("%s: got the columns %v on PostgreSQL, want %v as in a file", table.name, s.columns, f.columns)
		}
		if !slices.Equal(table.key, f.key) || !slices.Equal(table.key, s.key) {
			t.Errorf("%s: got the key %v, want %v as in a file and %v as on PostgreSQL", table.name, table.key, f.key, s.key)
		}
	}
	for name, s := range server {
		if _, known := file[name]; !known {
			t.Errorf("got a table %s that PostgreSQL has alone, want it in a file, too", name)
		}
		if s.numbers != ownNumbers[name] {
			t.Errorf("%s: got %q in ownNumbers, want %q, the column whose numbers the table gives itself", name, ownNumbers[name], s.numbers)
		}
	}
}
