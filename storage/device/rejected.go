package device

import (
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// eventRejected is the event of records that a device delivered and that were not taken.
const eventRejected = "run.records_rejected"

// tellRejected has the events of a run say what was not taken, and why.
func tellRejected(t *db.Tx, w *run.Writer, rejected []Rejected) error {
	for _, r := range rejected {
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if err := run.AddEvent(t, w, run.Event{Type: eventRejected, Stream: r.Stream, Data: data}); err != nil {
			return err
		}
	}
	return nil
}

// rejectedGap is the known gap of a run for records that were delivered and never taken.
type rejectedGap struct {
	tables.Uncollected

	Count int64 `json:"count"`
}

// withRejected adds to a run's known gaps the records of its connection that were delivered, not taken, and not delivered
// since. gaps is a list of known gaps, or empty.
func withRejected(t *db.Tx, w *run.Writer, gaps []byte) ([]byte, error) {
	var list []json.RawMessage
	readable := len(gaps) == 0 || json.Unmarshal(gaps, &list) == nil
	var streams []struct {
		Name  string `bun:"name"`
		Count int64  `bun:"count"`
		Why   string `bun:"why"`
	}
	err := t.DB.NewRaw(`SELECT s.name, s.rejected + s.rejected_unlisted AS count,
  coalesce((SELECT min(e.data) FROM events AS e WHERE e.run_pk = ? AND e.type = ? AND e.stream = s.name), '') AS why
FROM streams AS s WHERE s.connection_id = ? AND s.removed = 0 AND s.rejected + s.rejected_unlisted > 0 ORDER BY s.name`,
		w.To.RunPK, eventRejected, w.To.ConnectionID).Scan(t.Ctx, &streams)
	if err != nil || len(streams) == 0 || !readable { // an unreadable text says more than a part of it
		return gaps, err
	}
	for _, s := range streams {
		var told Rejected
		if s.Why == "" || json.Unmarshal([]byte(s.Why), &told) != nil {
			told.Why = "an earlier run has the reason among its events"
		}
		text, err := json.Marshal(rejectedGap{tables.Uncollected{
			Kind: "rejected_record", Reason: string(abi.ReasonSchemaRejected), Severity: "actionable", Stream: s.Name, Message: "delivered and not taken: " + told.Why,
			RecoveryHint: "retry_on_connector_upgrade",
		}, s.Count})
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return json.Marshal(list)
}
