package credential

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// StoredCredential says that a connection has a credential, and since when. The
// store has sealed bytes only and no key to them; this has not even those.
type StoredCredential struct {
	ConnectionID string    `json:"connection_id"`
	Field        string    `json:"field"`
	UpdatedAt    time.Time `json:"updated_at"`
}

// PutCredentials keeps sealed credentials by field, over what was there: all of
// them or none, and durable when it returns. Fields that are not named stay.
func (s *Store) PutCredentials(ctx context.Context, connectionID string, sealed map[string][]byte) error {
	return s.db.Alone(ctx, "keep credentials", func(t *db.Tx) error {
		n, err := t.DB.NewSelect().Model((*tables.ConnectionRow)(nil)).Where("id = ?", connectionID).Count(t.Ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return tables.UnknownConnection(connectionID)
		}
		if err := PutCredentials(t, connectionID, sealed); err != nil {
			return err
		}
		return evidence.AskAgain(t, connectionID)
	})
}

// PutCredentials keeps sealed credentials within a transaction, as PutCredentials of Store
// does.
func PutCredentials(t *db.Tx, connectionID string, sealed map[string][]byte) error {
	from, err := firstRunFrom(t, connectionID)
	if err != nil {
		return err
	}
	t.Erased = true // what was there before
	for _, field := range slices.Sorted(maps.Keys(sealed)) {
		row := tables.CredentialRow{ConnectionID: connectionID, Field: field, Sealed: sealed[field], UpdatedUS: db.Micros(t.Now), FromRun: from}
		_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id, field) DO UPDATE").
			Set("sealed = EXCLUDED.sealed, updated_us = EXCLUDED.updated_us").Exec(t.Ctx)
		if err != nil {
			return err
		}
	}
	return evidence.RebuildAtCommit(t, connectionID)
}

// CodeCredentialChanged is the code of a renewal that would overwrite a newer value.
const CodeCredentialChanged abi.Code = "storage.credential_changed"

// SealedCredentials returns a connection's sealed credentials by field.
func (s *Store) SealedCredentials(ctx context.Context, connectionID string) (map[string][]byte, error) {
	sealed, err := SealedCredentials(ctx, s.db.Read, connectionID)
	return sealed, s.db.Fail("read credentials", err)
}

// SealedCredentials returns a connection's sealed credentials, by field.
func SealedCredentials(ctx context.Context, q bun.IDB, connectionID string) (map[string][]byte, error) {
	var rows []tables.CredentialRow
	if err := q.NewSelect().Model(&rows).Where("connection_id = ?", connectionID).Scan(ctx); err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(rows))
	for i := range rows {
		out[rows[i].Field] = rows[i].Sealed
	}
	return out, nil
}

// StoredCredentials lists a connection's credentials by field; those of all
// connections, in the order of their ids, when connectionID is "".
func (s *Store) StoredCredentials(ctx context.Context, connectionID string) ([]StoredCredential, error) {
	var rows []tables.CredentialRow
	q := s.db.Read.NewSelect().Model(&rows).Column("connection_id", "field", "updated_us").Order("connection_id", "field")
	if connectionID != "" {
		q = q.Where("connection_id = ?", connectionID)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("list credentials", err)
	}
	out := make([]StoredCredential, len(rows))
	for i, r := range rows {
		out[i] = StoredCredential{ConnectionID: r.ConnectionID, Field: r.Field, UpdatedAt: db.Time(r.UpdatedUS)}
	}
	return out, nil
}

// DeleteCredential forgets one credential, and reports whether there was one. Which
// runs could use it is kept, so that the connection's health knows of it at once.
// Its sealed bytes are overwritten.
func (s *Store) DeleteCredential(ctx context.Context, connectionID, field string) (bool, error) {
	had := false
	err := s.db.Alone(ctx, "forget a credential", func(t *db.Tx) error {
		row := &tables.CredentialRow{ConnectionID: connectionID, Field: field}
		err := t.DB.NewSelect().Model(row).ExcludeColumn("sealed").WherePK().Scan(t.Ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := t.DB.NewDelete().Model(row).WherePK().Exec(t.Ctx); err != nil {
			return err
		}
		if err := recordRemoval(t, row); err != nil {
			return err
		}
		had, t.Erased = true, true
		return evidence.RebuildAtCommit(t, connectionID)
	})
	return had && err == nil, err
}
