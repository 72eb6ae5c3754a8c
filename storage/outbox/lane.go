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

// Settled returns the lane with its defaults, nil for none.
func (l *Lane) Settled() (*Lane, error) {
	if l == nil {
		return nil, nil
	}
	if l.SourceInstanceID == "" || l.ConnectorID == "" {
		return nil, abi.NewError(CodeLaneMismatch, "a collector's file needs a source instance and a connector",
			"enroll the device, or name the profile to use")
	}
	out := *l
	out.MaxBatchRecords = cmp.Or(max(out.MaxBatchRecords, 0), defaultBatchRecords)
	out.MaxBatchBytes = cmp.Or(max(out.MaxBatchBytes, 0), defaultBatchBytes)
	return &out, nil
}

// laneOf reads whose outbox the file is; nil when it is none.
func laneOf(ctx context.Context, q bun.IDB) (*laneRow, error) {
	row := &laneRow{ID: 1}
	err := q.NewSelect().Model(row).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

// Accept says whether the file may be opened as what it is opened for. applied
// is how many migrations it has run.
func (s *Store) Accept(ctx context.Context, q bun.IDB, applied int) error {
	if db.OnServer(s.path) {
		return nil // no lane is there
	}
	var row *laneRow
	var err error
	if applied >= outboxStep {
		if row, err = laneOf(ctx, q); err != nil {
			return err
		}
	}
	if row != nil || s.lane == nil {
		return s.sameLane(row)
	}
	used := false
	if applied > 0 {
		used, err = q.NewSelect().Model((*tables.ConnectionRow)(nil)).Exists(ctx)
	}
	if used {
		return mismatch(s.path, "the file is a host's own store", "name another file with --queue")
	}
	return err
}

func (s *Store) sameLane(row *laneRow) error {
	l := s.lane
	switch {
	case l == nil && row == nil:
		return nil
	case l == nil:
		return mismatch(s.path, "the file is a collector's outbox", "name another data folder, or use pdpp-local-collector")
	case row == nil:
		return noOutbox(s.path)
	case row.SourceInstanceID != l.SourceInstanceID || row.ConnectorID != l.ConnectorID:
		return mismatch(s.path, "the file is the outbox of another source instance",
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

// Take makes a new file the lane's. Re-check under the write lock
// what Accept checked without it.
func (s *Store) Take(ctx context.Context) error {
	if s.lane == nil {
		return nil
	}
	return s.db.Alone(ctx, "open the outbox", func(t *db.Tx) error {
		row, err := laneOf(t.Ctx, t.DB)
		if err != nil || row != nil {
			return errors.Join(err, s.sameLane(row))
		}
		if err := s.Accept(t.Ctx, t.DB, outboxStep); err != nil {
			return err
		}
		row = &laneRow{ID: 1, SourceInstanceID: s.lane.SourceInstanceID, ConnectorID: s.lane.ConnectorID}
		_, err = t.DB.NewInsert().Model(row).Exec(t.Ctx)
		return err
	})
}

// ofLane refuses what only an outbox has.
func (s *Store) ofLane() error {
	if s.lane == nil {
		return abi.NewError(abi.CodeInternal, "the store is no collector's outbox", "report this")
	}
	return nil
}

// InLane runs fn in a write transaction of its own, see alone.
func (s *Store) InLane(ctx context.Context, what string, fn func(*db.Tx) error) error {
	if err := s.ofLane(); err != nil {
		return err
	}
	return s.db.Alone(ctx, what, fn)
}

// ConfirmState replaces what is known of the destination's cursors by what it
// has just said that they are. A run begins from them (LC-04), but for those that were
// collected when the destination wanted another part of the source: what such a cursor
// has passed by was never delivered.
func (s *Store) ConfirmState(ctx context.Context, state map[string][]byte, updatedAt time.Time) error {
	return s.InLane(ctx, "confirm the state", func(t *db.Tx) error {
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
	if err := s.ofLane(); err != nil {
		return nil, time.Time{}, err
	}
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
