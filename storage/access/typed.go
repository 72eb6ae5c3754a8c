package access

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// The codes of what owners type.
const (
	CodeUserCode       abi.Code = "grants.user_code_unknown"
	CodeUserCodes      abi.Code = "grants.too_many_user_codes"
	CodeUserCodeNeeded abi.Code = "grants.user_code_needed"
)

type wrongCodeRow struct {
	bun.BaseModel `bun:"table:wrong_user_codes"`

	ID   string `bun:"id,pk"`
	AtUS int64  `bun:"at_us"`
}

// TypeUserCode keeps that an owner typed the code with that hash, and returns its request. It
// returns grants.user_code_unknown for one that no waiting request has. Where most were wrong
// within the time of window, it looks at none and returns grants.too_many_user_codes.
func (s *Store) TypeUserCode(ctx context.Context, sha256 string, most int, window time.Duration) (*GrantRequest, error) {
	var out *GrantRequest
	err := s.db.Alone(ctx, "look for the code", func(t *db.Tx) error {
		if _, err := t.DB.NewDelete().Model((*wrongCodeRow)(nil)).Where("at_us <= ?", db.Micros(t.Now.Add(-window))).Exec(t.Ctx); err != nil {
			return err
		}
		wrong, err := t.DB.NewSelect().Model((*wrongCodeRow)(nil)).Count(t.Ctx)
		if err != nil {
			return err
		}
		if wrong >= int64(most) {
			return abi.NewError(CodeUserCodes, "too many codes were wrong within an hour", "try again in an hour")
		}
		var rows []requestRow
		err = t.DB.NewSelect().Model(&rows).Where("user_code_sha256 = ? AND state = ? AND expires_us > ?", sha256, RequestPending, db.Micros(t.Now)).Scan(t.Ctx)
		if err != nil {
			return err
		}
		if len(rows) == 0 { // the attempt counts: the transaction is kept
			_, err := t.DB.NewInsert().Model(&wrongCodeRow{ID: t.NewID(), AtUS: db.Micros(t.Now)}).Exec(t.Ctx)
			return err
		}
		rows[0].TypedUS = db.Micros(t.Now)
		found := rows[0].public()
		out = &found
		_, err = t.DB.NewUpdate().Model(&rows[0]).Column("typed_us").WherePK().Exec(t.Ctx)
		return err
	})
	if err == nil && out == nil {
		err = abi.NewError(CodeUserCode, "no device that waits shows this code", "look at the device again; a code is good for ten minutes")
	}
	return out, err
}

func codeNeeded() error {
	return abi.NewError(CodeUserCodeNeeded, "the code that the device shows was not typed", "type it on the page Apps, or with `pdpp-host grants code CODE`")
}

// ApproveOwnerToken closes a request of FlowOwner whose code was typed, with what its owner
// chose, as JSON: its device fetches the token.
func (s *Store) ApproveOwnerToken(ctx context.Context, id string, chosen []byte) error {
	return s.db.Alone(ctx, "approve the request", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, id)
		if err != nil {
			return err
		}
		if err := row.open(t.Now); err != nil {
			return err
		}
		if row.Flow != FlowOwner {
			return abi.NewError(CodeApprovalConflict, "the app asks to read, and for no token that speaks for you", "`pdpp-host grants look` shows what it asks for")
		}
		if row.TypedUS == 0 {
			return codeNeeded()
		}
		row.State, row.DecidedUS, row.Review = RequestApproved, db.Micros(t.Now), string(chosen)
		_, err = t.DB.NewUpdate().Model(row).Column("state", "decided_us", "review").WherePK().Exec(t.Ctx)
		return err
	})
}

// UnfetchedOwnerTokens returns the requests whose devices may fetch a token that speaks for the owner and have not yet,
// the newest approval first, without what they ask for.
func (s *Store) UnfetchedOwnerTokens(ctx context.Context) ([]GrantRequest, error) {
	var rows []requestRow
	err := s.db.Read.NewSelect().Model(&rows).ExcludeColumn("details", "review").
		Where("flow = ? AND state = ? AND taken_us = 0 AND expires_us > ?", FlowOwner, RequestApproved, db.Micros(s.db.Now())).Order("decided_us DESC", "id").Scan(ctx)
	if err != nil {
		return nil, s.db.Fail("read the approvals", err)
	}
	out := make([]GrantRequest, len(rows))
	for i := range rows {
		out[i] = rows[i].public()
	}
	return out, nil
}

// WithdrawOwnerToken refuses a request of FlowOwner that was approved: its device fetches no token any more, and one that
// it has fetched meanwhile ends. It returns grants.request_unknown for any other.
func (s *Store) WithdrawOwnerToken(ctx context.Context, id string) error {
	return s.db.Alone(ctx, "withdraw the approval", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, id)
		if err != nil {
			return err
		}
		if row.Flow != FlowOwner || row.State != RequestApproved {
			return unknownRequest()
		}
		row.State, row.DecidedUS = RequestDenied, db.Micros(t.Now)
		if _, err := t.DB.NewUpdate().Model(row).Column("state", "decided_us").WherePK().Exec(t.Ctx); err != nil || row.TakenUS == 0 {
			return err
		}
		_, err = t.DB.NewDelete().Model((*tokenRow)(nil)).Where("shown_sha256 = ?", row.Polling).Exec(t.Ctx)
		return err
	})
}
