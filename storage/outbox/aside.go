package outbox

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// SetAside is a record of a batch that the destination refuses, whatever comes with it, or a
// stream of which it takes no record.
type SetAside struct {
	Stream string
	Key    string // the canonical text
	Why    string // in the destination's words
	Whole  bool   // the stream is refused, and Key is empty
}

// AcknowledgeBut does as Acknowledge for a batch of which the destination has refused a part. Each
// refused record becomes a gap that is given up, until a later batch delivers the record. A
// refused stream becomes one open unit: see RefusedStreams.
func (s *Store) AcknowledgeBut(ctx context.Context, i *Item, aside []SetAside) error {
	return s.db.Alone(ctx, "acknowledge", func(t *db.Tx) error { return s.acknowledge(t, i, aside) })
}

// RefusedStreams returns the streams that the destination has refused in batches of a run. The
// run may not commit the cursors that cover them: a later run collects the records again.
func (s *Store) RefusedStreams(ctx context.Context, runID string) ([]string, error) {
	var out []string
	err := s.db.Read.NewSelect().Model((*unitRow)(nil)).Column("stream").
		Where("run_id = ? AND reason = ? AND status = ?", runID, device.GapStreamRefused, UnitGap).Order("stream").Scan(ctx, &out)
	return out, s.db.Fail("read the streams that the destination refuses", err)
}

// keepAside keeps what was refused of a batch.
func (l *lane) keepAside(t *db.Tx, row *Row, aside []SetAside) error {
	for i := range aside {
		a := &aside[i]
		if !a.Whole {
			if err := l.refusedGap(t, row, a); err != nil {
				return err
			}
			continue
		}
		if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM outbox_streams WHERE seq = ? AND stream = ?", row.Seq, a.Stream); err != nil {
			return err
		}
		err := l.keepUncollected(t, &tables.Uncollected{
			Kind: "refused", Stream: a.Stream, Reason: device.GapStreamRefused, Message: a.Why, RecoveryHint: "manual_action_required",
		}, row.RunID)
		if err != nil {
			return err
		}
	}
	return nil
}

// refusedGap keeps that a record was refused. A gap of the connector's own that is still to be
// filled says more, and stays.
func (l *lane) refusedGap(t *db.Tx, row *Row, a *SetAside) error {
	var connection string
	err := t.DB.QueryRowContext(t.Ctx, `SELECT coalesce((SELECT connection_id FROM runs WHERE run_id = ?),
(SELECT id FROM connections ORDER BY id LIMIT 1), '')`, row.RunID).Scan(&connection)
	if err != nil {
		return err
	}
	why, err := json.Marshal(CleanText(a.Why))
	if err != nil {
		return err
	}
	g := tables.GapRow{
		ID: run.GapID(connection, a.Stream, "", a.Key), ConnectionID: connection, Stream: a.Stream, RecordKey: a.Key,
		Reason: device.GapRefused, LastError: string(why), Status: tables.GapTerminal, AttemptCount: 1, LastAttemptUS: db.Micros(t.Now),
		DiscoveredRunID: row.RunID, LastRunID: row.RunID, CreatedUS: db.Micros(t.Now),
	}
	before, err := evidence.SameGap(t, &g)
	if err != nil || before != nil && before.Open() {
		return err
	}
	_, err = t.DB.NewInsert().Model(&g).On("CONFLICT (connection_id, stream, parent_stream, record_key) DO UPDATE").
		Set("reason = EXCLUDED.reason, last_error = EXCLUDED.last_error, status = EXCLUDED.status, class = EXCLUDED.class").
		Set("attempt_count = ?TableAlias.attempt_count + 1, last_attempt_us = EXCLUDED.last_attempt_us").
		Set("last_run_id = EXCLUDED.last_run_id, recovered_run_id = ''").Exec(t.Ctx)
	if err == nil {
		err = l.sayGap(t, g.ID, row.UnitID, row.RunID)
	}
	if err != nil {
		return err
	}
	return evidence.GapMoved(t, before, &g)
}

// recordName names a record of a lane.
type recordName struct {
	Stream string `json:"stream"`
	Key    string `json:"record_key"`
}

// namesIn returns the names of a batch's records, none of one that cannot be read.
func namesIn(payload []byte) map[recordName]bool {
	var batch struct {
		Records []recordName `json:"records"`
	}
	names := map[recordName]bool{}
	if json.Unmarshal(payload, &batch) == nil {
		for _, r := range batch.Records {
			names[r] = true
		}
	}
	return names
}

// settleRefused fills the gaps of refused records that a batch has delivered, or deleted.
func (l *lane) settleRefused(t *db.Tx, row *Row, payload []byte, aside []SetAside) error {
	open, err := refusedGaps(t)
	if err != nil || len(open) == 0 {
		return err
	}
	delivered := namesIn(payload)
	whole := map[string]bool{}
	for i := range aside {
		delete(delivered, recordName{aside[i].Stream, aside[i].Key})
		whole[aside[i].Stream] = whole[aside[i].Stream] || aside[i].Whole
	}
	for i := range open {
		if g := &open[i]; delivered[recordName{g.Stream, g.RecordKey}] && !whole[g.Stream] {
			if err := l.fillRefused(t, g, row.UnitID, row.RunID); err != nil {
				return err
			}
		}
	}
	return nil
}

// settleRefreshed fills the gaps of refused records in streams that a full refresh has collected
// whole: what the source still has of them is refused again, or delivered.
func (r *LaneRun) settleRefreshed(t *db.Tx, streams []string, unit string) error {
	if len(streams) == 0 {
		return nil
	}
	open, err := refusedGaps(t, streams...)
	if err != nil {
		return err
	}
	for i := range open {
		if g := &open[i]; g.LastRunID != r.RunID {
			if err := r.fillRefused(t, g, unit, r.RunID); err != nil {
				return err
			}
		}
	}
	return nil
}

// refusedGaps returns the open gaps of refused records: of some streams, or of all.
func refusedGaps(t *db.Tx, streams ...string) (rows []tables.GapRow, err error) {
	q := t.DB.NewSelect().Model(&rows).Where("status = ? AND reason = ?", tables.GapTerminal, device.GapRefused).Order("id")
	if len(streams) > 0 {
		q = q.Where("stream IN (?)", bun.List(streams))
	}
	err = q.Scan(t.Ctx)
	return rows, err
}

func (l *lane) fillRefused(t *db.Tx, g *tables.GapRow, unit, runID string) error {
	before := *g
	g.Status, g.RecoveredRunID, g.LastRunID = tables.GapRecovered, runID, runID
	if _, err := t.DB.NewUpdate().Model(g).WherePK().Column("status", "recovered_run_id", "last_run_id").Exec(t.Ctx); err != nil {
		return err
	}
	if err := l.sayGap(t, g.ID, unit, runID); err != nil {
		return err
	}
	return evidence.GapMoved(t, &before, g)
}
