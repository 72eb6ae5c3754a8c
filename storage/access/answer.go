package access

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Answer is what a request that may come again was answered.
type Answer struct {
	Request string // the hash of the request
	Status  int    // 0: it was not answered so far
	Body    []byte // empty: it is not kept
}

type answerRow struct {
	bun.BaseModel `bun:"table:answers"`

	Key     string `bun:"key_sha256,pk"`
	Request string `bun:"request_sha256"`
	Status  int    `bun:"status"`
	Body    string `bun:"body"`
	AtUS    int64  `bun:"at_us"`
}

// BeginAnswer returns what the request of that key was answered within the time of keep; nil:
// there was none, and the key is this one's from now on. Both are hashes. Of more answers
// than most the oldest go.
func (s *Store) BeginAnswer(ctx context.Context, key, request string, keep time.Duration, most int64) (before *Answer, err error) {
	err = s.db.Alone(ctx, "begin the answer", func(t *db.Tx) error {
		if _, err := t.DB.NewDelete().Model((*answerRow)(nil)).Where("at_us <= ?", db.Micros(t.Now.Add(-keep))).Exec(t.Ctx); err != nil {
			return err
		}
		found := answerRow{Key: key}
		err := t.DB.NewSelect().Model(&found).WherePK().Scan(t.Ctx)
		if err == nil {
			before = &Answer{found.Request, found.Status, []byte(found.Body)}
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := dropOldestAnswers(t, most); err != nil {
			return err
		}
		_, err = t.DB.NewInsert().Model(&answerRow{Key: key, Request: request, AtUS: db.Micros(t.Now)}).Exec(t.Ctx)
		return err
	})
	return before, err
}

// dropOldestAnswers makes room for one more answer.
func dropOldestAnswers(t *db.Tx, most int64) error {
	n, err := t.DB.NewSelect().Model((*answerRow)(nil)).Count(t.Ctx)
	if err != nil || n < most {
		return err
	}
	oldest := t.DB.NewSelect().Model((*answerRow)(nil)).Column("key_sha256").Order("at_us", "key_sha256").Limit(n - most + 1)
	_, err = t.DB.NewDelete().Model((*answerRow)(nil)).Where("key_sha256 IN (?)", oldest).Exec(t.Ctx)
	return err
}

// KeepAnswer keeps what the request of a key was answered.
func (s *Store) KeepAnswer(ctx context.Context, key string, status int, body []byte) error {
	return s.db.Alone(ctx, "keep the answer", func(t *db.Tx) error {
		_, err := t.DB.NewUpdate().Model(&answerRow{Key: key, Status: status, Body: string(body)}).Column("status", "body").WherePK().Exec(t.Ctx)
		return err
	})
}

// ForgetAnswer frees a key: its request changed nothing.
func (s *Store) ForgetAnswer(ctx context.Context, key string) error {
	return s.db.Alone(ctx, "forget the answer", func(t *db.Tx) error {
		_, err := t.DB.NewDelete().Model(&answerRow{Key: key}).WherePK().Exec(t.Ctx)
		return err
	})
}
