package outbox

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Unit returns the unit that the run is collecting: everything that it queues
// from one boundary to the next.
func (r *LaneRun) Unit(t *db.Tx) (string, error) {
	id := fmt.Sprintf("%s.%d", r.RunID, r.units)
	row := unitRow{
		ID: id, Status: UnitRunning, RunID: r.RunID, AttemptCount: 1, LastAttemptUS: db.Micros(t.Now), CreatedUS: db.Micros(t.Now),
	}
	_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (id) DO NOTHING").Exec(t.Ctx)
	return id, err
}

// CloseUnit ends the unit at a boundary: its commit is queued, and later rows belong to the
// next unit.
func (r *LaneRun) CloseUnit(t *db.Tx, id, stream, boundary string) error {
	r.units++
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE work_units SET closed = 1, stream = ?, boundary = ? WHERE id = ?", stream, boundary, id)
	return err
}

// updateUnitStatus sets a unit's status to what its rows make of it. A unit that is not
// closed was cut off, or goes on: it is delivered at most, never complete
// (LC-02.2).
func updateUnitStatus(t *db.Tx, id string) error {
	if id == "" {
		return nil
	}
	_, err := t.DB.ExecContext(t.Ctx, `UPDATE work_units SET status = CASE
WHEN EXISTS (SELECT 1 FROM outbox WHERE unit_id = work_units.id AND status = 'dead_letter') THEN 'dead'
WHEN EXISTS (SELECT 1 FROM outbox WHERE unit_id = work_units.id AND status IN ('ready', 'leased')
  AND kind NOT IN ('checkpoint', 'terminal_run_commit')) THEN 'running'
WHEN closed = 0 AND run_id IN (SELECT run_id FROM leases) THEN 'running'
WHEN closed = 0 OR EXISTS (SELECT 1 FROM outbox WHERE unit_id = work_units.id AND status IN ('ready', 'leased')) THEN 'delivered'
ELSE 'complete' END WHERE id = ? AND status IN ('running', 'delivered', 'dead')`, id)
	return err
}

// Begin implements run.Sink: it begins a run from what the destination has confirmed (LC-04). The
// units that earlier runs left open were cut off.
func (r *LaneRun) Begin(t *db.Tx) (map[string][]byte, error) {
	var cutOff []string
	err := t.DB.NewSelect().Model((*unitRow)(nil)).Column("id").Where("status = ? AND closed = 0 AND run_id <> ?", UnitRunning, r.RunID).
		Scan(t.Ctx, &cutOff)
	if err != nil {
		return nil, err
	}
	for _, id := range cutOff {
		if err := updateUnitStatus(t, id); err != nil {
			return nil, err
		}
	}
	boundary, err := boundary(t)
	if err != nil {
		return nil, err
	}
	known, err := confirmedRows(t.Ctx, t.DB)
	if err != nil {
		return nil, err
	}
	state := map[string][]byte{}
	for stream, row := range known {
		if stream != device.ScopeKey && (row.Boundary == "" || row.Boundary == boundary) {
			state[stream] = []byte(row.Cursor)
		}
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE runs SET boundary = ? WHERE pk = ?", boundary, r.to.RunPK)
	return state, err
}

// unitFailed keeps why a row of the unit was put off or given up.
func unitFailed(t *db.Tx, id, class, message string) error {
	if id == "" {
		return nil
	}
	_, err := t.DB.ExecContext(t.Ctx, `UPDATE work_units SET attempt_count = attempt_count + 1, last_attempt_us = ?,
reason = ?, retryable = ?, last_error = ? WHERE id = ?`, db.Micros(t.Now), class, TransientClass(class), message, id)
	return err
}

// Units returns the lane's units in the order in which they were made; with open
// only those that are not complete.
func (s *Store) Units(ctx context.Context, open bool) ([]WorkUnit, error) {
	var rows []unitRow
	q := s.db.Read.NewSelect().Model(&rows).Order("created_us", "id")
	if open {
		q = q.Where("status <> ?", UnitComplete)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("read the units", err)
	}
	out := make([]WorkUnit, len(rows))
	for i, r := range rows {
		out[i] = WorkUnit{
			ID: r.ID, Stream: r.Stream, Boundary: r.Boundary, Status: r.Status, RunID: r.RunID, Attempts: r.AttemptCount,
			LastAttemptAt: db.Time(r.LastAttemptUS), Reason: r.Reason, Retryable: r.Retryable, LastError: r.LastError, CreatedAt: db.Time(r.CreatedUS),
		}
	}
	return out, nil
}
