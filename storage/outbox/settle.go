package outbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Acknowledge keeps that the destination has durably accepted a row: its contents
// go, the cursors of a commit become the confirmed ones, and its unit may be
// complete. All of the answers here are storage.lease_not_current for a row that
// the caller does not hold any more.
func (s *Store) Acknowledge(ctx context.Context, i *Item) error {
	return s.db.Alone(ctx, "acknowledge", func(t *db.Tx) error { return s.acknowledge(t, i, nil) })
}

// acknowledge keeps that a row was accepted, a batch but for what was set aside.
func (s *Store) acknowledge(t *db.Tx, i *Item, aside []SetAside) error {
	set := "status = 'succeeded', acknowledged_us = ?, lease_holder = '', lease_until_us = 0, next_attempt_us = 0, error_class = '', last_error = ''"
	if err := fencedUpdate(t, i, set, db.Micros(t.Now)); err != nil {
		return err
	}
	row, content := Row{}, PayloadRow{}
	if err := t.DB.NewSelect().Model(&row).Where("id = ?", i.ID).Scan(t.Ctx); err != nil {
		return err
	}
	if err := t.DB.NewSelect().Model(&content).Where("seq = ?", row.Seq).Scan(t.Ctx); err != nil {
		return err
	}
	var err error
	switch row.Kind {
	case KindRecordBatch:
		err = s.batchDelivered(t, &row, content.Payload, aside)
	case KindCheckpoint, KindRunCommit:
		err = commitDelivered(t, &row, content.Payload)
	}
	if err != nil {
		return err
	}
	if _, err := t.DB.NewDelete().Model(&content).WherePK().Exec(t.Ctx); err != nil {
		return err
	}
	if _, err := t.DB.ExecContext(t.Ctx, "UPDATE lanes SET last_ack_us = ? WHERE id = 1", db.Micros(t.Now)); err != nil {
		return err
	}
	if err := updateUnitStatus(t, row.UnitID); err != nil {
		return err
	}
	if row.Kind != KindRunCommit {
		return nil // folding the log after each delivery would cost more than the delivery
	}
	var left bool
	err = t.DB.QueryRowContext(t.Ctx, "SELECT EXISTS (SELECT 1 FROM outbox WHERE "+undelivered+" AND status <> ?)", DeadLetter).Scan(&left)
	t.Erased = t.Erased || !left
	return err
}

// batchDelivered keeps which streams the lane has carried, for good, and what was set aside.
func (s *Store) batchDelivered(t *db.Tx, row *Row, payload []byte, aside []SetAside) error {
	if !row.Indexed {
		if err := indexLate(t, row.Seq, payload); err != nil {
			return err
		}
	}
	if err := s.keepAside(t, row, aside); err != nil {
		return err
	}
	if err := s.settleRefused(t, row, payload, aside); err != nil {
		return err
	}
	_, err := t.DB.ExecContext(t.Ctx, `INSERT INTO observed_streams (stream, first_us, last_us)
SELECT stream, ?, ? FROM outbox_streams WHERE seq = ? ON CONFLICT (stream) DO UPDATE SET last_us = EXCLUDED.last_us`,
		db.Micros(t.Now), db.Micros(t.Now), row.Seq)
	if err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE lanes SET batches_delivered = batches_delivered + 1 WHERE id = 1")
	return err
}

// indexLate indexes a batch of before there was an index, since its contents go. The contents
// of an unreadable one stay unknown.
func indexLate(t *db.Tx, seq int64, payload []byte) error {
	streams, known := batchStreams(payload)
	if !known {
		return nil
	}
	if err := index(t, seq, streams); err != nil {
		return err
	}
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE outbox SET indexed = 1 WHERE seq = ?", seq)
	return err
}

