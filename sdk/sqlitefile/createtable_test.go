package sqlitefile

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseCreateTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sql, want string }{
		{"CREATE TABLE t (id INTEGER PRIMARY KEY, s)", "id* s"},
		{"CREATE TABLE t(id integer primary key asc autoincrement,s TEXT)", "id* s"},
		{"CREATE TABLE t (id INTEGER PRIMARY KEY DESC, s)", "id s"},
		{"CREATE TABLE t (id INT PRIMARY KEY, s)", "id s"},
		{"CREATE TABLE t (a, id INTEGER, PRIMARY KEY (id DESC))", "a id*"},
		{"CREATE TABLE t (a, id INTEGER, CONSTRAINT pk PRIMARY KEY (id))", "a id*"},
		{"CREATE TABLE t (a INTEGER, b, PRIMARY KEY (a, b))", "a b"},
		{"CREATE TABLE \"a(b\" ( [x y] TEXT, `q` DECIMAL(10, 2) NOT NULL, \"primary\" -- note, here\n, last /* c,d */ CHECK (last IN ('a,b)', 'c')))", "x y q primary last"},
		{"CREATE TABLE t (a, b AS (a + 1), c GENERATED ALWAYS AS (a * 2) STORED, d)", "a b- c d"},
		{"CREATE TABLE main.t (a REFERENCES o (x) ON DELETE SET NULL, b, FOREIGN KEY (b) REFERENCES o (y), UNIQUE (a, b)) STRICT", "a b"},
	} {
		columns, err := parseCreateTable(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var got []string
		for _, col := range columns {
			mark := ""
			if col.rowidAlias {
				mark = "*"
			}
			if col.stored < 0 {
				mark = "-"
			}
			got = append(got, col.Name+mark)
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, g, c.want)
		}
	}
	for _, sql := range []string{
		"", "CREATE TABLE t", "CREATE VIRTUAL TABLE t USING fts5(a)", "CREATE TABLE t (a) WITHOUT ROWID", "CREATE TABLE t (", "CREATE TABLE t ('a",
		"CREATE TABLE t AS SELECT 1",
	} {
		if _, err := parseCreateTable(sql); err == nil {
			t.Errorf("%q: no error", sql)
		}
	}
}

func TestGeneratedColumnsAgainstSQLite(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	o.exec("CREATE TABLE g (a, v AS (a + 1) VIRTUAL, s AS (a * 2) STORED, z TEXT)")
	o.exec("INSERT INTO g (a, z) VALUES (4, 'end')")
	if got := fmt.Sprint(rows(t, o.open(), "g")); got != "[[4 <nil> 8 end]]" {
		t.Fatalf("%v, want [[4 <nil> 8 end]]", got)
	}
}
