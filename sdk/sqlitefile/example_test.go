//go:build !wasip1

package sqlitefile_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/sdk/sqlitefile"
)

// The rows of a table, read from the file that another program writes. In a connector
// the file comes from a granted folder.
func ExampleOpen() {
	path, remove := chats()
	defer remove()

	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer func() { _ = f.Close() }()
	db, err := sqlitefile.Open(f, nil, sqlitefile.Limits{}) // nil: no write-ahead log beside it
	if err != nil {
		panic(err)
	}
	table, err := db.Table("chats")
	if err != nil {
		panic(err)
	}
	id, title := table.Column("id"), table.Column("title") // -1: this version of the program has no such column
	err = table.Each(func(row *sqlitefile.Row) error {
		fmt.Printf("%d %s\n", row.Value(id).Int(), row.Value(title).Bytes())
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 1 Groceries
	// 2 Summer
}

// chats makes a database with SQLite itself.
func chats() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "sqlitefile-example-")
	if err != nil {
		panic(err)
	}
	path = filepath.Join(dir, "chats.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		panic(err)
	}
	for _, statement := range []string{
		"CREATE TABLE chats (id INTEGER PRIMARY KEY, title TEXT)",
		"INSERT INTO chats (title) VALUES ('Groceries'), ('Summer')",
	} {
		if _, err := db.Exec(statement); err != nil {
			panic(err)
		}
	}
	if err := db.Close(); err != nil {
		panic(err)
	}
	return path, func() { _ = os.RemoveAll(dir) }
}
