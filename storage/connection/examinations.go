package connection

import (
	"cmp"
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Examination is the next look that a scheduler takes at a connection. Every change of the
// connection's evidence makes it due at once.
type Examination struct {
	Connection tables.Connection
	Revision   int64     // of the connection's evidence
	At         time.Time // when it is due
}

// Before reports whether x comes before y in the order of Examinations.
func (x *Examination) Before(y *Examination) bool {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Connection.ID, y.Connection.ID)) < 0
}

type examinationRow struct {
	tables.ConnectionRow `bun:",extend"`

	Revision  int64 `bun:"revision"`
	ExamineUS int64 `bun:"examine_us"`
}

// Examinations returns at most limit of the examinations that are due at now, the longest
// due first: those behind after, nil for the first ones.
func (s *Store) Examinations(ctx context.Context, now time.Time, after *Examination, limit int) ([]Examination, error) {
	var rows []examinationRow
	q := s.db.Read.NewSelect().TableExpr("evidence AS e").Join("JOIN connections AS c ON c.id = e.connection_id").
		ColumnExpr("c.id, c.name, c.connector, c.options, c.roots, c.pinned_sha256, c.pinned_manifest, c.read_roots, c.accepted, c.created_us").
		ColumnExpr("e.revision, e.examine_us").Where("e.examine_us <= ?", db.Micros(now)).
		OrderExpr("e.examine_us, e.connection_id").Limit(int64(limit))
	if after != nil {
		us := int64(0)
		if !after.At.IsZero() {
			us = db.Micros(after.At)
		}
		q = q.Where("(e.examine_us, e.connection_id) > (?, ?)", us, after.Connection.ID)
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, s.db.Fail("read what is to be examined", err)
	}
	out := make([]Examination, len(rows))
	for i := range rows {
		out[i] = Examination{Connection: *rows[i].Public(), Revision: rows[i].Revision, At: db.Time(rows[i].ExamineUS)}
	}
	return out, nil
}

// NextExamination returns when the first examination after a moment is due; zero: none is.
func (s *Store) NextExamination(ctx context.Context, after time.Time) (time.Time, error) {
	var us int64
	err := s.db.Read.QueryRowContext(ctx, "SELECT coalesce(min(examine_us), 0) FROM evidence WHERE examine_us > ?", db.Micros(after)).Scan(&us)
	return db.Time(us), s.db.Fail("read what is to be examined", err)
}

// PutOffExaminations puts examinations off until At each. A connection that has changed
// since Revision stays due.
func (s *Store) PutOffExaminations(ctx context.Context, list []Examination) error {
	if len(list) == 0 {
		return nil
	}
	return s.db.Alone(ctx, "put examinations off", func(t *db.Tx) error {
		for i := range list {
			_, err := t.DB.ExecContext(t.Ctx, "UPDATE evidence SET examine_us = ? WHERE connection_id = ? AND revision = ?",
				db.Micros(list[i].At), list[i].Connection.ID, list[i].Revision)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// examineAgainRows bounds the rows of one transaction, which other writers wait for.
const examineAgainRows = 2000

// ExamineAgain makes the examinations due at now that were put off until a moment after
// until.
func (s *Store) ExamineAgain(ctx context.Context, now, until time.Time) error {
	for n := int64(examineAgainRows); n == examineAgainRows; {
		// Read without the write lock first: most of the time there is none.
		some, err := s.db.Read.NewSelect().Model((*evidence.Row)(nil)).Where("examine_us > ?", db.Micros(until)).Exists(ctx)
		if err != nil || !some {
			return s.db.Fail("read what is to be examined", err)
		}
		err = s.db.Alone(ctx, "examine again", func(t *db.Tx) error {
			res, err := t.DB.ExecContext(t.Ctx, `UPDATE evidence SET examine_us = ? WHERE connection_id IN
(SELECT connection_id FROM evidence WHERE examine_us > ? LIMIT ?)`, db.Micros(now), db.Micros(until), examineAgainRows)
			if err != nil {
				return err
			}
			n, err = res.RowsAffected()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
