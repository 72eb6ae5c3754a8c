package access

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// The codes of passkeys.
const (
	CodePasskeyUnknown abi.Code = "owner.passkey_unknown" //nolint:gosec // the name of a refusal
	CodePasskeyKnown   abi.Code = "owner.passkey_known"   //nolint:gosec // it is kept already; the name of a refusal
	CodePasskeyLast    abi.Code = "owner.passkey_last"    // the owner has no other way to sign in
	CodePasskeyCopied  abi.Code = "owner.passkey_copied"  //nolint:gosec // its counter did not go up; the name of a refusal
	CodePasskeysFull   abi.Code = "owner.passkeys_full"
)

// MostPasskeys bounds how many passkeys an owner has.
const MostPasskeys = 20

// Passkey is a key pair of the owner's device. The store keeps its public half.
type Passkey struct {
	ID         string
	Credential []byte // the id that the device gave it
	PublicKey  []byte // COSE
	Party      string // the host name that it was made for
	Name       string
	Flags      uint8  // the device's word on itself when it was made
	Uses       uint32 // the device's counter when it was used last; 0: it has none
	Created    time.Time
	Used       time.Time // zero: never
}

type passkeyRow struct {
	bun.BaseModel `bun:"table:passkeys"`

	ID         string `bun:"id,pk"`
	Credential []byte `bun:"credential"`
	PublicKey  []byte `bun:"public_key"`
	Party      string `bun:"party"`
	Name       string `bun:"name"`
	Flags      uint8  `bun:"flags"`
	Uses       uint32 `bun:"uses"`
	CreatedUS  int64  `bun:"created_us"`
	UsedUS     int64  `bun:"used_us"`
}

func (r *passkeyRow) public() Passkey {
	return Passkey{r.ID, r.Credential, r.PublicKey, r.Party, r.Name, r.Flags, r.Uses, db.Time(r.CreatedUS), db.Time(r.UsedUS)}
}

func putPasskey(t *db.Tx, p *Passkey) error {
	row := passkeyRow{
		ID: p.ID, Credential: p.Credential, PublicKey: p.PublicKey, Party: p.Party, Name: p.Name, Flags: p.Flags, Uses: p.Uses, CreatedUS: db.Micros(t.Now),
	}
	_, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx)
	return err
}

func endPasskeys(t *db.Tx) error {
	_, err := t.DB.NewDelete().Model((*passkeyRow)(nil)).Where("TRUE").Exec(t.Ctx)
	return err
}

// Passkeys returns all passkeys, the newest first.
func (s *Store) Passkeys(ctx context.Context) ([]Passkey, error) {
	return list(ctx, s, "read the passkeys", "created_us DESC", (*passkeyRow).public)
}

// PasskeyOf returns the passkey that a device calls credential; nil: there is none.
func (s *Store) PasskeyOf(ctx context.Context, credential []byte) (*Passkey, error) {
	return find(ctx, s, "read the passkey", "credential", credential, (*passkeyRow).public)
}

// AddPasskey keeps a passkey. It returns owner.passkey_known for one that is kept already,
// and owner.passkeys_full where there are MostPasskeys.
func (s *Store) AddPasskey(ctx context.Context, n *Passkey) error {
	return s.db.Alone(ctx, "keep the passkey", func(t *db.Tx) error {
		var rows []passkeyRow
		if err := t.DB.NewSelect().Model(&rows).Column("credential").Scan(t.Ctx); err != nil {
			return err
		}
		for i := range rows {
			if string(rows[i].Credential) == string(n.Credential) {
				return abi.NewError(CodePasskeyKnown, "that passkey is kept already", "use another device, or remove it first")
			}
		}
		if len(rows) >= MostPasskeys {
			return abi.NewError(CodePasskeysFull, "there are 20 passkeys, and no more fit", "remove one that is not used any more")
		}
		return putPasskey(t, n)
	})
}

// RemovePasskey forgets a passkey and ends every session but one: whoever has the device may
// be signed in. It returns owner.passkey_last where the owner would have no way left to sign
// in.
func (s *Store) RemovePasskey(ctx context.Context, id, session string) error {
	return s.db.Alone(ctx, "remove the passkey", func(t *db.Tx) error {
		row, err := readOwner(t.Ctx, t.DB)
		if err != nil {
			return err
		}
		n, err := t.DB.NewSelect().Model((*passkeyRow)(nil)).Count(t.Ctx)
		if err != nil {
			return err
		}
		had, err := removed(t, (*passkeyRow)(nil), id)
		switch {
		case err != nil:
			return err
		case !had:
			return abi.NewError(CodePasskeyUnknown, "there is no passkey of that id", "it may be removed already")
		case n == 1 && row.Password == "":
			return abi.NewError(CodePasskeyLast, "it is your only way to sign in", "add another passkey or set a password first")
		}
		return endSessions(t, session)
	})
}

// OpenSessionBy is OpenSession for the owner who used a passkey, whose counter is uses now.
// It returns owner.passkey_copied where the counter did not go up, and owner.passkey_unknown
// where the passkey is gone.
func (s *Store) OpenSessionBy(ctx context.Context, id string, uses uint32, n Session, opened, used time.Time) error {
	return s.db.Alone(ctx, "open the session", func(t *db.Tx) error {
		if err := usePasskey(t, id, uses); err != nil {
			return err
		}
		return openSession(t, n, opened, used)
	})
}

// usePasskey keeps that a passkey was used now, with its counter.
func usePasskey(t *db.Tx, id string, uses uint32) error {
	row := passkeyRow{ID: id}
	if err := t.DB.NewSelect().Model(&row).WherePK().Scan(t.Ctx); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return abi.NewError(CodePasskeyUnknown, "there is no passkey of that id", "it may be removed already")
		}
		return err
	}
	if uses <= row.Uses && (uses != 0 || row.Uses != 0) {
		return abi.NewError(CodePasskeyCopied, "the passkey counts fewer uses than before, so there may be a copy of it",
			"sign in another way, remove it in the settings, and look at the audit log")
	}
	row.Uses, row.UsedUS = uses, db.Micros(t.Now)
	_, err := t.DB.NewUpdate().Model(&row).Column("uses", "used_us").WherePK().Exec(t.Ctx)
	return err
}
