package outbox

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// boundary names the part of the source that the destination's state asks for.
func boundary(t *db.Tx) (string, error) {
	var rows []confirmedStateRow
	if err := t.DB.NewSelect().Model(&rows).Where("stream = ?", device.ScopeKey).Scan(t.Ctx); err != nil {
		return "", err
	}
	var scope *device.Scope
	for i := range rows {
		var err error
		if scope, err = device.ScopeOf(json.RawMessage(rows[i].Cursor)); err != nil {
			return "", err
		}
	}
	return scope.Fingerprint(), nil
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
