package notice

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Episode is something that lasts which an owner is told of.
type Episode struct {
	ConnectionID string
	Identity     string
	BeganAt      time.Time
	SentAt       time.Time // the owner was last told; zero: not yet
}

type episodeRow struct {
	bun.BaseModel `bun:"table:notice_episodes"`

	ConnectionID string `bun:"connection_id,pk"`
	Identity     string `bun:"identity,pk"`
	BeganUS      int64  `bun:"began_us"`
	SentUS       int64  `bun:"sent_us"`
}

// Look is what has changed since the last look.
type Look struct {
	Place int64     // of the last change that was looked at
	At    time.Time // when
	Kept  []Episode // begun, or told again
	Over  []Episode
	Texts []Text // for each channel
}

// Episodes returns the episodes that last.
func (s *Store) Episodes(ctx context.Context) ([]Episode, error) {
	var rows []episodeRow
	if err := s.db.Read.NewSelect().Model(&rows).Order("connection_id", "identity").Scan(ctx); err != nil {
		return nil, s.db.Fail("read what owners are told of", err)
	}
	out := make([]Episode, len(rows))
	for i, r := range rows {
		out[i] = Episode{r.ConnectionID, r.Identity, db.Time(r.BeganUS), db.Time(r.SentUS)}
	}
	return out, nil
}

// KeepLook keeps a look and what comes of it, all of it or nothing. A notice of an
// episode that is over, or that is told anew, goes no further. A connection that is gone
// leaves nothing.
func (s *Store) KeepLook(ctx context.Context, l Look) error {
	return s.db.Alone(ctx, "keep what owners are told", func(t *db.Tx) error {
		for _, e := range l.Over {
			if _, err := t.DB.NewDelete().Model(&episodeRow{ConnectionID: e.ConnectionID, Identity: e.Identity}).WherePK().Exec(t.Ctx); err != nil {
				return err
			}
			if err := drop(t, e.ConnectionID, e.Identity); err != nil {
				return err
			}
		}
		for _, e := range l.Kept {
			r := episodeRow{ConnectionID: e.ConnectionID, Identity: e.Identity, BeganUS: db.Micros(e.BeganAt)}
			if !e.SentAt.IsZero() {
				r.SentUS = db.Micros(e.SentAt)
			}
			there, err := connectionThere(t, e.ConnectionID)
			switch {
			case err != nil:
				return err
			case !there:
				continue
			}
			if _, err := t.DB.NewInsert().Model(&r).On("CONFLICT (connection_id, identity) DO UPDATE").Set("sent_us = EXCLUDED.sent_us").Exec(t.Ctx); err != nil {
				return err
			}
		}
		for _, text := range l.Texts {
			if err := put(t, text); err != nil {
				return err
			}
		}
		return keepSettings(t, func(r *settingsRow) { r.Place, r.LookedUS = l.Place, db.Micros(l.At) })
	})
}