// commitDelivered makes the cursors of a commit the confirmed ones (LC-04.1).
func commitDelivered(t *db.Tx, row *Row, payload []byte) error {
	var said struct {
		State map[string]json.RawMessage `json:"state"`
		Delta map[string]json.RawMessage `json:"state_delta"`
	}
	if err := json.Unmarshal(payload, &said); err != nil {
		return err
	}
	var boundary string
	err := t.DB.QueryRowContext(t.Ctx, "SELECT boundary FROM runs WHERE run_id = ?", row.RunID).Scan(&boundary)
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // a run that was pruned
		return err
	}
	for _, cursors := range []map[string]json.RawMessage{said.State, said.Delta} {
		for stream, cursor := range cursors {
			if err := confirm(t, stream, cursor, row.RunID, boundary, db.Micros(t.Now)); err != nil {
				return err
			}
		}
	}
	if len(said.State)+len(said.Delta) == 0 {
		return nil
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE lanes SET last_checkpoint_us = ?, state_us = ? WHERE id = 1", db.Micros(t.Now), db.Micros(t.Now))
	return err
}

// Retry puts a row off until next, for a reason that may pass. class is a short
// code of why, see TransientClass; message is cut, and cleaned of what could be
// a secret or a path.
func (s *Store) Retry(ctx context.Context, i *Item, next time.Time, class, message string) error {
	class, message = Word(class), CleanText(message)
	return s.db.Alone(ctx, "put off", func(t *db.Tx) error {
		err := fencedUpdate(t, i, `status = 'ready', attempt_count = attempt_count + 1, next_attempt_us = ?, lease_holder = '', lease_until_us = 0,
error_class = ?, last_error = ?`, db.Micros(next), class, message)
		if err != nil {
			return err
		}
		return unitFailed(t, i.UnitID, class, message)
	})
}

// Release gives a row back that was not tried.
func (s *Store) Release(ctx context.Context, i *Item) error {
	return s.db.Alone(ctx, "give back", func(t *db.Tx) error {
		return fencedUpdate(t, i, "status = 'ready', lease_holder = '', lease_until_us = 0")
	})
}

// DeadLetter gives a row up until somebody looks at it. See Retry.
func (s *Store) DeadLetter(ctx context.Context, i *Item, class, message string) error {
	class, message = Word(class), CleanText(message)
	return s.db.Alone(ctx, "give up", func(t *db.Tx) error {
		err := fencedUpdate(t, i, `status = 'dead_letter', attempt_count = attempt_count + 1, lease_holder = '', lease_until_us = 0,
error_class = ?, last_error = ?`, class, message)
		if err != nil {
			return err
		}
		if err := unitFailed(t, i.UnitID, class, message); err != nil {
			return err
		}
		return updateUnitStatus(t, i.UnitID)
	})
}

// expiredLease is why a row is ready again that nobody answered for.
const expiredLease = "lease expired before acknowledgement"

// clockSlack is how far a clock is put right without anybody's notice.
const clockSlack = time.Minute

// RecoverLeases makes rows claimable again whose lease is over, and returns how many. Their
// epoch stays, so that who held them is told apart from who holds them next (LC-06.1). A row
// leased or put off by a clock that has been set back since would wait for as long as it was
// ahead: that is over too, and so is what a holder has that is not alive any more. alive nil:
// each is.
func (s *Store) RecoverLeases(ctx context.Context, alive func(holder string) bool) (n int64, err error) {
	err = s.db.Alone(ctx, "recover leases", func(t *db.Tx) error {
		now, ahead := db.Micros(t.Now), db.Micros(t.Now.Add(clockSlack))
		dead, err := deadHolders(t, alive)
		if err != nil {
			return err
		}
		res, err := t.DB.NewRaw(`UPDATE outbox SET status = 'ready', lease_holder = '', lease_until_us = 0, error_class = 'lease_expired',
last_error = ?, updated_us = ? WHERE status = 'leased' AND (lease_until_us <= ? OR updated_us > ? OR lease_holder IN (?)) AND `+undelivered,
			expiredLease, now, now, ahead, bun.List(dead)).Exec(t.Ctx)
		if err != nil {
			return err
		}
		if n, err = res.RowsAffected(); err != nil {
			return err
		}
		_, err = t.DB.ExecContext(t.Ctx, `UPDATE outbox SET next_attempt_us = 0, updated_us = ?
WHERE status = 'ready' AND next_attempt_us > ? AND updated_us > ? AND `+undelivered, now, now, ahead)
		return err
	})
	return n, err
}

