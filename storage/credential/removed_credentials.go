package credential

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
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
	if status != tables.StatusRunning {
		pk++
	}
	return pk, err
}

// recordRemoval records which runs could use a credential that is being removed. A credential
// that no run could use leaves no record. An earlier removal of the same field stays until a
// run has shown how the connection is without it.
func recordRemoval(t *db.Tx, c *tables.CredentialRow) error {
	newest, err := evidence.GatherIn(t).NewestRun(c.ConnectionID)
	if err != nil || newest == 0 || c.FromRun > newest {
		return err
	}
	row := tables.RemovedCredentialRow{ConnectionID: c.ConnectionID, Field: c.Field, FromRun: c.FromRun, ToRun: newest, RemovedUS: db.Micros(t.Now)}
	before, err := evidence.GatherIn(t).Taken(c.ConnectionID)
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

// SignedOut is when the newest credential was removed that the connection's
// connector requires and its settled run could use, whether there is another by
// now or not; zero: none was.
func (s *Store) SignedOut(ctx context.Context, connectionID string) (newest time.Time, err error) {
	g := evidence.NewGatherer(ctx, s.db.Read)
	rows, err := g.Taken(connectionID)
	if err != nil || len(rows) == 0 {
		return newest, err
	}
	c, err := tables.FindConnection(ctx, s.db.Read, connectionID)
	if err != nil {
		return newest, err
	}
	f := &stored.Facts{Manifest: &stored.Manifest{}}
	_ = evidence.AcceptManifest(f, c.PinnedManifest) // what one that cannot be read requires, nobody knows: health says so
	for i := range rows {
		if at := db.Time(rows[i].RemovedUS); slices.Contains(f.Manifest.Credentials, rows[i].Field) && at.After(newest) {
			newest = at
		}
	}
	return newest, nil
}
