package sqlitefile

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Table is one rowid table. Columns are in the order of its CREATE TABLE.
type Table struct {
	Name    string
	Columns []Column
	db      *DB
	root    uint32
}

// schemaColumns are the columns of sqlite_schema (section 2.6).
var schemaColumns = []Column{
	{Name: "type", stored: 0}, {Name: "name", stored: 1}, {Name: "tbl_name", stored: 2},
	{Name: "rootpage", stored: 3}, {Name: "sql", stored: 4},
}

// Table looks name up in the schema, without regard to case.
func (db *DB) Table(name string) (*Table, error) {
	var found *Table
	var problem error
	row := &Row{columns: schemaColumns}
	w := db.newWalk()
	err := w.scan(0, 1, everywhere, row, func(r *Row) error {
		if found == nil && problem == nil && isTable(r) && strings.EqualFold(string(r.Value(1).Bytes()), name) {
			found, problem = db.define(r)
		}
		return nil
	})
	if err == nil && found == nil { // damage of the schema outranks the table's own problem
		err = w.damage
	}
	switch {
	case err != nil:
		return nil, err
	case problem != nil:
		return nil, problem
	case found == nil:
		return nil, &abi.Error{Code: CodeNoTable, Message: "the database has no table of that name", Detail: name}
	}
	return found, nil
}

func isTable(r *Row) bool { return string(r.Value(0).Bytes()) == "table" }

// Tables lists the tables, but those of SQLite itself, in the order of the schema: so that whoever reads
// some of them can name the others. Of a damaged schema it lists what can be read, with the error.
func (db *DB) Tables() ([]string, error) {
	var names []string
	w := db.newWalk()
	err := w.scan(0, 1, everywhere, &Row{columns: schemaColumns}, func(r *Row) error {
		if name := string(r.Value(1).Bytes()); isTable(r) && !strings.HasPrefix(name, "sqlite_") {
			names = append(names, name)
		}
		return nil
	})
	if err == nil {
		err = w.damage
	}
	return names, err
}

// define reads a table's row of the schema.
func (db *DB) define(r *Row) (*Table, error) {
	sql, root := r.Value(4), r.Value(3).Int()
	if sql.Kind == Oversized || len(sql.Bytes()) > db.limits.MaxSchemaSQL {
		return nil, tooLarge("CREATE TABLE text")
	}
	if root <= 0 || root > int64(db.pages) {
		return nil, unsupported("a table without pages")
	}
	columns, err := parseCreateTable(string(sql.Bytes()))
	if err != nil {
		return nil, err
	}
	return &Table{Name: string(r.Value(1).Bytes()), Columns: columns, db: db, root: uint32(root)}, nil
}

// Column returns the index of the column of that name, without regard to case,
// or -1: a version of the program that writes the file may not have it.
func (t *Table) Column(name string) int {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

// Each calls fn for every row in rowid order until it returns an error, which Each
// returns. The row is valid during the call only. A damaged page or row costs itself: Each goes on
// with the next one, and returns the first damage at the end. Without an error every page of the
// table was read.
func (t *Table) Each(fn func(*Row) error) error {
	row := &Row{columns: t.Columns}
	w := t.db.newWalk()
	if err := w.scan(0, t.root, everywhere, row, fn); err != nil {
		return err
	}
	return w.damage
}

// Reader fetches single rows of a table and reuses its buffers between them.
type Reader struct {
	t   *Table
	w   *walk
	row Row
}

// Reader returns a Reader of t.
func (t *Table) Reader() *Reader {
	return &Reader{t: t, w: t.db.newWalk(), row: Row{columns: t.Columns}}
}

// Row returns the row with that rowid, valid until the next call, or nil.
func (r *Reader) Row(rowid int64) (*Row, error) {
	r.w.renew()
	found, err := r.w.seek(r.t.root, rowid, &r.row)
	if err != nil || !found {
		return nil, err
	}
	return &r.row, nil
}
