package run

import (
	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// HostSink is the sink of a host's own store.
type HostSink struct{}

// Refuses implements Sinks.
func (HostSink) Refuses(string) error { return nil }

// Open implements Sinks.
func (HostSink) Open(w *Writer) Sink { return hostRun{w} }

// Delivered implements Sinks.
func (HostSink) Delivered() bun.Ident { return "records" }

// Deserted implements Sinks.
func (HostSink) Deserted() abi.Reason { return abi.ReasonHostRestarted }

// hostRun is the sink of one run of a host.
type hostRun struct{ w *Writer }

// Begin implements Sink.
func (r hostRun) Begin(t *db.Tx) (map[string][]byte, error) {
	var rows []tables.StateRow
	err := t.DB.NewSelect().Model(&rows).Where("connection_id = ? AND bookmark = ?", r.w.To.ConnectionID, r.w.bookmark).Scan(t.Ctx)
	state := map[string][]byte{}
	for _, st := range rows {
		state[st.Stream] = []byte(st.Cursor)
	}
	return state, err
}

// Put implements Sink.
func (r hostRun) Put(b *record.Batch) (func(*db.Tx) error, error) {
	return func(t *db.Tx) error { return record.Put(t, r.w.To, b) }, nil
}

// Checkpoint implements Sink.
func (r hostRun) Checkpoint(t *db.Tx, stream, cursor, sliceID string) error {
	return CommitState(t, r.w, stream, cursor, sliceID)
}

// Gap implements Sink.
func (hostRun) Gap(*db.Tx, string) error { return nil }

// Commit implements Sink.
func (r hostRun) Commit(t *db.Tx, checkpoints []StateCommit) error {
	for _, c := range checkpoints {
		if err := CommitState(t, r.w, c.Stream, tables.JSONText(c.Cursor), ""); err != nil {
			return err
		}
	}
	return nil
}

// End implements Sink.
func (hostRun) End(*db.Tx, *tables.RunRow, []StateCommit) error { return nil }
