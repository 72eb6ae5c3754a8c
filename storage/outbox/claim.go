package outbox

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// claimWindow bounds how far a claim looks past rows that it may not give out
// yet.
const claimWindow = 256

// Claim leases the next rows to r.Holder and returns them in the order of delivery, none when
// there are none. Each carries the epoch of its lease, and a later answer with another epoch
// is refused (LC-06).
//
// A claim keeps to these rules: a commit is given out alone, and only when nothing before it
// is unacknowledged, dead letters included (Invariant 1, LC-04.2). Of the batches of one
// stream, and of what is said of one gap, one is under way at a time, so that nothing older
// is ever delivered after something newer; only a dead letter lets later ones pass. No batch
// of a later run passes anything of an earlier one, dead letters included, and nothing at all
// of it the earlier one's end: the destination takes a newer run for the end of an older one,
// and then nothing more of that.
func (s *Store) Claim(ctx context.Context, r ClaimRequest) ([]Item, error) {
	if r.Holder == "" || r.Lease <= 0 {
		return nil, abi.NewError(abi.CodeInternal, "a claim needs a holder and a lease", "report this")
	}
	var out []Item
	err := s.db.Alone(ctx, "claim", func(t *db.Tx) error {
		rows, err := claimable(t.Ctx, t.DB, db.Micros(t.Now), max(r.Limit, 1))
		if err != nil {
			return err
		}
		for _, c := range rows {
			item, err := claim(t, c.Seq, r)
			if err != nil {
				return err
			}
			if item != nil {
				out = append(out, *item)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// claim leases one row.
func claim(t *db.Tx, seq int64, r ClaimRequest) (*Item, error) {
	until := t.Now.Add(r.Lease)
	res, err := t.DB.ExecContext(t.Ctx, `UPDATE outbox SET status = 'leased', lease_holder = ?, lease_epoch = lease_epoch + 1,
lease_until_us = ?, updated_us = ? WHERE seq = ? AND status = 'ready'`, r.Holder, db.Micros(until), db.Micros(t.Now), seq)
	if err != nil {
		return nil, err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return nil, err
	}
	row, content := Row{Seq: seq}, PayloadRow{Seq: seq}
	if err := t.DB.NewSelect().Model(&row).WherePK().Scan(t.Ctx); err != nil {
		return nil, err
	}
	if err := t.DB.NewSelect().Model(&content).WherePK().Scan(t.Ctx); err != nil {
		return nil, err
	}
	return &Item{
		ID: row.ID, Kind: row.Kind, UnitID: row.UnitID, RunID: row.RunID, BodyHash: row.BodyHash, Payload: content.Payload,
		Recovered: strings.HasPrefix(row.Says, tables.GapRecovered+" "), Refused: strings.HasPrefix(row.Says, saysRefused), MediaType: row.MediaType, Attempts: row.AttemptCount,
		Epoch: row.LeaseEpoch, Seq: row.Seq, Holder: row.LeaseHolder, LeaseUntil: db.Time(row.LeaseUntilUS), CreatedAt: db.Time(row.CreatedUS),
	}, nil
}

// candidate is a row that is neither acknowledged nor given up.
type candidate struct {
	Seq           int64
	Status        string
	Kind          string
	Subject       string
	RunID         string
	NextAttemptUS int64
}

// claimable returns the rows that a claim may give out now, at most limit.
func claimable(ctx context.Context, q bun.IDB, nowUS int64, limit int) ([]candidate, error) {
	var rows []candidate
	err := q.NewRaw(`SELECT seq, status, kind, subject, run_id, next_attempt_us FROM outbox
WHERE `+undelivered+` AND status IN ('ready', 'leased') ORDER BY seq LIMIT ?`, claimWindow).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	var first int64 // that is not acknowledged
	var run string  // the earliest that is not
	err = q.QueryRowContext(ctx, `SELECT (SELECT seq FROM outbox WHERE `+undelivered+` ORDER BY seq LIMIT 1),
coalesce((SELECT run_id FROM outbox WHERE `+undelivered+` AND kind IN ('record_batch', 'checkpoint', 'terminal_run_commit') ORDER BY seq LIMIT 1), '')`).
		Scan(&first, &run)
	if err != nil {
		return nil, err
	}
	streams, err := streamsOf(ctx, q, rows)
	if err != nil {
		return nil, err
	}
	var out []candidate
	under := map[string]bool{} // what an earlier row is about
	for _, c := range rows {
		due := c.Status == Ready && c.NextAttemptUS <= nowUS
		if c.Kind == KindCheckpoint || c.Kind == KindRunCommit {
			if due && c.Seq == first {
				return []candidate{c}, nil
			}
			if c.Kind == KindRunCommit {
				break // the rest belongs to later runs
			}
			continue
		}
		about := streams[c.Seq]
		if c.Subject != "" {
			about = append(about, c.Subject)
		}
		held := c.Kind == KindRecordBatch && c.RunID != run
		for _, a := range about {
			held = held || under[a]
			under[a] = true
		}
		if due && !held {
			out = append(out, c)
		}
		if len(out) == limit {
			break
		}
	}
	return out, nil
}

// streamsOf returns what the batches among rows hold records of, by row.
func streamsOf(ctx context.Context, q bun.IDB, rows []candidate) (map[int64][]string, error) {
	seqs := make([]int64, len(rows))
	for i, c := range rows {
		seqs[i] = c.Seq
	}
	var streams []outboxStreamRow
	if err := q.NewSelect().Model(&streams).Where("seq IN (?)", bun.List(seqs)).Order("seq", "stream").Scan(ctx); err != nil {
		return nil, err
	}
	out := map[int64][]string{}
	for _, r := range streams {
		out[r.Seq] = append(out[r.Seq], "stream "+r.Stream)
	}
	return out, nil
}

// Body returns the payload with what only the sender knows in front: a batch names its
// device, the end of a run its device and its connection. The queued payload is not decoded.
func (i *Item) Body(deviceID, connectorInstanceID string) []byte {
	if len(i.Payload) == 0 || i.Payload[0] != '{' {
		return i.Payload
	}
	b := make([]byte, 0, len(i.Payload)+256)
	switch i.Kind {
	case KindRecordBatch:
		b = appendJSONText(append(b, `{"device_id":`...), deviceID)
	case KindRunCommit:
		b = appendJSONText(append(b, `{"device_id":`...), deviceID)
		b = appendJSONText(append(b, `,"connector_instance_id":`...), connectorInstanceID)
	default:
		return i.Payload
	}
	return append(append(b, ','), i.Payload[1:]...)
}

// Renew holds a row for longer: right before it is sent, for longer than sending
// it may take.
func (s *Store) Renew(ctx context.Context, i *Item, lease time.Duration) error {
	return s.db.Alone(ctx, "renew a lease", func(t *db.Tx) error {
		until := t.Now.Add(lease)
		if err := fencedUpdate(t, i, "lease_until_us = ?", db.Micros(until)); err != nil {
			return err
		}
		i.LeaseUntil = db.Time(db.Micros(until))
		return nil
	})
}

// fencedUpdate changes a row that the caller still holds, and no other: holder,
// epoch and deadline are asked for in the same statement (LC-06.2).
func fencedUpdate(t *db.Tx, i *Item, set string, values ...any) error {
	values = append(values, db.Micros(t.Now), i.ID, Leased, i.Holder, i.Epoch, db.Micros(t.Now))
	res, err := t.DB.ExecContext(t.Ctx, "UPDATE outbox SET "+set+`, updated_us = ?
WHERE id = ? AND status = ? AND lease_holder = ? AND lease_epoch = ? AND lease_until_us > ?`, values...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n != 1 {
		return abi.NewError(CodeLeaseNotCurrent, "the row is not leased to this holder any more",
			"nothing to do: it is delivered by whoever claims it next").WithDetail(i.Kind + " " + i.ID)
	}
	return err
}
