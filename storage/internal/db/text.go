package db

import (
	"strings"

	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// A text that holds a NUL character or is not UTF-8 is refused, as storage.text. bun would
// write the first so that no database reads the statement, and change the second; and
// PostgreSQL keeps neither.

type sqliteDialect struct{ *sqlitedialect.Dialect }

// refusedText stands in a statement in place of such a text: it is no column.
const refusedText = "refused_text"

func (d sqliteDialect) AppendString(b []byte, s string) []byte {
	if postgres.CheckText(s) != nil {
		return append(b, refusedText...)
	}
	return d.Dialect.AppendString(b, s)
}

// textRefused reports whether SQLite met what AppendString wrote.
func textRefused(err error) bool {
	return err != nil && strings.Contains(err.Error(), "no such column: "+refusedText)
}

type postgresDialect struct{ *pgdialect.Dialect }

func (d postgresDialect) AppendString(b []byte, s string) []byte {
	if postgres.CheckText(s) != nil {
		return append(b, 0) // which the connection refuses
	}
	return d.Dialect.AppendString(b, s)
}
