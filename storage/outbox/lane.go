package outbox

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

const (
	defaultBatchRecords = 1000
	defaultBatchBytes   = 1 << 20
)

// outboxStep is the migration that made lanes. A file before it holds none.
const outboxStep = 8

// lane is the Lane of a file.
type lane struct {
	Lane

	path string
}

// withDefaults returns the lane of the file at path, with its defaults.
func (l Lane) withDefaults(path string) (*lane, error) {
	if l.SourceInstanceID == "" || l.ConnectorID == "" {
		return nil, abi.NewError(CodeLaneMismatch, "a collector's file needs a source instance and a connector",
			"enroll the device, or name the profile to use")
	}
	out := &lane{l, path}
	out.MaxBatchRecords = cmp.Or(max(l.MaxBatchRecords, 0), defaultBatchRecords)
	out.MaxBatchBytes = cmp.Or(max(l.MaxBatchBytes, 0), defaultBatchBytes)
	return out, nil
}

// laneOf returns the lane whose outbox the file is, nil for a file without one.
func laneOf(ctx context.Context, q bun.IDB) (*laneRow, error) {
	row := &laneRow{ID: 1}
	err := q.NewSelect().Model(row).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

// Accept returns what refuses a file that may not be opened as the lane's, or with nil as
// a host's own store, as db.Options.Accept.
func Accept(l *Lane, path string) func(ctx context.Context, q bun.IDB, applied int) error {
	return func(ctx context.Context, q bun.IDB, applied int) error {
		if db.OnServer(path) {
			return nil // no lane is there
		}
		var row *laneRow
		var err error
		if applied >= outboxStep {
			if row, err = laneOf(ctx, q); err != nil {
				return err
			}
		}
		if row != nil || l == nil {
			return sameLane(l, row, path)
		}
		used := false
		if applied > 0 {
			used, err = q.NewSelect().Model((*tables.ConnectionRow)(nil)).Exists(ctx)
		}
		if used {
			return mismatch(path, "the file is a host's own store", "name another file with --queue")
		}
		return err
	}
}

// Accept is the function Accept for the queue's own lane.
func (s *Store) Accept(ctx context.Context, q bun.IDB, applied int) error {
	return Accept(&s.Lane, s.path)(ctx, q, applied)
}

func sameLane(l *Lane, row *laneRow, path string) error {
	switch {
	case l == nil && row == nil:
		return nil
	case l == nil:
		return mismatch(path, "the file is a collector's outbox", "name another data folder, or use pdpp-local-collector")
	case row == nil:
		return noOutbox(path)
	case row.SourceInstanceID != l.SourceInstanceID || row.ConnectorID != l.ConnectorID:
		return mismatch(path, "the file is the outbox of another source instance",
			"use the profile that the file belongs to, or name another file with --queue")
	}
	return nil
}

func noOutbox(path string) error {
	return mismatch(path, "the file is no collector's outbox", "name another file with --queue")
}

func mismatch(path, what, hint string) error {
	return abi.NewError(CodeLaneMismatch, what, hint).WithDetail(path)
}

// Take puts the queue over its open file, and makes a new file the lane's. Re-check under
// the write lock what Accept checked without it.
func (s *Store) Take(ctx context.Context, d *db.DB) error {
	s.db, s.path = d, d.Path
	return d.Alone(ctx, "open the outbox", func(t *db.Tx) error {
		row, err := laneOf(t.Ctx, t.DB)
		if err != nil || row != nil {
			return errors.Join(err, sameLane(&s.Lane, row, s.path))
		}
		if err := s.Accept(t.Ctx, t.DB, outboxStep); err != nil {
			return err
		}
		row = &laneRow{ID: 1, SourceInstanceID: s.SourceInstanceID, ConnectorID: s.ConnectorID}
		_, err = t.DB.NewInsert().Model(row).Exec(t.Ctx)
		return err
	})
}

// ConfirmState replaces what is known of the destination's cursors by what it
// has just said that they are. A run begins from them (LC-04), but for those that were
// collected when the destination wanted another part of the source: what such a cursor
// has passed by was never delivered.
func (s *Store) ConfirmState(ctx context.Context, state map[string][]byte, updatedAt time.Time) error {
	return s.db.Alone(ctx, "confirm the state", func(t *db.Tx) error {
		known, err := confirmedRows(t.Ctx, t.DB)
		if err != nil {
			return err
		}
		before := ""
		if known[device.ScopeKey] != nil {
			if before, err = boundary(t); err != nil {
				return err
			}
		}
		if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM confirmed_states"); err != nil {
			return err
		}
		us := int64(0)
		if !updatedAt.IsZero() {
			us = db.Micros(updatedAt)
		}
		for stream, cursor := range state {
			boundary := before
			if old := known[stream]; old != nil && old.Boundary != "" && db.SameJSON([]byte(old.Cursor), cursor) {
				boundary = old.Boundary
			}
			if err := confirm(t, stream, cursor, "", boundary, us); err != nil {
				return err
			}
		}
		_, err = t.DB.ExecContext(t.Ctx, "UPDATE lanes SET state_us = ? WHERE id = 1", db.Micros(t.Now))
		return err
	})
}

// confirm keeps one cursor that the destination has accepted.
func confirm(t *db.Tx, stream string, cursor []byte, runID, boundary string, us int64) error {
	row := confirmedStateRow{Stream: stream, Cursor: tables.JSONText(cursor), RunID: runID, Boundary: boundary, AtUS: us}
	_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (stream) DO UPDATE").
		Set("cursor = EXCLUDED.cursor, run_id = EXCLUDED.run_id, at_us = EXCLUDED.at_us, boundary = EXCLUDED.boundary").Exec(t.Ctx)
	return err
}

// ConfirmedState returns the cursors that the destination has confirmed, by
// stream, and when it was last heard of them; zero for never.
func (s *Store) ConfirmedState(ctx context.Context) (map[string][]byte, time.Time, error) {
	rows, err := confirmedRows(ctx, s.db.Read)
	if err != nil {
		return nil, time.Time{}, s.db.Fail("read the state", err)
	}
	out := map[string][]byte{}
	for stream, r := range rows {
		out[stream] = []byte(r.Cursor)
	}
	row, err := laneOf(ctx, s.db.Read)
	if err != nil || row == nil {
		return nil, time.Time{}, s.db.Fail("read the state", err)
	}
	return out, db.Time(row.StateUS), nil
}

func confirmedRows(ctx context.Context, q bun.IDB) (map[string]*confirmedStateRow, error) {
	var rows []confirmedStateRow
	if err := q.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, err
	}
	known := map[string]*confirmedStateRow{}
	for i := range rows {
		known[rows[i].Stream] = &rows[i]
	}
	return known, nil
}
