package run

import (
	"database/sql"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

type verifiedKey struct{}

// verified are the runs that the transaction has checked against their lease.
func verified(t *db.Tx) map[*Writer]error {
	return db.State(t, verifiedKey{}, func() map[*Writer]error { return map[*Writer]error{} })
}

// verify checks that the run still holds its connection's lease, once a
// transaction: the write lock keeps it true until the commit.
//
// Invariant 2: a run whose epoch is not the lease's writes nothing.
func verify(t *db.Tx, w *Writer) error {
	known := verified(t)
	if err, ok := known[w]; ok {
		return err
	}
	var epoch int64
	var runID string
	err := t.DB.QueryRowContext(t.Ctx, "SELECT epoch, run_id FROM leases WHERE connection_id = ?", w.To.ConnectionID).Scan(&epoch, &runID)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = fenced(w, "the connection was removed")
	case err != nil:
		return err
	case epoch != w.epoch || runID != w.runID:
		err = fenced(w, "a newer run took the connection over")
	}
	known[w] = err
	return err
}

func fenced(w *Writer, why string) error {
	return abi.NewError(abi.CodeFenced, "this run lost its lease: "+why,
		"nothing to do: what it had committed is kept, and the newer run goes on from there").
		WithDetail("run " + w.runID)
}

// Admit implements db.Owner.
func (q *queued) Admit(t *db.Tx) error {
	if err := q.w.failure(); err != nil && (!q.last || abi.CodeOf(err) == abi.CodeFenced) {
		return err
	}
	return verify(t, q.w)
}

// Resume has w write the run that row is of, which holds its connection's lease.
func (w *Writer) Resume(t *db.Tx, row *tables.RunRow) error {
	w.To.RunPK, w.epoch, w.bookmark = row.PK, row.Epoch, row.Bookmark
	if err := verify(t, w); err != nil {
		return err
	}
	return t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(seq), 0) FROM events WHERE run_pk = ?", row.PK).Scan(&w.events)
}
