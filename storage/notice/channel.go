package notice

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Channel is a way to an owner.
type Channel struct {
	ID        string // never used before; ids are ordered by time
	Kind      string // web_push, email, service
	Name      string // the owner's
	Target    string // what may be shown of its address
	Sealed    []byte
	CreatedAt time.Time
	SentAt    time.Time // zero: nothing was sent
	FailedAt  time.Time // the last failure; zero: it works
	Failures  int64     // since it worked
	Code      string    // of the last failure
	NextAt    time.Time // until then it is left alone
}

type channelRow struct {
	bun.BaseModel `bun:"table:notice_channels"`

	ID        string `bun:"id,pk"`
	Kind      string `bun:"kind"`
	Name      string `bun:"name"`
	Target    string `bun:"target"`
	Sealed    []byte `bun:"sealed"`
	CreatedUS int64  `bun:"created_us"`
	SentUS    int64  `bun:"sent_us"`
	FailedUS  int64  `bun:"failed_us"`
	Failures  int64  `bun:"failures"`
	Code      string `bun:"code"`
	NextUS    int64  `bun:"next_us"`
}

func (r *channelRow) public() Channel {
	return Channel{
		ID: r.ID, Kind: r.Kind, Name: r.Name, Target: r.Target, Sealed: r.Sealed, CreatedAt: db.Time(r.CreatedUS), SentAt: db.Time(r.SentUS),
		FailedAt: db.Time(r.FailedUS), Failures: r.Failures, Code: r.Code, NextAt: db.Time(r.NextUS),
	}
}

// AddChannel keeps a channel.
func (s *Store) AddChannel(ctx context.Context, c Channel) error {
	return s.db.Alone(ctx, "keep the channel", func(t *db.Tx) error {
		r := channelRow{ID: c.ID, Kind: c.Kind, Name: c.Name, Target: c.Target, Sealed: c.Sealed, CreatedUS: db.Micros(t.Now)}
		_, err := t.DB.NewInsert().Model(&r).Exec(t.Ctx)
		return err
	})
}

// Channels returns all channels, the oldest first.
func (s *Store) Channels(ctx context.Context) ([]Channel, error) {
	var rows []channelRow
	if err := s.db.Read.NewSelect().Model(&rows).Order("id").Scan(ctx); err != nil {
		return nil, s.db.Fail("read the channels", err)
	}
	out := make([]Channel, len(rows))
	for i := range rows {
		out[i] = rows[i].public()
	}
	return out, nil
}

// Channel returns the channel of that id, or notifications.unknown.
func (s *Store) Channel(ctx context.Context, id string) (*Channel, error) {
	r := channelRow{ID: id}
	err := s.db.Read.NewSelect().Model(&r).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, abi.NewError(CodeChannelUnknown, "there is no such channel", "`pdpp-host notifications list` shows the ones there are")
	}
	if err != nil {
		return nil, s.db.Fail("read the channel", err)
	}
	c := r.public()
	return &c, nil
}

// RemoveChannel forgets a channel, and what is on its way to it. It reports whether there
// was one.
func (s *Store) RemoveChannel(ctx context.Context, id string) (had bool, err error) {
	err = s.db.Alone(ctx, "remove the channel", func(t *db.Tx) error {
		res, err := t.DB.NewDelete().Model(&channelRow{ID: id}).WherePK().Exec(t.Ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		had = n > 0
		t.Erased = t.Erased || had
		return err
	})
	return had, err
}

// ChannelWorked keeps that something was sent by a channel.
func (s *Store) ChannelWorked(ctx context.Context, id string) error {
	return s.db.Alone(ctx, "keep that the channel works", func(t *db.Tx) error { return worked(t, id) })
}

func worked(t *db.Tx, id string) error {
	r := channelRow{ID: id, SentUS: db.Micros(t.Now)}
	_, err := t.DB.NewUpdate().Model(&r).Column("sent_us", "failed_us", "failures", "code", "next_us").WherePK().Exec(t.Ctx)
	return err
}

// ChannelFailed keeps that a channel failed, and until when it is left alone.
func (s *Store) ChannelFailed(ctx context.Context, id, code string, next time.Time) error {
	return s.db.Alone(ctx, "keep that the channel fails", func(t *db.Tx) error { return failed(t, id, code, next) })
}

func failed(t *db.Tx, id, code string, next time.Time) error {
	_, err := t.DB.NewUpdate().Model((*channelRow)(nil)).Set("failures = failures + 1, failed_us = ?, code = ?, next_us = ?", db.Micros(t.Now), code, db.Micros(next)).
		Where("id = ?", id).Exec(t.Ctx)
	return err
}
