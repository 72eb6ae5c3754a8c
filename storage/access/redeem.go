package access

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// The codes of what clients show for a token.
const (
	CodeRedeemRefused abi.Code = "grants.redeem_refused" // it is unknown, too old, or of a grant that has ended
	CodeReplayed      abi.Code = "grants.replayed"       // it was used before
)

// Redemption is what a client gets for a code that its owner has approved: once.
type Redemption struct {
	RequestID string
	Token     *GrantToken   // of the request's grant
	Refresh   *RefreshToken // beside it; nil: none
	Owner     *Token        // of FlowOwner, in place of both
}

// RefreshToken is a client's right to the next token of a grant.
type RefreshToken struct {
	SHA256     string // of the secret that the client holds
	GrantID    string
	Generation int64
	Expires    time.Time
	Superseded time.Time // when it was used; zero: it is the newest
}

type refreshRow struct {
	bun.BaseModel `bun:"table:grant_refreshes"`

	SHA256       string `bun:"sha256,pk"`
	GrantID      string `bun:"grant_id"`
	Generation   int64  `bun:"generation"`
	CreatedUS    int64  `bun:"created_us"`
	ExpiresUS    int64  `bun:"expires_us"`
	SupersededUS int64  `bun:"superseded_us"`
}

func (r *refreshRow) public() RefreshToken {
	return RefreshToken{r.SHA256, r.GrantID, r.Generation, db.Time(r.ExpiresUS), db.Time(r.SupersededUS)}
}

// Redeem keeps the tokens of an approved request, all of them or none, and that they were
// given. It returns grants.replayed where they were given before, and grants.redeem_refused
// where the request is not approved or its grant has ended.
func (s *Store) Redeem(ctx context.Context, r Redemption) error {
	return s.db.Alone(ctx, "give the tokens", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, r.RequestID)
		switch {
		case err != nil:
			return err
		case row.TakenUS != 0:
			return replayed()
		case row.State != RequestApproved:
			return redeemRefused()
		}
		row.TakenUS = db.Micros(t.Now)
		if _, err := t.DB.NewUpdate().Model(row).Column("taken_us").WherePK().Exec(t.Ctx); err != nil {
			return err
		}
		if r.Owner != nil {
			return putOwnerToken(t, r.Owner)
		}
		if err := holds(t, row.GrantID); err != nil {
			return err
		}
		return putTokens(t, row.GrantID, r.Token, r.Refresh)
	})
}

func putTokens(t *db.Tx, grantID string, token *GrantToken, refresh *RefreshToken) error {
	if err := putToken(t, grantID, token); err != nil || refresh == nil {
		return err
	}
	row := refreshRow{SHA256: refresh.SHA256, GrantID: grantID, Generation: refresh.Generation, CreatedUS: db.Micros(t.Now), ExpiresUS: db.Micros(refresh.Expires)}
	_, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx)
	return err
}

// holds returns grants.redeem_refused where a grant has ended.
func holds(t *db.Tx, grantID string) error {
	open, err := t.DB.NewSelect().Model((*grantRow)(nil)).
		Where("id = ? AND revoked_us = 0 AND (expires_us = 0 OR expires_us > ?)", grantID, db.Micros(t.Now)).Exists(t.Ctx)
	if err == nil && !open {
		err = redeemRefused()
	}
	return err
}

func redeemRefused() error {
	return abi.NewError(CodeRedeemRefused, "it is unknown, too old, or its grant has ended", "ask the owner again")
}

func replayed() error {
	return abi.NewError(CodeReplayed, "it was used before", "ask the owner again")
}

// RefreshTokenOf returns the refresh token whose secret has that hash, with its grant; nil:
// there is none.
func (s *Store) RefreshTokenOf(ctx context.Context, sha256 string) (*RefreshToken, *Grant, error) {
	r, err := find(ctx, s, "read the refresh token", "sha256", sha256, (*refreshRow).public)
	if err != nil || r == nil {
		return nil, nil, err
	}
	g, err := s.GrantOf(ctx, r.GrantID)
	return r, g, err
}

// Refresh supersedes a refresh token, named by its hash, with the next one, and keeps the
// token that comes with it: in one transaction, once. It returns grants.replayed for one that
// was superseded before, and grants.redeem_refused for one that is unknown or too old, or
// whose grant has ended. Expired tokens of the grant go.
func (s *Store) Refresh(ctx context.Context, sha256 string, token GrantToken, next RefreshToken) error {
	return s.db.Alone(ctx, "renew the token", func(t *db.Tx) error {
		var rows []refreshRow
		err := t.DB.NewSelect().Model(&rows).Where("sha256 = ?", sha256).Scan(t.Ctx)
		switch now := db.Micros(t.Now); {
		case err != nil:
			return err
		case len(rows) == 0:
			return redeemRefused()
		case rows[0].SupersededUS != 0:
			return replayed()
		case rows[0].ExpiresUS <= now:
			return redeemRefused()
		}
		row, usedUS := &rows[0], int64(0)
		if err := holds(t, row.GrantID); err != nil {
			return err
		}
		row.SupersededUS = db.Micros(t.Now)
		if _, err := t.DB.NewUpdate().Model(row).Column("superseded_us").WherePK().Exec(t.Ctx); err != nil {
			return err
		}
		next.Generation = row.Generation + 1
		err = t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(used_us), 0) FROM grant_tokens WHERE grant_id = ?", row.GrantID).Scan(&usedUS)
		if err != nil {
			return err
		}
		if err := forgetExpired(t, row.GrantID); err != nil {
			return err
		}
		token.Used = db.Time(usedUS) // the grant was used then, whichever of its tokens have expired
		return putTokens(t, row.GrantID, &token, &next)
	})
}

// forgetExpired forgets the tokens of a grant that have expired. A refresh token that was
// superseded is known until then, so that its use is noticed.
func forgetExpired(t *db.Tx, grantID string) error {
	for _, table := range []any{(*grantTokenRow)(nil), (*refreshRow)(nil)} {
		if _, err := t.DB.NewDelete().Model(table).Where("grant_id = ? AND expires_us <= ?", grantID, db.Micros(t.Now)).Exec(t.Ctx); err != nil {
			return err
		}
	}
	return nil
}

// RenewCode gives an approved request of FlowCode another code, while the former was not
// used and has not ended: the answer with it may be lost. It reports whether it did.
func (s *Store) RenewCode(ctx context.Context, requestID, code string) (renewed bool, err error) {
	err = s.db.Alone(ctx, "renew the code", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, requestID)
		if err != nil || row.Flow != FlowCode || row.State != RequestApproved || row.TakenUS != 0 || row.CodeExpiresUS <= db.Micros(t.Now) {
			return err
		}
		row.CodeSHA256, renewed = code, true
		_, err = t.DB.NewUpdate().Model(row).Column("code_sha256").WherePK().Exec(t.Ctx)
		return err
	})
	return renewed, err
}
