package notice

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Notice is a text on its way to a channel.
type Notice struct {
	ID        string
	ChannelID string
	Identity  string // of its episode
	Title     string
	Body      string
	CreatedAt time.Time
	Attempts  int64 // before this one
}

type noticeRow struct {
	bun.BaseModel `bun:"table:notices"`

	ID           string `bun:"id,pk"`
	ChannelID    string `bun:"channel_id"`
	ConnectionID string `bun:"connection_id"`
	Identity     string `bun:"identity"`
	Title        string `bun:"title"`
	Body         string `bun:"body"`
	CreatedUS    int64  `bun:"created_us"`
	Attempts     int64  `bun:"attempts"`
	Claimed      int64  `bun:"claimed"`
}

// put sends a text on its way to each channel, in the place of what is on its way of the
// same episode.
func put(t *db.Tx, text Text) error {
	if err := drop(t, text.ConnectionID, text.Identity); err != nil {
		return err
	}
	if there, err := connectionThere(t, text.ConnectionID); err != nil || !there {
		return err
	}
	var channels []channelRow
	if err := t.DB.NewSelect().Model(&channels).Column("id").Order("id").Scan(t.Ctx); err != nil {
		return err
	}
	for _, c := range channels {
		r := noticeRow{
			ID: text.ID + "." + c.ID, ChannelID: c.ID, ConnectionID: text.ConnectionID, Identity: text.Identity,
			Title: text.Title, Body: text.Body, CreatedUS: db.Micros(t.Now),
		}
		if _, err := t.DB.NewInsert().Model(&r).Exec(t.Ctx); err != nil {
			return err
		}
	}
	return nil
}

func drop(t *db.Tx, connectionID, identity string) error {
	_, err := t.DB.NewDelete().Model((*noticeRow)(nil)).Where("connection_id = ? AND identity = ? AND claimed = 0", connectionID, identity).Exec(t.Ctx)
	return err
}

// ClaimNotice returns the next notice on its way to a channel, which nobody else gets then;
// nil: there is none, or the channel is left alone.
func (s *Store) ClaimNotice(ctx context.Context, channelID string) (n *Notice, err error) {
	err = s.db.Alone(ctx, "take a notice", func(t *db.Tx) error {
		var rows []noticeRow
		err := t.DB.NewSelect().Model(&rows).Where("channel_id = ? AND claimed = 0", channelID).
			Where("EXISTS (SELECT 1 FROM notice_channels c WHERE c.id = ? AND c.next_us <= ?)", channelID, db.Micros(t.Now)).Order("id").Limit(1).Scan(t.Ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		r := &rows[0]
		n = &Notice{r.ID, r.ChannelID, r.Identity, r.Title, r.Body, db.Time(r.CreatedUS), r.Attempts}
		r.Claimed, r.Attempts = 1, r.Attempts+1
		_, err = t.DB.NewUpdate().Model(r).Column("claimed", "attempts").WherePK().Exec(t.Ctx)
		return err
	})
	return n, err
}

// DueChannels returns the ids of the channels that something is on its way to and that are
// not left alone.
func (s *Store) DueChannels(ctx context.Context) (ids []string, err error) {
	err = s.db.Read.NewSelect().Model((*noticeRow)(nil)).ColumnExpr("DISTINCT notice_row.channel_id").
		Join("JOIN notice_channels AS c ON c.id = notice_row.channel_id").
		Where("notice_row.claimed = 0 AND c.next_us <= ?", db.Micros(s.db.Now())).Order("notice_row.channel_id").Scan(ctx, &ids)
	return ids, s.db.Fail("read what is on its way", err)
}

// NoticeSent ends a notice that was sent.
func (s *Store) NoticeSent(ctx context.Context, n *Notice) error {
	return s.db.Alone(ctx, "keep that a notice was sent", func(t *db.Tx) error {
		if err := remove(t, n.ID); err != nil {
			return err
		}
		return worked(t, n.ChannelID)
	})
}

// NoticeFailed keeps that a notice could not be sent, and until when its channel is left
// alone. With last the notice is given up.
func (s *Store) NoticeFailed(ctx context.Context, n *Notice, code string, next time.Time, last bool) error {
	return s.db.Alone(ctx, "keep that a notice was not sent", func(t *db.Tx) error {
		var err error
		if last {
			err = remove(t, n.ID)
		} else {
			_, err = t.DB.NewUpdate().Model(&noticeRow{ID: n.ID}).Column("claimed").WherePK().Exec(t.Ctx)
		}
		if err != nil {
			return err
		}
		return failed(t, n.ChannelID, code, next)
	})
}

// DropClaimed ends the notices whose attempts nobody makes any more: whether they were sent
// is not known, and nothing is sent twice.
func (s *Store) DropClaimed(ctx context.Context) error {
	return s.db.Alone(ctx, "end the notices of a host that is gone", func(t *db.Tx) error {
		_, err := t.DB.NewDelete().Model((*noticeRow)(nil)).Where("claimed = 1").Exec(t.Ctx)
		return err
	})
}

func remove(t *db.Tx, id string) error {
	_, err := t.DB.NewDelete().Model(&noticeRow{ID: id}).WherePK().Exec(t.Ctx)
	return err
}

// Text is what an owner is told of an episode.
type Text struct {
	ConnectionID string
	Identity     string
	ID           string // the notices' begins with it; ids are ordered by time
	Title, Body  string
}

func connectionThere(t *db.Tx, id string) (bool, error) {
	return t.DB.NewSelect().Table("connections").Where("id = ?", id).Exists(t.Ctx)
}
