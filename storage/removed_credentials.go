package storage

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"

	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

// firstRunFrom is the first run that can use what is stored now: the one that goes
// on, else the next.
func firstRunFrom(t *db.Tx, connectionID string) (int64, error) {
	var pk int64
	var status string
	err := t.DB.QueryRowContext(t.Ctx, "SELECT pk, status FROM runs WHERE connection_id = ? ORDER BY pk DESC LIMIT 1", connectionID).Scan(&pk, &status)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if status != StatusRunning {
		pk++
	}
	return pk, err
}

// takeAway keeps which runs could use a credential that is being removed. One that
// no run could use leaves nothing; and what was removed of its field before stays,
// as long as no run has told since how the connection is without it.
func takeAway(t *db.Tx, c *credentialRow) error {
	newest, err := gathererIn(t).newestRun(c.ConnectionID)
	if err != nil || newest == 0 || c.FromRun > newest {
		return err
	}
	row := removedCredentialRow{ConnectionID: c.ConnectionID, Field: c.Field, FromRun: c.FromRun, ToRun: newest, RemovedUS: micros(t.Now)}
	before, err := gathererIn(t).taken(c.ConnectionID)
	if err != nil {
		return err
	}
	for i := range before {
		if before[i].Field == c.Field {
			row.FromRun = min(row.FromRun, before[i].FromRun)
		}
	}
	_, err = t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id, field) DO UPDATE").
		Set("from_run = EXCLUDED.from_run, to_run = EXCLUDED.to_run, removed_us = EXCLUDED.removed_us").Exec(t.Ctx)
	return err
}

// signedOut is when the newest credential was removed that the connection's
// connector requires and its settled run could use, whether there is another by
// now or not; zero: none was.
func (s *Store) signedOut(ctx context.Context, connectionID string) (newest time.Time, err error) {
	g := gatherer{s.db.Read, ctx}
	rows, err := g.taken(connectionID)
	if err != nil || len(rows) == 0 {
		return newest, err
	}
	c, err := named(ctx, s.db.Read, connectionID)
	if err != nil {
		return newest, err
	}
	f := &health.Stored{Manifest: &health.StoredManifest{}}
	_ = acceptManifest(f, c.PinnedManifest) // what one that cannot be read requires, nobody knows: health says so
	for i := range rows {
		if at := at(rows[i].RemovedUS); slices.Contains(f.Manifest.Credentials, rows[i].Field) && at.After(newest) {
			newest = at
		}
	}
	return newest, nil
}