// deadHolders are the holders of rows that are not alive.
func deadHolders(t *db.Tx, alive func(holder string) bool) (dead []string, err error) {
	if alive == nil {
		return nil, nil
	}
	var held []string
	err = t.DB.NewSelect().Model((*Row)(nil)).Column("lease_holder").Distinct().Where("status = ?", Leased).Where(undelivered).Scan(t.Ctx, &held)
	for _, holder := range held {
		if !alive(holder) {
			dead = append(dead, holder)
		}
	}
	return dead, err
}

// Discard drops a row that says nothing which the destination has to know: it is
// neither delivered nor given up.
func (s *Store) Discard(ctx context.Context, i *Item) error {
	return s.db.Alone(ctx, "drop", func(t *db.Tx) error {
		if err := fencedUpdate(t, i, "lease_until_us = lease_until_us"); err != nil {
			return err
		}
		for _, table := range []string{"outbox_payloads", "outbox_streams", "outbox"} {
			if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM "+table+" WHERE seq = ?", i.Seq); err != nil { //nolint:gosec // the names above
				return err
			}
		}
		t.Erased = true
		return updateUnitStatus(t, i.UnitID)
	})
}

// RequeueDeadLetters makes dead letters ready at once, as if never tried, and
// returns how many: those only whose reason may have passed, or all of them. All
// of them are what an owner asks for, who means what was put off too: a host may
// have put it off for years.
func (s *Store) RequeueDeadLetters(ctx context.Context, onlyTransient bool) (n int64, err error) {
	return s.requeue(ctx, func(r *Row) bool { return !onlyTransient || TransientClass(r.ErrorClass) }, !onlyTransient)
}

// RequeueRefused makes the batches ready at once, as if never tried, that were given up under a
// class with a message that holds a text, and returns how many: the destination refused them in
// a form in which they are not sent any more.
func (s *Store) RequeueRefused(ctx context.Context, class, text string) (n int64, err error) {
	return s.requeue(ctx, func(r *Row) bool {
		return r.Kind == KindRecordBatch && r.ErrorClass == class && strings.Contains(r.LastError, text)
	}, false)
}

// requeue makes the dead letters ready that are wanted, and with putOff what waits to be tried
// again.
func (s *Store) requeue(ctx context.Context, wanted func(*Row) bool, putOff bool) (n int64, err error) {
	err = s.db.Alone(ctx, "requeue", func(t *db.Tx) error {
		n = 0
		var rows []Row
		err := t.DB.NewSelect().Model(&rows).Column("seq", "kind", "unit_id", "error_class", "last_error").
			Where("status = ?", DeadLetter).Where(undelivered).Order("seq").Scan(t.Ctx)
		if err != nil {
			return err
		}
		for i := range rows {
			r := &rows[i]
			if !wanted(r) {
				continue
			}
			_, err := t.DB.ExecContext(t.Ctx, `UPDATE outbox SET status = 'ready', attempt_count = 0, next_attempt_us = 0, error_class = '',
last_error = '', updated_us = ? WHERE seq = ?`, db.Micros(t.Now), r.Seq)
			if err != nil {
				return err
			}
			if err := updateUnitStatus(t, r.UnitID); err != nil {
				return err
			}
			n++
		}
		if putOff {
			_, err = t.DB.ExecContext(t.Ctx, "UPDATE outbox SET next_attempt_us = 0 WHERE status = 'ready' AND "+undelivered)
		}
		return err
	})
	return n, err
}
