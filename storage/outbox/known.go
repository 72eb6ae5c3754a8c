package outbox

import (
	"encoding/json"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// maxBoundary bounds what a unit says of where it stands.
const maxBoundary = 4 << 10

// withRestartGap returns the end of a run with what its connector cannot know is missing: that it
// reached the collector's bound before its first checkpoint, so that the next run begins
// where this one began. The run's own words stay as they are.
func withRestartGap(t *db.Tx, row *tables.RunRow) (*tables.RunRow, error) {
	if row.Status != tables.StatusFailed || row.Reason != string(abi.ReasonPolicyBudget) {
		return row, nil
	}
	goesOn, err := t.DB.NewSelect().Model((*unitRow)(nil)).Where("run_id = ? AND closed = 1 AND stream <> ''", row.RunID).Exists(t.Ctx)
	var list []json.RawMessage
	if err != nil || goesOn || row.KnownGaps != "" && json.Unmarshal([]byte(row.KnownGaps), &list) != nil {
		return row, err
	}
	gap, err := plainJSON(tables.Uncollected{
		Kind: string(abi.ReasonPolicyBudget), Reason: device.GapStartsOver, Severity: "recoverable", RecoveryHint: "retry_by_runtime",
		Message: "the run had collected as much as may wait before its first checkpoint; the next one begins from where it began",
	})
	if err != nil {
		return row, err
	}
	more := *row
	text, err := plainJSON(append(list, gap))
	more.KnownGaps = string(text)
	return &more, err
}

// uncollectedOf returns what a run that has ended left uncollected. Of one that failed,
// that is also every stream that it was to collect and did not account for.
func uncollectedOf(row *tables.RunRow) []tables.Uncollected {
	var list []tables.Uncollected
	if row.KnownGaps != "" && json.Unmarshal([]byte(row.KnownGaps), &list) != nil {
		list = []tables.Uncollected{{Kind: "unreadable", Reason: evidence.UnreadableKnownGaps}}
	}
	if row.Status == tables.StatusSucceeded {
		return list
	}
	failure := tables.FailureOf(row)
	reason := row.Reason
	if failure.Code != "" {
		reason = failure.Code
	}
	hint := failure.RecoveryHint
	if failure.Retryable || row.Status == tables.StatusCancelled {
		hint = "retry_by_runtime"
	}
	streams := evidence.Certified(row)
	if streams == nil && json.Unmarshal([]byte(row.Streams), &streams) != nil {
		streams = []string{""}
	}
	for _, stream := range streams {
		if !slices.ContainsFunc(list, func(g tables.Uncollected) bool { return g.Stream == stream }) {
			list = append(list, tables.Uncollected{
				Kind: "run", Stream: stream, Reason: reason, Message: failure.Message, RecoveryHint: hint, Severity: "actionable",
			})
		}
	}
	return list
}

// recordUncollected replaces the lane's open units of what earlier runs left by what this
// one says: what it collected is done, what it left is kept, with its reason and
// with how often it was tried (LC-05.1).
func (l *lane) recordUncollected(t *db.Tx, row *tables.RunRow) error {
	if err := completeCollected(t, row); err != nil {
		return err
	}
	list := uncollectedOf(row)
	for i := range list {
		if err := l.keepUncollected(t, &list[i], row.RunID); err != nil {
			return err
		}
	}
	return nil
}

// keepUncollected keeps what a run left uncollected as a unit that is open.
func (l *lane) keepUncollected(t *db.Tx, g *tables.Uncollected, runID string) error {
	boundary := ""
	if len(g.Diagnostics) <= maxBoundary {
		boundary = string(g.Diagnostics)
	}
	unit := unitRow{
		ID:     device.OutboxID("unit", l.SourceInstanceID, []string{g.Kind, g.Reason, g.Stream}),
		Stream: g.Stream, Boundary: boundary, Status: UnitGap, Closed: true, RunID: runID, AttemptCount: 1,
		LastAttemptUS: db.Micros(t.Now), Reason: Word(g.Reason), Retryable: g.Retryable(), LastError: CleanText(g.Message), CreatedUS: db.Micros(t.Now),
	}
	if unit.Retryable {
		unit.Status = UnitBacklog
	}
	_, err := t.DB.NewInsert().Model(&unit).On("CONFLICT (id) DO UPDATE").
		Set("boundary = EXCLUDED.boundary, status = EXCLUDED.status, run_id = EXCLUDED.run_id, retryable = EXCLUDED.retryable").
		Set("attempt_count = unit_row.attempt_count + 1, last_attempt_us = EXCLUDED.last_attempt_us, last_error = EXCLUDED.last_error").
		Exec(t.Ctx)
	return err
}

// completeCollected completes what earlier runs left of the streams that this one
// collected, and the units that were cut off and are collected again.
func completeCollected(t *db.Tx, row *tables.RunRow) error {
	if row.Status != tables.StatusSucceeded || row.Narrowed {
		return nil
	}
	var asked []string
	if err := json.Unmarshal([]byte(row.Streams), &asked); err != nil {
		return err
	}
	for _, stream := range append(evidence.CollectedBy(row, asked), "") {
		_, err := t.DB.ExecContext(t.Ctx, `UPDATE work_units SET status = 'complete' WHERE stream = ? AND run_id <> ?
AND (status IN ('backlog', 'gap') OR status = 'delivered' AND closed = 0)`, stream, row.RunID)
		if err != nil {
			return err
		}
	}
	return nil
}
