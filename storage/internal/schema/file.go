package schema

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"sync"

	"github.com/uptrace/bun"
)

// fileSchema lists each object that a step leaves in a file, one in a line: its type, its name, and the
// SHA-256 of its statement, behind "now" if the last step leaves it there, else behind "once".
//
//go:embed file.txt
var fileSchema string

// File returns the objects of a file. An unfinished copy has its mark, and an owner's own tools may have
// left the statistics of ANALYZE, and the two tables by which Litestream follows a file.
var File = sync.OnceValue(func() Objects {
	return read(fileSchema, objectOf("table", UnfinishedCopy, "CREATE TABLE "+UnfinishedCopy+" (at_us bigint NOT NULL)"),
		objectOf("table", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
		objectOf("table", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
		objectOf("table", "_litestream_seq", "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)"),
		objectOf("table", "_litestream_lock", "CREATE TABLE _litestream_lock (id INTEGER)"))
})

func objectOf(kind, name, statement string) string {
	sum := sha256.Sum256([]byte(statement))
	return kind + " " + name + " " + hex.EncodeToString(sum[:])
}

// InFile reads the schema of a file, which asks nothing of its tables: at most one object more than
// there can be.
func InFile(ctx context.Context, conn bun.IDB) ([]string, error) {
	var rows []struct{ Kind, Name, Statement string }
	err := conn.NewRaw(`SELECT CAST(coalesce(type, '') AS TEXT) AS kind, CAST(coalesce(name, '') AS TEXT) AS name, CAST(coalesce(sql, '') AS TEXT) AS statement
FROM sqlite_schema WHERE sql IS NOT NULL OR type <> 'index' LIMIT ?`, len(File())+1).Scan(ctx, &rows) // an index without a statement is a table's own
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = objectOf(r.Kind, r.Name, r.Statement)
	}
	return list, err
}
