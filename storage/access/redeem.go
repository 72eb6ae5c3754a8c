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

// RepeatWithin is how long a client may show again what it has shown for its tokens, since the answer may have
// been lost.
const RepeatWithin = time.Minute

// Redemption is what a client gets for a code that its owner has approved: once.
type Redemption struct {
	RequestID string
	Shown     string        // the hash of what the client shows, if it may show it again
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
	Shown        string `bun:"shown_sha256"` // what was shown for it
}

func (r *refreshRow) public() RefreshToken {
	return RefreshToken{r.SHA256, r.GrantID, r.Generation, db.Time(r.ExpiresUS), db.Time(r.SupersededUS)}
}

// Redeem keeps the tokens of an approved request, all of them or none, and that they were
// given. Tokens that were given for the same Shown within RepeatWithin, and that nobody has used, end; it returns
// grants.replayed if others were given before, and grants.redeem_refused if the request is not approved or its
// grant has ended.
func (s *Store) Redeem(ctx context.Context, r Redemption) error {
	return s.db.Alone(ctx, "give the tokens", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, r.RequestID)
		switch {
		case err != nil:
			return err
		case row.State != RequestApproved:
			return redeemRefused()
		case row.TakenUS != 0:
			if err := takeBack(t, r.Shown, row.TakenUS); err != nil {
				return err
			}
		default:
			row.TakenUS = db.Micros(t.Now)
			if _, err := t.DB.NewUpdate().Model(row).Column("taken_us").WherePK().Exec(t.Ctx); err != nil {
				return err
			}
		}
		if r.Owner != nil {
			return putOwnerToken(t, r.Owner, r.Shown)
		}
		if err := holds(t, row.GrantID); err != nil {
			return err
		}
		return putTokens(t, row.GrantID, r.Shown, r.Token, r.Refresh)
	})
}

func putTokens(t *db.Tx, grantID, shown string, token *GrantToken, refresh *RefreshToken) error {
	if err := putToken(t, grantID, shown, token); err != nil || refresh == nil {
		return err
	}
	row := refreshRow{
		SHA256: refresh.SHA256, GrantID: grantID, Generation: refresh.Generation, CreatedUS: db.Micros(t.Now), ExpiresUS: db.Micros(refresh.Expires), Shown: shown,
	}
	_, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx)
	return err
}

// takeBack ends the tokens that were given for what a client shows again, or returns grants.replayed if it may
// not show it again: RepeatWithin is over, or one of them was used, so that somebody has them. Their refresh token
// stays known as superseded: if somebody has it after all, its use ends the grant.
func takeBack(t *db.Tx, shown string, givenUS int64) error {
	given := db.Time(givenUS)
	if shown == "" || t.Now.Before(given) || t.Now.Sub(given) > RepeatWithin {
		return replayed()
	}
	var all, used int
	err := t.DB.QueryRowContext(t.Ctx, "SELECT count(*), coalesce(sum(used), 0) FROM ("+
		"SELECT CASE WHEN used_us >= created_us THEN 1 ELSE 0 END AS used FROM grant_tokens WHERE shown_sha256 = ? UNION ALL "+
		"SELECT CASE WHEN superseded_us > 0 THEN 1 ELSE 0 END FROM grant_refreshes WHERE shown_sha256 = ? UNION ALL "+
		"SELECT CASE WHEN used_us > 0 THEN 1 ELSE 0 END FROM tokens WHERE shown_sha256 = ?) AS given", shown, shown, shown).Scan(&all, &used)
	switch {
	case err != nil:
		return err
	case all == 0 || used > 0:
		return replayed()
	}
	for _, table := range []any{(*grantTokenRow)(nil), (*tokenRow)(nil)} {
		if _, err := t.DB.NewDelete().Model(table).Where("shown_sha256 = ?", shown).Exec(t.Ctx); err != nil {
			return err
		}
	}
	_, err = t.DB.NewUpdate().Model((*refreshRow)(nil)).Set("superseded_us = ?", db.Micros(t.Now)).Set("shown_sha256 = ''").Where("shown_sha256 = ?", shown).Exec(t.Ctx)
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
// token that comes with it: in one transaction, once. For one that was superseded within RepeatWithin by tokens
// that nobody has used, these end, and others are kept. It returns grants.replayed for any other that
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
		case rows[0].SupersededUS == 0 && rows[0].ExpiresUS <= now:
			return redeemRefused()
		}
		row, usedUS := &rows[0], int64(0)
		err = t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(used_us), 0) FROM grant_tokens WHERE grant_id = ?", row.GrantID).Scan(&usedUS)
		if err != nil {
			return err
		}
		if row.SupersededUS != 0 {
			if err := takeBack(t, sha256, row.SupersededUS); err != nil {
				return err
			}
		}
		if err := holds(t, row.GrantID); err != nil {
			return err
		}
		if row.SupersededUS == 0 {
			row.SupersededUS = db.Micros(t.Now)
			if _, err := t.DB.NewUpdate().Model(row).Column("superseded_us").WherePK().Exec(t.Ctx); err != nil {
				return err
			}
		}
		next.Generation = row.Generation + 1
		if err := forgetExpired(t, row.GrantID); err != nil {
			return err
		}
		token.Used = db.Time(min(usedUS, db.Micros(t.Now)-1)) // the grant was used then, and the new token is not
		return putTokens(t, row.GrantID, sha256, &token, &next)
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
