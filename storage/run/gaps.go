package run

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Gap is a record whose detail is still to fetch. One exists for each
// (connection, stream, parent, key). JSON fields are nil when absent.
type Gap struct {
	ID            string // the store's, or the caller's when it knows the gap
	ConnectionID  string // set by the store
	Stream        string
	ParentStream  string
	RecordKey     string // canonical key text
	Reason        string
	Class         string
	DetailLocator []byte // JSON, what the connector needs to fetch it; no secret
	ListCursor    []byte // JSON
	Scope         []byte // JSON
	LastError     []byte // JSON

	Status           string
	AttemptCount     int64
	LastAttemptAt    time.Time
	NextAttemptAfter time.Time // not leased before; zero: at once
	DiscoveredRunID  string
	LastRunID        string
	RecoveredRunID   string
	LeaseRunID       string
	LeaseID          string
	LeaseAttempted   bool
	LeaseExpiresAt   time.Time
	CreatedAt        time.Time
	// Failures counts the runs that were served it and asked in vain, since it was last
	// recovered. PutGap keeps the greater of it and what is known.
	Failures int64
}

// GapID names a gap by what it is about, so that it needs no randomness and a
// second sight of it is the same gap.
func GapID(connectionID, stream, parent, key string) string {
	h := sha256.New()
	for _, part := range []string{connectionID, stream, parent, key} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "gap_" + hex.EncodeToString(h.Sum(nil)[:16])
}

// PutGap keeps a gap. One that is known already is refreshed and, when it had
// been recovered, given up or was leased, pending again; its attempts are kept. One of the class
// abi.ReasonGone is given up.
// news is appended to the run's events unless the gap was there for the same reason:
// a backlog that every run sees again would fill the store with what it says already.
func (w *Writer) PutGap(ctx context.Context, g Gap, news ...Event) error {
	row := tables.GapRow{
		ID: GapID(w.To.ConnectionID, g.Stream, g.ParentStream, g.RecordKey), ConnectionID: w.To.ConnectionID,
		Stream: g.Stream, ParentStream: g.ParentStream, RecordKey: g.RecordKey, Reason: g.Reason, Class: g.Class,
		DetailLocator: string(g.DetailLocator), ListCursor: string(g.ListCursor), Scope: string(g.Scope),
		LastError: string(g.LastError), Status: tables.GapPending, DiscoveredRunID: w.runID, LastRunID: w.runID,
		Failures: g.Failures,
	}
	switch {
	case row.Gone():
		row.Status = tables.GapTerminal
	case !g.NextAttemptAfter.IsZero():
		row.NextAttemptUS = db.Micros(g.NextAttemptAfter)
	}
	return w.queue(ctx, func(t *db.Tx) error {
		row.CreatedUS = db.Micros(t.Now)
		before, err := evidence.SameGap(t, &row)
		if err != nil {
			return err
		}
		_, err = t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id, stream, parent_stream, record_key) DO UPDATE").
			Set("failures = max(?TableAlias.failures, EXCLUDED.failures)").
			Set("reason = EXCLUDED.reason, class = EXCLUDED.class, detail_locator = EXCLUDED.detail_locator").
			Set("list_cursor = EXCLUDED.list_cursor, scope = EXCLUDED.scope, last_error = EXCLUDED.last_error").
			Set("status = EXCLUDED.status, next_attempt_us = EXCLUDED.next_attempt_us").
			Set("last_run_id = EXCLUDED.last_run_id, recovered_run_id = ''").
			Set("lease_id = '', lease_attempted = 0, lease_expires_us = 0").Exec(t.Ctx)
		if err == nil {
			err = w.sink.Gap(t, row.ID)
		}
		if err != nil {
			return err
		}
		for _, e := range news {
			if before != nil && (before.Open() || before.Gone()) && before.Reason == row.Reason && before.Gone() == row.Gone() {
				break
			}
			if err := AddEvent(t, w, e); err != nil {
				return err
			}
		}
		return evidence.GapMoved(t, before, &row)
	})
}

// GapOutcome keeps what became of a leased gap: attempted, or recovered. leaseID
// may be "" for a gap that is known to be recovered without a lease. A gap of
// another connection, or a lease that is not the gap's, is boundary.gap_invalid,
// after which the run may go on. It waits until the outcome is durable.
func (w *Writer) GapOutcome(ctx context.Context, gapID, leaseID string, recovered bool) error {
	return w.refusable(ctx, func(t *db.Tx) error {
		row, err := gap(t, w, gapID, leaseID)
		if err != nil {
			return err
		}
		return gapOutcome(t, w, row, recovered)
	})
}

