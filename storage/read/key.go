package read

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// keyBytes is the length of a secret key.
const keyBytes = 32

// ServerKey returns the secret key of that name, which it makes from random when there is
// none. A key stays as it is made, and is read once.
func (s *Store) ServerKey(ctx context.Context, name string, random io.Reader) (key []byte, err error) {
	if known, ok := s.keys.Load(name); ok {
		return known.([]byte), nil //nolint:forcetypeassert // nothing else is in there
	}
	defer func() {
		if err == nil {
			s.keys.Store(name, key)
		}
	}()
	const find = "SELECT secret FROM server_keys WHERE name = ?"
	err = s.db.QueryRow(ctx, find, []any{name}, &key)
	if !errors.Is(err, sql.ErrNoRows) {
		return key, s.db.Fail("read a key", err)
	}
	made := make([]byte, keyBytes)
	if _, err := io.ReadFull(random, made); err != nil {
		return nil, err
	}
	err = s.db.Alone(ctx, "make a key", func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, "INSERT INTO server_keys (name, secret, created_us) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING", name, made, t.Now.UnixMicro())
		if err != nil {
			return err
		}
		return t.DB.QueryRowContext(t.Ctx, find, name).Scan(&key) // another process may have been quicker
	})
	return key, err
}
