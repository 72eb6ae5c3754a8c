package access

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// CodeClientsFull reports that no more clients are kept.
const CodeClientsFull abi.Code = "grants.clients_full"

// Client is a program that may ask for a grant. It has a name, and no right.
type Client struct {
	ID      string
	Name    string // as it calls itself
	Created time.Time

	Redirects []string // the addresses that an owner's browser may be sent back to
	Refreshes bool     // it takes refresh tokens
	From      string   // the address that it registered from, as it is counted, FromOwner, or "" if it is not known
}

type clientRow struct {
	bun.BaseModel `bun:"table:clients"`

	ID        string `bun:"id,pk"`
	Name      string `bun:"name"`
	CreatedUS int64  `bun:"created_us"`
	Redirects string `bun:"redirects"` // JSON; "": none
	Refreshes int64  `bun:"refreshes"`
	From      string `bun:"came_from"`
}

func (r *clientRow) public() Client {
	c := Client{ID: r.ID, Name: r.Name, Created: db.Time(r.CreatedUS), Refreshes: r.Refreshes == 1, From: r.From}
	if json.Unmarshal([]byte(r.Redirects), &c.Redirects) != nil {
		c.Redirects = nil // none, or a damaged row: it is sent back nowhere
	}
	return c
}

func clientRowOf(c *Client, now time.Time) *clientRow {
	row := &clientRow{ID: c.ID, Name: c.Name, CreatedUS: db.Micros(now), From: c.From}
	if c.Refreshes {
		row.Refreshes = 1
	}
	if text, err := json.Marshal(c.Redirects); err == nil && len(c.Redirects) > 0 {
		row.Redirects = string(text)
	}
	return row
}

// idle is a client without a request that its owner has not refused, a grant and a token of the owner's.
const idle = "NOT EXISTS (SELECT 1 FROM grant_requests AS r WHERE r.client_id = client_row.id AND r.state <> '" + RequestDenied + "')" +
	" AND NOT EXISTS (SELECT 1 FROM grants AS g WHERE g.client_id = client_row.id)" +
	" AND NOT EXISTS (SELECT 1 FROM tokens AS o WHERE o.client_id = client_row.id)"

// NewClient keeps a client, in the place of one with its id, and forgets those that are older than unused and are idle. Where most are kept,
// the oldest of these of the address that has most of them gives way, so that nobody keeps others out by registering;
// grants.clients_full says that there is none.
func (s *Store) NewClient(ctx context.Context, c Client, unused time.Duration, most int64) error {
	return s.db.Alone(ctx, "keep the client", func(t *db.Tx) error {
		if known, err := renewClient(t, &c); known || err != nil {
			return err
		}
		_, err := t.DB.NewDelete().Model((*clientRow)(nil)).Where("created_us < ?", db.Micros(t.Now.Add(-unused))).Where(idle).Exec(t.Ctx)
		if err != nil {
			return err
		}
		n, err := t.DB.NewSelect().Model((*clientRow)(nil)).Count(t.Ctx)
		if err != nil {
			return err
		}
		if n >= most {
			if err := clientsGiveWay(t, n-most+1, c.From); err != nil {
				return err
			}
		}
		_, err = t.DB.NewInsert().Model(clientRowOf(&c, t.Now)).Exec(t.Ctx)
		return err
	})
}

// renewClient keeps what a client says of itself now, and when. known is false if there is none of its id.
func renewClient(t *db.Tx, c *Client) (known bool, err error) {
	done, err := t.DB.NewUpdate().Model(clientRowOf(c, t.Now)).ExcludeColumn("came_from").WherePK().Exec(t.Ctx)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// ClientOf returns a client; nil: there is none of that id.
func (s *Store) ClientOf(ctx context.Context, id string) (*Client, error) {
	return find(ctx, s, "read the client", "id", id, (*clientRow).public)
}

// Clients returns the clients, the newest first.
func (s *Store) Clients(ctx context.Context) ([]Client, error) {
	return list(ctx, s, "read the clients", "created_us DESC", (*clientRow).public)
}

// RemoveClient forgets a client, ends its grants and the owner's tokens that it was given, and
// refuses its requests, also those that were approved and not fetched. It reports whether it
// found any of these.
func (s *Store) RemoveClient(ctx context.Context, id string) (found bool, err error) {
	err = s.db.Alone(ctx, "remove the client", func(t *db.Tx) error {
		now := db.Micros(t.Now)
		for _, change := range []interface {
			Exec(ctx context.Context, dest ...any) (sql.Result, error)
		}{
			t.DB.NewDelete().Model((*clientRow)(nil)).Where("id = ?", id),
			t.DB.NewUpdate().Model((*grantRow)(nil)).Set("revoked_us = ?", now).Where("client_id = ? AND revoked_us = 0", id),
			t.DB.NewDelete().Model((*tokenRow)(nil)).Where("client_id = ?", id),
			t.DB.NewUpdate().Model((*requestRow)(nil)).Set("state = ?, decided_us = ?", RequestDenied, now).Where("client_id = ? AND state <> ? AND taken_us = 0", id, RequestDenied),
		} {
			done, err := change.Exec(t.Ctx)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			found = found || n > 0
		}
		return nil
	})
	return found, err
}
