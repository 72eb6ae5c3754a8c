package access

import (
	"context"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// tokenPrefix serves scanners for secrets, and never decides what a token is (RD-48).
const tokenPrefix = "pdpp_ot_" //nolint:gosec // the prefix of every token, and no secret

// How long a token lasts.
const (
	TokenLife     = 30 * 24 * time.Hour
	mostTokenLife = 365 * 24 * time.Hour
)

// longestTokenName is in bytes.
const longestTokenName = 100

// Token is a program's right to speak for the owner. It has no secret.
type Token struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Scope     Scope      `json:"scope"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	UsedAt    *time.Time `json:"used_at"` // to the hour; null: never
	Expired   bool       `json:"expired"`
}

// NewToken asks for a token.
type NewToken struct {
	Name    string
	Scope   Scope
	Expires time.Duration // 0: TokenLife
}

// MadeToken is a new token. Nothing but this has its secret.
type MadeToken struct {
	Token

	Secret string `json:"secret"`
}

// Tokens returns all tokens, the newest first.
func Tokens(ctx context.Context, o *owner.Owner) ([]Token, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	now, out := o.Now(), make([]Token, len(all))
	for i := range all {
		out[i] = shown(&all[i], now)
	}
	return out, nil
}

func shown(t *storage.Token, now time.Time) Token {
	out := Token{ID: t.ID, Name: t.Name, Scope: Scope(t.Scope), CreatedAt: t.Created, ExpiresAt: t.Expires, Expired: !now.Before(t.Expires)}
	if !t.Used.IsZero() {
		out.UsedAt = &t.Used
	}
	return out
}

// CreateToken makes a token.
func CreateToken(ctx context.Context, o *owner.Owner, n NewToken) (*MadeToken, error) {
	n.Name = strings.TrimSpace(n.Name)
	if n.Expires == 0 {
		n.Expires = TokenLife
	}
	switch {
	case n.Name == "" || len(n.Name) > longestTokenName || words.Clean(n.Name) != n.Name:
		return nil, abi.NewError(abi.CodeUsage, "the token's name is empty, longer than 100 bytes, or not plain text", "name what will use it")
	case !n.Scope.Valid() && n.Scope != ScopeIntrospect:
		return nil, abi.NewError(abi.CodeUsage, "the token's scope is not read, run, manage or introspect", "read looks, run starts runs as well, manage may do everything, introspect asks what tokens stand for")
	case n.Expires < time.Minute || n.Expires > mostTokenLife:
		return nil, abi.NewError(abi.CodeUsage, "a token lasts between one minute and 365 days", "leave it out for 30 days")
	}
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	secret, err := newSecret(o.Random)
	if err != nil {
		return nil, err
	}
	id, err := newID(o.Random, "tok_")
	if err != nil {
		return nil, err
	}
	secret = tokenPrefix + secret
	now := o.Now().UTC()
	kept := storage.Token{ID: id, SHA256: hashOf(secret), Name: n.Name, Scope: string(n.Scope), Created: now, Expires: now.Add(n.Expires).Truncate(time.Second)}
	err = o.Audited(ctx, s, "tokens.create", id+" "+string(n.Scope), func(ctx context.Context) error { return s.NewToken(ctx, kept) })
	if err != nil {
		return nil, err
	}
	return &MadeToken{shown(&kept, now), secret}, nil
}

// RevokeToken ends a token, named by its id. It returns tokens.unknown where there is none.
func RevokeToken(ctx context.Context, o *owner.Owner, id string) error {
	s, err := o.Store(ctx)
	if err != nil {
		return err
	}
	all, err := s.Tokens(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].ID == id {
			return o.Audited(ctx, s, "tokens.revoke", id, func(ctx context.Context) error {
				_, err := s.RevokeToken(ctx, id)
				return err
			})
		}
	}
	return abi.NewError(CodeTokenUnknown, "there is no token of that id", "`pdpp-host tokens list` lists them")
}
