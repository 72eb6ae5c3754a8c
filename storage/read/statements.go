package read

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// statements are those of one transaction, each prepared once.
type statements struct {
	t    *db.Tx
	sql  map[string]*sql.Stmt
	rows map[*insert][]any // that wait to be added
}

func (s *statements) exec(query string, values ...any) error {
	if s.t.Server() != nil {
		_, err := s.t.DB.ExecContext(s.t.Ctx, query, values...)
		return err
	}
	st, err := s.prepare(query) //nolint:sqlclosecheck // close closes it
	if err == nil {
		_, err = st.ExecContext(s.t.Ctx, values...)
	}
	return err
}

// insert adds rows to a table of a file, several by one statement: to run one takes about as long
// as to add a row.
type insert struct {
	one, several string
	columns      int
}

// atOnce is how many rows one statement adds.
const atOnce = 16

func inserting(into string, columns int, end string) insert {
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", columns), ", ") + ")"
	into = "INSERT INTO " + into + " VALUES "
	return insert{into + row + end, into + strings.Repeat(row+", ", atOnce-1) + row + end, columns}
}

// lookAtOnce asks for what is known of as many records of a stream.
var lookAtOnce = "SELECT key, seq, sort, day, docs, blobs, links, " + historyColumns + " FROM read_rows WHERE stream_id = ? AND key IN (?" + strings.Repeat(", ?", atOnce-1) + ")"

var (
	addedRows    = inserting("read_rows (stream_id, key, seq, sort, day, docs, blobs, links, emitted, "+historyColumns+")", 14, "")
	addedOrder   = inserting("read_order (stream_id, sort, key)", 3, "")
	addedChanges = inserting("read_changes (stream_id, seq, key)", 3, " ON CONFLICT (stream_id, seq) DO UPDATE SET key = excluded.key")
)

// put adds a row, at the latest when it is flushed.
func (s *statements) put(to *insert, row ...any) error {
	if s.rows == nil {
		s.rows = map[*insert][]any{}
	}
	rows := append(s.rows[to], row...)
	s.rows[to] = rows
	if len(rows) < atOnce*to.columns {
		return nil
	}
	s.rows[to] = rows[:0]
	return s.exec(to.several, rows...)
}

// flush adds the rows that wait.
func (s *statements) flush(to *insert) error {
	rows := s.rows[to]
	for at := 0; at < len(rows); at += to.columns {
		if err := s.exec(to.one, rows[at:at+to.columns]...); err != nil {
			return err
		}
	}
	delete(s.rows, to)
	return nil
}

// prepare returns a statement that is prepared once a transaction.
func (s *statements) prepare(query string) (*sql.Stmt, error) {
	if st := s.sql[query]; st != nil {
		return st, nil
	}
	conn, ok := s.t.DB.(bun.Conn)
	if !ok {
		return nil, errors.New("a transaction of a file has no connection") // a fault of this build
	}
	st, err := conn.PrepareContext(s.t.Ctx, query)
	if err == nil {
		if s.sql == nil {
			s.sql = map[string]*sql.Stmt{}
		}
		s.sql[query] = st
	}
	return st, err
}

func (s *statements) close() (err error) {
	for _, st := range s.sql {
		err = errors.Join(err, st.Close())
	}
	return err
}

// numbers returns the column that a query of a file selects.
func (s *statements) numbers(query string, values ...any) (all []int64, err error) {
	st, err := s.prepare(query) //nolint:sqlclosecheck // close closes it
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(s.t.Ctx, values...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}
