package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// CodeLinkInvalid reports a set-up code that is unknown, used or too old.
const CodeLinkInvalid abi.Code = "owner.link_invalid"

// Owner is how the owner of this host proves who they are.
type Owner struct {
	Password string // argon2id with its parameters; "": none is chosen
	Passkeys bool   // there is one
	Changed  time.Time
}

// Claimed reports whether there is an owner.
func (o *Owner) Claimed() bool { return o.Password != "" || o.Passkeys }

type ownerRow struct {
	bun.BaseModel `bun:"table:owners"`

	Name          string `bun:"name,pk"`
	Password      string `bun:"password"`
	LinkSHA256    string `bun:"link_sha256"`
	LinkExpiresUS int64  `bun:"link_expires_us"`
	ChangedUS     int64  `bun:"changed_us"`
}

func readOwner(ctx context.Context, q bun.IDB) (row ownerRow, err error) {
	row.Name = tables.TheOwner
	err = tables.ReadOwners(ctx, q, &row)
	return row, err
}

func writeOwner(t *db.Tx, row ownerRow) error {
	row.ChangedUS = db.Micros(t.Now)
	_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (name) DO UPDATE").
		Set("password = EXCLUDED.password, link_sha256 = EXCLUDED.link_sha256, link_expires_us = EXCLUDED.link_expires_us, changed_us = EXCLUDED.changed_us").
		Exec(t.Ctx)
	return err
}

// Owner returns how the owner proves who they are.
func (s *Store) Owner(ctx context.Context) (Owner, error) {
	row, err := readOwner(ctx, s.db.Read)
	if err != nil {
		return Owner{}, s.db.Fail("read the owner", err)
	}
	passkeys, err := s.db.Read.NewSelect().Model((*passkeyRow)(nil)).Exists(ctx)
	if err != nil {
		return Owner{}, s.db.Fail("read the owner", err)
	}
	return Owner{Password: row.Password, Passkeys: passkeys, Changed: db.Time(row.ChangedUS)}, nil
}

// OfferLink keeps the hash of a set-up code until it expires, in the place of an earlier
// one. With reset, the password, the passkeys and all sessions end at once.
func (s *Store) OfferLink(ctx context.Context, sha256 string, expires time.Time, reset bool) error {
	return s.db.Alone(ctx, "keep the set-up link", func(t *db.Tx) error {
		row, err := readOwner(t.Ctx, t.DB)
		if err != nil {
			return err
		}
		row.LinkSHA256, row.LinkExpiresUS = sha256, db.Micros(expires)
		if reset {
			row.Password = ""
			if err := errors.Join(endPasskeys(t), endSessions(t, "")); err != nil {
				return err
			}
		}
		return writeOwner(t, row)
	})
}

// LinkOpen reports whether the set-up code of that hash may be used now.
func (s *Store) LinkOpen(ctx context.Context, sha256 string, now time.Time) (bool, error) {
	row, err := readOwner(ctx, s.db.Read)
	return err == nil && row.opens(sha256, now), s.db.Fail("read the set-up link", err)
}

func (r *ownerRow) opens(sha256 string, now time.Time) bool {
	return r.LinkSHA256 != "" && db.Micros(now) < r.LinkExpiresUS && subtle.ConstantTimeCompare([]byte(r.LinkSHA256), []byte(sha256)) == 1
}

// UseLink sets how the owner signs in with a set-up code, which is used up: a password, or a
// passkey where that is not nil. Earlier ways and all sessions end, and the first one opens.
// It returns owner.link_invalid for a code that is unknown, used or too old.
func (s *Store) UseLink(ctx context.Context, sha256, password string, passkey *Passkey, first Session) error {
	return s.db.Alone(ctx, "use the set-up link", func(t *db.Tx) error {
		row, err := readOwner(t.Ctx, t.DB)
		if err != nil {
			return err
		}
		if !row.opens(sha256, t.Now) {
			return abi.NewError(CodeLinkInvalid, "the set-up link is unknown, used or too old", "`pdpp-host owner reset` makes a new one")
		}
		row.Password, row.LinkSHA256, row.LinkExpiresUS = password, "", 0
		if err := errors.Join(writeOwner(t, row), endPasskeys(t), endSessions(t, ""), putSession(t, first)); err != nil || passkey == nil {
			return err
		}
		return putPasskey(t, passkey)
	})
}

// ChangePassword replaces the password, provided that it is still the one that was read,
// and ends every session but one. An open set-up link ends, too.
func (s *Store) ChangePassword(ctx context.Context, was, password, session string) (changed bool, err error) {
	err = s.db.Alone(ctx, "change the password", func(t *db.Tx) error {
		row, err := readOwner(t.Ctx, t.DB)
		if changed = row.Password == was; err != nil || !changed {
			return err
		}
		row.Password, row.LinkSHA256, row.LinkExpiresUS = password, "", 0
		return errors.Join(writeOwner(t, row), endSessions(t, session))
	})
	return changed, err
}
