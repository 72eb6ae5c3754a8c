package outbox

import (
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// Checkpoint implements run.Sink: it queues a cursor's commit behind everything that it covers,
// and ends the unit that it is the commit of. It moves no cursor: the
// destination does, and confirms it (LC-04). It stands behind everything that
// the run has queued, and Claim gives it out last.
func (r *LaneRun) Checkpoint(t *db.Tx, stream, cursor, sliceID string) error {
	unit, err := r.Unit(t)
	if err != nil {
		return err
	}
	payload, err := plainJSON(device.StateCommit{RunID: r.RunID, State: map[string]json.RawMessage{stream: json.RawMessage(cursor)}})
	if err != nil {
		return err
	}
	if err := r.enqueueCommit(t, KindCheckpoint, unit, []string{r.ConnectorID, unit}, payload); err != nil {
		return err
	}
	if err := r.CloseUnit(t, unit, stream, sliceID); err != nil {
		return err
	}
	_, err = t.DB.NewDelete().Model((*tables.StagedRow)(nil)).Where("run_pk = ? AND stream = ?", r.to.RunPK, stream).Exec(t.Ctx)
	return err
}

func (r *LaneRun) enqueueCommit(t *db.Tx, kind, unit string, parts []string, payload []byte) error {
	hash, err := device.Hash(payload)
	if err != nil {
		return err
	}
	return Enqueue(t, &Row{
		ID: device.OutboxID(kind, r.SourceInstanceID, parts), Kind: kind, UnitID: unit, RunID: r.RunID, BodyHash: hash,
	}, payload)
}

// runCommit is device.RunCommit without what only the sender knows.
type runCommit struct {
	Version          int                        `json:"version"`
	Boundary         string                     `json:"collection_boundary"`
	CommitID         string                     `json:"commit_id"`
	RunID            string                     `json:"run_id"`
	ConnectorID      string                     `json:"connector_id"`
	SourceInstanceID string                     `json:"source_instance_id"`
	StateDelta       map[string]json.RawMessage `json:"state_delta"`
	Facts            []device.TerminalFact      `json:"terminal_facts"`
	Outcome          device.Outcome             `json:"outcome"`
}

// MaxDelta bounds the cursors that go with the end of a run, in bytes. A host reads
// 1 << 20 values at a time (host/boundary), as many as a guest's STATE may have, and
// refuses an end of more for good. A value takes two bytes at least, so that cursors
// are half of that, and the outcome beside them has the rest. A checkpoint needs no
// bound: around its cursor it has as many values as the STATE had that brought it.
const MaxDelta = 1 << 20

// withEnd returns the cursors that go with the end of the run. It queues them as
// checkpoints before it when they are too much for one delivery, or when the run
// failed of other streams alone: with such an end a host takes none.
func (r *LaneRun) withEnd(t *db.Tx, row *tables.RunRow, checkpoints []run.StateCommit) (map[string]json.RawMessage, error) {
	delta, size := map[string]json.RawMessage{}, 0
	for _, c := range checkpoints {
		delta[c.Stream] = json.RawMessage(tables.JSONText(c.Cursor))
		size += len(c.Cursor)
	}
	if row.Status == tables.StatusSucceeded && size <= MaxDelta {
		return delta, nil
	}
	for _, c := range checkpoints {
		if err := r.Checkpoint(t, c.Stream, tables.JSONText(c.Cursor), ""); err != nil {
			return nil, err
		}
	}
	return map[string]json.RawMessage{}, nil
}

// End implements run.Sink: it queues the end of the run that row is of: for every run, whatever it
// came to and whether or not it collected anything.
func (r *LaneRun) End(t *db.Tx, row *tables.RunRow, checkpoints []run.StateCommit) error {
	l := r.lane
	delta, err := r.withEnd(t, row, checkpoints)
	if err != nil {
		return err
	}
	if row, err = withRestartGap(t, row); err != nil {
		return err
	}
	boundary, err := boundary(t)
	if err != nil {
		return err
	}
	commit := runCommit{
		Version: 1, Boundary: boundary, CommitID: device.OutboxID("commit", l.SourceInstanceID, []string{r.RunID}), RunID: r.RunID,
		ConnectorID: l.ConnectorID, SourceInstanceID: l.SourceInstanceID, StateDelta: delta, Facts: r.terminalFacts(row.Narrowed),
	}
	if commit.Outcome, err = r.outcomeOf(t, row); err != nil {
		return err
	}
	payload, err := plainJSON(commit)
	if err != nil {
		return err
	}
	unit, err := r.Unit(t)
	if err != nil {
		return err
	}
	if err := r.settleRefreshed(t, record.RefreshedBy(row), unit); err != nil {
		return err
	}
	if err := r.enqueueCommit(t, KindRunCommit, unit, []string{commit.CommitID}, payload); err != nil {
		return err
	}
	if err := r.CloseUnit(t, unit, "", ""); err != nil {
		return err
	}
	return r.recordUncollected(t, row)
}

// outcomeOf says how a run ended in the words of the protocol, which are shown
// away from the device: no word of its error is a path (LC-07.4).
func (l *lane) outcomeOf(t *db.Tx, row *tables.RunRow) (device.Outcome, error) {
	o := device.Outcome{
		Status: row.Status, Reason: row.Reason, Mode: row.Mode, Narrowed: row.Narrowed, Connector: row.Connector,
		Version: row.Version, ModuleSHA256: row.ModuleSHA256, StartedAt: db.Time(row.StartedUS), FinishedAt: db.Time(row.FinishedUS),
		KnownGaps: tables.JSONBytes(row.KnownGaps), Withheld: tables.JSONBytes(row.Withheld),
	}
	if err := json.Unmarshal([]byte(row.Streams), &o.Streams); err != nil {
		return o, err
	}
	if row.Error != "" {
		e := tables.FailureOf(row)
		e.Message, e.Hint = l.pathless(e.Message), l.pathless(e.Hint)
		var err error
		if o.Error, err = plainJSON(e); err != nil {
			return o, err
		}
	}
	var rows []tables.CoverageRow
	if err := t.DB.NewSelect().Model(&rows).Where("run_pk = ?", row.PK).Order("stream", "state_stream").Scan(t.Ctx); err != nil {
		return o, err
	}
	for _, c := range rows {
		o.Coverage = append(o.Coverage, device.Coverage{
			Stream: c.Stream, StateStream: c.StateStream, Required: c.Required, Hydrated: c.Hydrated, Gaps: c.Gaps,
			Skipped: c.Skipped, Considered: c.Considered, Covered: c.Covered,
		})
	}
	return o, nil
}