func gapOutcome(t *db.Tx, w *Writer, row *tables.GapRow, recovered bool) error {
	before := *row
	if row.LeaseAttempted == 0 {
		row.AttemptCount++
		row.LeaseAttempted = 1
	}
	row.LastAttemptUS, row.LastRunID = db.Micros(t.Now), w.runID
	if recovered {
		row.Status, row.RecoveredRunID, row.LeaseExpiresUS, row.Failures = tables.GapRecovered, w.runID, 0, 0
	}
	_, err := t.DB.NewUpdate().Model(row).WherePK().
		Column("attempt_count", "lease_attempted", "last_attempt_us", "last_run_id", "status", "recovered_run_id", "lease_expires_us", "failures").
		Exec(t.Ctx)
	if err == nil && recovered {
		err = w.sink.Gap(t, row.ID)
	}
	if err != nil {
		return err
	}
	return evidence.GapMoved(t, &before, row)
}

// GiveUp keeps of gaps that their items are gone or forbidden at the provider: see
// abi.ReasonGone. No run leases them by itself any more. Errors as of GapOutcome.
func (w *Writer) GiveUp(ctx context.Context, ids ...string) error {
	return w.refusable(ctx, func(t *db.Tx) error {
		for _, id := range ids {
			row, err := gap(t, w, id, "")
			if err != nil {
				return err
			}
			before := *row
			row.Status, row.Class, row.LastRunID = tables.GapTerminal, string(abi.ReasonGone), w.runID
			row.NextAttemptUS, row.LeaseExpiresUS = 0, 0
			_, err = t.DB.NewUpdate().Model(row).WherePK().
				Column("status", "class", "last_run_id", "next_attempt_us", "lease_expires_us").Exec(t.Ctx)
			if err == nil {
				err = w.sink.Gap(t, row.ID)
			}
			if err == nil {
				err = evidence.GapMoved(t, &before, row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// refusable runs fn, whose refusal as boundary.gap_invalid is a guest's mistake
// and not the end of the writer: the run's outcome is still to be written.
func (w *Writer) refusable(ctx context.Context, fn func(*db.Tx) error) error {
	if err := w.failure(); err != nil {
		return err
	}
	return w.wait(ctx, &queued{w: w, soft: true}, fn)
}

// gap reads a gap of the run's connection for update.
func gap(t *db.Tx, w *Writer, id, leaseID string) (*tables.GapRow, error) {
	var row tables.GapRow
	err := t.DB.NewSelect().Model(&row).Where("id = ? AND connection_id = ?", id, w.To.ConnectionID).Scan(t.Ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, abi.NewError(abi.CodeGapInvalid, "no such gap in this connection",
			"name a gap that the host has served").WithDetail("gap " + id)
	case err != nil:
		return nil, err
	case leaseID != "" && (row.LeaseID != leaseID || row.LeaseRunID != w.runID):
		return nil, abi.NewError(abi.CodeGapInvalid, "the gap is not leased to this run",
			"use the lease_id that came with the gap").WithDetail("gap " + id)
	}
	return &row, nil
}

// MaxPageRows bounds a page's gaps besides their bytes: the write lock is held
// for each page.
const MaxPageRows = 250

// MaxLookedAt bounds the gaps that are passed over under the write lock because the run
// has found them itself.
const MaxLookedAt = 20_000

// GapOverhead is what a gap costs on the wire besides its texts.
const GapOverhead = 256

// GapOf returns the gap of a row.
func GapOf(r *tables.GapRow) Gap {
	return Gap{
		ID: r.ID, ConnectionID: r.ConnectionID, Stream: r.Stream, ParentStream: r.ParentStream, RecordKey: r.RecordKey,
		Reason: r.Reason, Class: r.Class, DetailLocator: tables.JSONBytes(r.DetailLocator), ListCursor: tables.JSONBytes(r.ListCursor),
		Scope: tables.JSONBytes(r.Scope), LastError: tables.JSONBytes(r.LastError), Status: r.Status, AttemptCount: r.AttemptCount,
		LastAttemptAt: db.Time(r.LastAttemptUS), NextAttemptAfter: db.Time(r.NextAttemptUS), DiscoveredRunID: r.DiscoveredRunID,
		LastRunID: r.LastRunID, RecoveredRunID: r.RecoveredRunID, LeaseRunID: r.LeaseRunID, LeaseID: r.LeaseID,
		LeaseAttempted: r.LeaseAttempted != 0, LeaseExpiresAt: db.Time(r.LeaseExpiresUS), CreatedAt: db.Time(r.CreatedUS),
		Failures: r.Failures,
	}
}
