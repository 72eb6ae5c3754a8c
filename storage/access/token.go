package access

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Token is a program's right to speak for the owner.
type Token struct {
	ID      string
	SHA256  string // of the secret that the program holds
	Name    string
	Scope   string // read, run, manage, introspect
	Created time.Time
	Expires time.Time
	Used    time.Time // to the hour; zero: never
	Client  string    // the id of the client that it was given; "": its owner made it
}

// ScopeIntrospect is that of a token with which a resource server of the owner's asks what the
// tokens stand for that it is shown.
const ScopeIntrospect = "introspect"

type tokenRow struct {
	bun.BaseModel `bun:"table:tokens"`

	ID        string `bun:"id,pk"`
	SHA256    string `bun:"sha256"`
	Name      string `bun:"name"`
	Scope     string `bun:"scope"`
	CreatedUS int64  `bun:"created_us"`
	ExpiresUS int64  `bun:"expires_us"`
	UsedUS    int64  `bun:"used_us"`
	ClientID  string `bun:"client_id"`
	Shown     string `bun:"shown_sha256"` // what a device showed for it
}

func (r *tokenRow) public() Token {
	return Token{r.ID, r.SHA256, r.Name, r.Scope, db.Time(r.CreatedUS), db.Time(r.ExpiresUS), db.Time(r.UsedUS), r.ClientID}
}

// NewToken keeps a token.
func (s *Store) NewToken(ctx context.Context, n Token) error {
	return s.db.Alone(ctx, "keep the token", func(t *db.Tx) error { return putOwnerToken(t, &n, "") })
}

func putOwnerToken(t *db.Tx, n *Token, shown string) error {
	row := tokenRow{ID: n.ID, SHA256: n.SHA256, Name: n.Name, Scope: n.Scope, CreatedUS: db.Micros(t.Now), ExpiresUS: db.Micros(n.Expires), ClientID: n.Client, Shown: shown}
	_, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx)
	return err
}

// TokenOf returns the token whose secret has that hash; nil: there is none.
func (s *Store) TokenOf(ctx context.Context, sha256 string) (*Token, error) {
	return find(ctx, s, "read the token", "sha256", sha256, (*tokenRow).public)
}

// Tokens returns all tokens, the newest first.
func (s *Store) Tokens(ctx context.Context) ([]Token, error) {
	return list(ctx, s, "read the tokens", "created_us DESC", (*tokenRow).public)
}

// Callers returns the ids of all tokens and sessions: it is another list once one of them was
// revoked or ended.
func (s *Store) Callers(ctx context.Context) (ids []string, err error) {
	err = s.db.Read.NewRaw("SELECT id FROM tokens UNION ALL SELECT id FROM sessions ORDER BY id").Scan(ctx, &ids)
	return ids, s.db.Fail("read who may ask", err)
}

// TokenUsed keeps that a token is in use now.
func (s *Store) TokenUsed(ctx context.Context, id string) error {
	return s.db.Alone(ctx, "keep the token's last use", func(t *db.Tx) error {
		_, err := t.DB.NewUpdate().Model((*tokenRow)(nil)).Set("used_us = ?", db.Micros(t.Now)).Where("id = ?", id).Exec(t.Ctx)
		return err
	})
}

// RevokeToken ends a token. It reports whether there was one.
func (s *Store) RevokeToken(ctx context.Context, id string) (had bool, err error) {
	err = s.db.Alone(ctx, "revoke the token", func(t *db.Tx) (err error) {
		had, err = removed(t, (*tokenRow)(nil), id)
		return err
	})
	return had, err
}
