package access

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// CodeSignedOut reports a session or a token that has ended.
const CodeSignedOut abi.Code = "owner.signed_out"

// Session is one browser in which the owner is signed in. The store
// keeps a hash alone of the secret that the browser holds.
type Session struct {
	ID      string
	SHA256  string // of the browser's secret
	Created time.Time
	Used    time.Time // to the hour
	Proved  time.Time // when its owner proved it by a password or a passkey; zero: not known
	Address string    // from which it was opened
	Agent   string    // the browser's name for itself
	Former  string    // of a new one: the session that the browser had before, which ends; "": none
}

// UsedEvery is how exactly the last use of a session or a token is known: a page that is
// only read writes nothing most of the time.
const UsedEvery = time.Hour

type sessionRow struct {
	bun.BaseModel `bun:"table:sessions"`

	ID        string `bun:"id,pk"`
	SHA256    string `bun:"sha256"`
	CreatedUS int64  `bun:"created_us"`
	UsedUS    int64  `bun:"used_us"`
	ProvedUS  int64  `bun:"proved_us"`
	Address   string `bun:"address"`
	Agent     string `bun:"agent"`
}

func (r *sessionRow) public() Session {
	return Session{ID: r.ID, SHA256: r.SHA256, Created: db.Time(r.CreatedUS), Used: db.Time(r.UsedUS), Proved: db.Time(r.ProvedUS), Address: r.Address, Agent: r.Agent}
}

func putSession(t *db.Tx, s Session) error {
	row := sessionRow{ID: s.ID, SHA256: s.SHA256, CreatedUS: db.Micros(t.Now), UsedUS: db.Micros(t.Now), ProvedUS: db.Micros(t.Now), Address: s.Address, Agent: s.Agent}
	_, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx)
	return err
}

// endSessions ends all sessions but one.
func endSessions(t *db.Tx, but string) error {
	_, err := t.DB.NewDelete().Model((*sessionRow)(nil)).Where("id <> ?", but).Exec(t.Ctx)
	return err
}

// OpenSession keeps a session, provided that the password is still the one that was read, and
// forgets those that ended before a moment: opened before opened, or used last before used, and
// the one that it takes the place of.
func (s *Store) OpenSession(ctx context.Context, password string, n Session, opened, used time.Time) (ok bool, err error) {
	err = s.db.Alone(ctx, "open the session", func(t *db.Tx) error {
		row, err := readOwner(t.Ctx, t.DB)
		if ok = row.Password == password; err != nil || !ok {
			return err
		}
		return openSession(t, n, opened, used)
	})
	return ok, err
}

func openSession(t *db.Tx, n Session, opened, used time.Time) error {
	_, err := t.DB.NewDelete().Model((*sessionRow)(nil)).Where("created_us < ? OR used_us < ? OR id = ?", db.Micros(opened), db.Micros(used), n.Former).Exec(t.Ctx)
	return errors.Join(err, putSession(t, n))
}

// SessionOf returns the session whose secret has that hash; nil: there is none.
func (s *Store) SessionOf(ctx context.Context, sha256 string) (*Session, error) {
	return find(ctx, s, "read the session", "sha256", sha256, (*sessionRow).public)
}

// Sessions returns all sessions, the last used first.
func (s *Store) Sessions(ctx context.Context) ([]Session, error) {
	return list(ctx, s, "read the sessions", "used_us DESC", (*sessionRow).public)
}

// SessionUsed keeps that a session is in use now.
func (s *Store) SessionUsed(ctx context.Context, id string) error {
	return s.db.Alone(ctx, "keep the session's last use", func(t *db.Tx) error {
		_, err := t.DB.NewUpdate().Model((*sessionRow)(nil)).Set("used_us = ?", db.Micros(t.Now)).Where("id = ?", id).Exec(t.Ctx)
		return err
	})
}

// SessionProved returns when the owner of a session proved that it is theirs, and whether the session is open. A
// session that was not proven since the store knows of proofs has the zero time.
func (s *Store) SessionProved(ctx context.Context, id string) (proved time.Time, open bool, err error) {
	found, err := find(ctx, s, "read the session", "id", id, (*sessionRow).public)
	if err != nil || found == nil {
		return time.Time{}, false, err
	}
	return found.Proved, true, nil
}

// ProveSession keeps that the owner of a session proved it now, provided that the password is still the one
// that was read.
func (s *Store) ProveSession(ctx context.Context, password, id string) (ok bool, err error) {
	err = s.db.Alone(ctx, "keep the session's proof", func(t *db.Tx) error {
		row, err := readOwner(t.Ctx, t.DB)
		if ok = row.Password == password; err != nil || !ok {
			return err
		}
		return prove(t, id)
	})
	return ok, err
}

// ProveSessionBy is ProveSession for the owner who used a passkey, whose counter is uses now. Its errors are
// those of OpenSessionBy.
func (s *Store) ProveSessionBy(ctx context.Context, key string, uses uint32, id string) error {
	return s.db.Alone(ctx, "keep the session's proof", func(t *db.Tx) error {
		if err := usePasskey(t, key, uses); err != nil {
			return err
		}
		return prove(t, id)
	})
}

func prove(t *db.Tx, id string) error {
	_, err := t.DB.NewUpdate().Model((*sessionRow)(nil)).Set("proved_us = ?", db.Micros(t.Now)).Where("id = ?", id).Exec(t.Ctx)
	return err
}

// EndSession ends a session. It reports whether there was one.
func (s *Store) EndSession(ctx context.Context, id string) (had bool, err error) {
	err = s.db.Alone(ctx, "end the session", func(t *db.Tx) (err error) {
		had, err = removed(t, (*sessionRow)(nil), id)
		return err
	})
	return had, err
}

// removed deletes the row of an id, and reports whether there was one.
func removed(t *db.Tx, model any, id string) (bool, error) {
	res, err := t.DB.NewDelete().Model(model).Where("id = ?", id).Exec(t.Ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
