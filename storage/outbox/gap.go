package outbox

import (
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Gap implements run.Sink: it queues what a gap has become: open, given up, or filled. A gap
// whose change still waits in the queue is not queued a second time. The memory of the gap
// itself is its row of the gaps table, which no prune touches.
func (r *LaneRun) Gap(t *db.Tx, id string) error {
	unit, err := r.Unit(t)
	if err != nil {
		return err
	}
	return r.sayGap(t, id, unit, r.RunID)
}

// sayGap queues what a gap has become, as a part of a unit of a run.
func (l *lane) sayGap(t *db.Tx, id, unit, runID string) error {
	var g tables.GapRow
	if err := t.DB.NewSelect().Model(&g).Where("id = ?", id).Scan(t.Ctx); err != nil {
		return err
	}
	row := &Row{
		Kind: KindGap, UnitID: unit, RunID: runID, Says: g.Status + " " + g.Reason,
		Subject: device.OutboxID("subject", l.SourceInstanceID, []string{g.Stream, g.ParentStream, g.RecordKey}),
	}
	payload, err := json.Marshal(l.saidOf(t, &g))
	if err != nil {
		return err
	}
	if row.BodyHash, err = device.Hash(payload); err != nil {
		return err
	}
	var newest Row
	err = t.DB.NewSelect().Model(&newest).Where("subject = ?", row.Subject).Order("seq DESC").Limit(1).Scan(t.Ctx)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if newest.Status != "" && newest.Status != Succeeded && newest.Says == row.Says {
		return nil
	}
	// One gap is said as often as it changes: what came before it is a part of
	// its name.
	parts := []string{l.ConnectorID, g.Reason, g.Stream, g.ParentStream, g.RecordKey, row.Says, unit, strconv.FormatInt(newest.Seq, 10)}
	row.ID = device.OutboxID(KindGap, l.SourceInstanceID, parts)
	return Enqueue(t, row, payload)
}

// saidOf is a gap in the words of the protocol.
func (l *lane) saidOf(t *db.Tx, g *tables.GapRow) any {
	if g.Status == tables.GapRecovered {
		return device.GapRecovered{
			ConnectorID: l.ConnectorID, SourceInstanceID: l.SourceInstanceID, Reason: g.Reason, Stream: g.Stream,
			ParentStream: g.ParentStream, Boundary: g.RecordKey, RecoveredRunID: g.RecoveredRunID,
		}
	}
	wait := int64(0)
	if g.NextAttemptUS > db.Micros(t.Now) {
		wait = (g.NextAttemptUS - db.Micros(t.Now)) / 1000
	}
	return device.Gap{
		ConnectorID: l.ConnectorID, SourceInstanceID: l.SourceInstanceID, Reason: g.Reason, Class: g.Class,
		Retryable: g.Status != tables.GapTerminal, FirstSeenAt: db.Time(g.CreatedUS), BackoffMS: wait, Stream: g.Stream,
		ParentStream: g.ParentStream, Boundary: g.RecordKey, FirstSeenRunID: g.DiscoveredRunID, LastRunID: g.LastRunID,
	}
}
