package access

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// CodeGrantUnknown reports a grant that is not there.
const CodeGrantUnknown abi.Code = "grants.unknown"

// Grant is what an owner lets a client read. Its document never changes.
type Grant struct {
	ID          string
	RequestID   string
	ClientID    string
	Document    []byte // JSON
	SHA256      string // of Document
	Review      []byte // JSON: what its owner approved
	Declaration string // the hash of the manifest that it was read by
	Issued      time.Time
	Expires     time.Time // zero: never
	Revoked     time.Time // zero: it holds
	HourlyBytes int64     // that may be read by it; 0: the usual
	Resource    string    // that its client asked to read: ResourceHost or ResourceMCP, or "" if it named no resource
}

// The resources of this host, each of which a grant may be for (RFC 8707).
const (
	ResourceHost = "host"
	ResourceMCP  = "mcp"
)

type grantRow struct {
	bun.BaseModel `bun:"table:grants"`

	ID          string `bun:"id,pk"`
	RequestID   string `bun:"request_id"`
	ClientID    string `bun:"client_id"`
	Document    string `bun:"document"`
	SHA256      string `bun:"sha256"`
	Review      string `bun:"review"`
	Declaration string `bun:"declaration_sha256"`
	IssuedUS    int64  `bun:"issued_us"`
	ExpiresUS   int64  `bun:"expires_us"`
	RevokedUS   int64  `bun:"revoked_us"`
	HourlyBytes int64  `bun:"hourly_bytes"`
	Resource    string `bun:"resource"`
}

func (r *grantRow) public() Grant {
	return Grant{
		r.ID, r.RequestID, r.ClientID, []byte(r.Document), r.SHA256, []byte(r.Review), r.Declaration,
		db.Time(r.IssuedUS), db.Time(r.ExpiresUS), db.Time(r.RevokedUS), r.HourlyBytes, r.Resource,
	}
}

// GrantToken is a client's right to read what a grant shows.
type GrantToken struct {
	ID      string
	SHA256  string // of the secret that the client holds
	GrantID string
	Created time.Time
	Expires time.Time
	Used    time.Time // to the hour; zero: never
}

type grantTokenRow struct {
	bun.BaseModel `bun:"table:grant_tokens"`

	ID        string `bun:"id,pk"`
	SHA256    string `bun:"sha256"`
	GrantID   string `bun:"grant_id"`
	CreatedUS int64  `bun:"created_us"`
	ExpiresUS int64  `bun:"expires_us"`
	UsedUS    int64  `bun:"used_us"`
	Shown     string `bun:"shown_sha256"` // what its client showed for it
}

func (r *grantTokenRow) public() GrantToken {
	return GrantToken{r.ID, r.SHA256, r.GrantID, db.Time(r.CreatedUS), db.Time(r.ExpiresUS), db.Time(r.UsedUS)}
}

// Approval is a grant that an owner gives.
type Approval struct {
	Revision string // of the review that its owner saw
	Grant    Grant
	Manifest []byte            // that it was read by
	Modules  map[string]string // the hash of each connection's accepted module, by its id
	Token    GrantToken        // its hash counts where nobody waits with a code; "": then nothing is approved

	Code        string // the hash of the code that a browser brings to a client of FlowCode
	CodeExpires time.Time
}

// ApproveGrant keeps a grant, its token, what it was read by and the decision, all of them
// or none. Under the write lock it looks again whether the request still waits, whether its
// owner saw the last review, and whether each connection and its module are the same as then
// (grants.approval_conflict). awaited says that the client that waits gets the token.
func (s *Store) ApproveGrant(ctx context.Context, a Approval) (awaited bool, err error) {
	err = s.db.Alone(ctx, "approve the request", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, a.Grant.RequestID)
		if err != nil {
			return err
		}
		if err := row.open(t.Now); err != nil {
			return err
		}
		if row.Revision == "" || row.Revision != a.Revision {
			return conflict()
		}
		if err := stillFit(t, a.Modules); err != nil {
			return err
		}
		token, err := row.token(&a)
		if err != nil {
			return err
		}
		awaited = row.Token != "" || row.Flow != ""
		row.State, row.DecidedUS, row.GrantID = RequestApproved, db.Micros(t.Now), a.Grant.ID
		if row.Flow == FlowCode {
			row.CodeSHA256, row.CodeExpiresUS = a.Code, db.Micros(a.CodeExpires)
		}
		if _, err := t.DB.NewUpdate().Model(row).Column("state", "decided_us", "grant_id", "code_sha256", "code_expires_us").WherePK().Exec(t.Ctx); err != nil {
			return err
		}
		return putGrant(t, &a, token)
	})
	return awaited, err
}

// token is the token that an approval makes; nil: its client fetches one with a code.
func (r *requestRow) token(a *Approval) (*GrantToken, error) {
	token := a.Token
	switch {
	case r.Flow == FlowOwner:
		return nil, conflict() // it is not about a grant
	case r.Flow == FlowDevice && r.TypedUS == 0:
		return nil, codeNeeded()
	case r.Flow != "":
		return nil, nil
	case r.Token != "":
		token.SHA256 = r.Token
	case token.SHA256 == "":
		return nil, abi.NewError(CodeNobodyWaits, "no app waits for this request", "approve it on the command line, which shows the app's token: `pdpp-host grants approve`")
	}
	return &token, nil
}

func putGrant(t *db.Tx, a *Approval, token *GrantToken) error {
	g := &a.Grant
	_, err := t.DB.ExecContext(t.Ctx, "INSERT INTO declarations (sha256, manifest) VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING", g.Declaration, string(a.Manifest))
	if err != nil {
		return err
	}
	row := grantRow{
		ID: g.ID, RequestID: g.RequestID, ClientID: g.ClientID, Document: string(g.Document), SHA256: g.SHA256, Review: string(g.Review),
		Declaration: g.Declaration, IssuedUS: db.Micros(g.Issued), ExpiresUS: micros(g.Expires), Resource: g.Resource,
	}
	if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil || token == nil {
		return err
	}
	return putToken(t, g.ID, "", token)
}

func putToken(t *db.Tx, grantID, shown string, token *GrantToken) error {
	kept := grantTokenRow{
		ID: token.ID, SHA256: token.SHA256, GrantID: grantID, CreatedUS: db.Micros(t.Now), ExpiresUS: db.Micros(token.Expires), UsedUS: micros(token.Used), Shown: shown,
	}
	_, err := t.DB.NewInsert().Model(&kept).Exec(t.Ctx)
	return err
}

// AddGrantToken keeps one more token of a grant that holds, else it is grants.redeem_refused.
func (s *Store) AddGrantToken(ctx context.Context, token GrantToken) error {
	return s.db.Alone(ctx, "keep the token", func(t *db.Tx) error {
		if err := holds(t, token.GrantID); err != nil {
			return err
		}
		if err := putToken(t, token.GrantID, "", &token); err != nil {
			return err
		}
		return addToSubject(ctx, t, token.ID)
	})
}

// AddedGrantTokens returns the tokens of all grants that were not given for what a client may show again, the newest
// first: those of AddGrantToken, and the first one of a grant.
func (s *Store) AddedGrantTokens(ctx context.Context) ([]GrantToken, error) {
	var rows []grantTokenRow
	err := s.db.Read.NewSelect().Model(&rows).Where("shown_sha256 = '' AND expires_us > ?", db.Micros(s.db.Now())).Order("created_us DESC", "id").Scan(ctx)
	if err != nil {
		return nil, s.db.Fail("read the tokens of grants", err)
	}
	out := make([]GrantToken, len(rows))
	for i := range rows {
		out[i] = rows[i].public()
	}
	return out, nil
}

// RevokeGrantToken ends one token of a grant, which holds on. It reports whether there was one of that id.
func (s *Store) RevokeGrantToken(ctx context.Context, id string) (had bool, err error) {
	err = s.db.Alone(ctx, "revoke the token", func(t *db.Tx) error {
		done, err := t.DB.NewDelete().Model((*grantTokenRow)(nil)).Where("id = ?", id).Exec(t.Ctx)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		had = n > 0
		return err
	})
	return had, err
}

// micros is a moment as a row has it; 0: zero.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return db.Micros(at)
}

func conflict() error {
	return abi.NewError(CodeApprovalConflict, "what was shown is not what would be granted now", "look at the request again, then decide")
}

// stillFit refuses connections that are gone, or whose owner accepted another module.
func stillFit(t *db.Tx, modules map[string]string) error {
	for id, want := range modules {
		var got []string
		err := t.DB.NewSelect().Model((*tables.ConnectionRow)(nil)).Column("pinned_sha256").Where("id = ?", id).Scan(t.Ctx, &got)
		if err != nil {
			return err
		}
		if len(got) != 1 || got[0] != want {
			return conflict()
		}
	}
	return nil
}

// GrantOf returns a grant, or grants.unknown.
func (s *Store) GrantOf(ctx context.Context, id string) (*Grant, error) {
	g, err := find(ctx, s, "read the grant", "id", id, (*grantRow).public)
	if err == nil && g == nil {
		err = unknownGrant()
	}
	return g, err
}

func unknownGrant() error {
	return abi.NewError(CodeGrantUnknown, "there is no such grant", "`pdpp-host grants list` lists them")
}

// Grants returns all grants, the newest first.
func (s *Store) Grants(ctx context.Context) ([]Grant, error) {
	return list(ctx, s, "read the grants", "issued_us DESC", (*grantRow).public)
}

// RevokeGrant ends a grant and, with it, every token of it. It reports whether it held; one
// that did not is left as it is, without an audit event.
func (s *Store) RevokeGrant(ctx context.Context, id string) (held bool, err error) {
	ended := false
	err = s.db.Alone(ctx, "revoke the grant", func(t *db.Tx) error {
		row := grantRow{ID: id}
		if err := t.DB.NewSelect().Model(&row).WherePK().Scan(t.Ctx); errors.Is(err, sql.ErrNoRows) {
			return unknownGrant()
		} else if err != nil {
			return err
		}
		if ended = row.RevokedUS != 0; ended {
			return conflict() // nothing is kept
		}
		row.RevokedUS = db.Micros(t.Now)
		_, err := t.DB.NewUpdate().Model(&row).Column("revoked_us").WherePK().Exec(t.Ctx)
		return err
	})
	if ended {
		return false, nil
	}
	return err == nil, err
}

// LimitGrant says how many bytes may be read by a grant in an hour; 0: the usual.
func (s *Store) LimitGrant(ctx context.Context, id string, hourlyBytes int64) error {
	return s.db.Alone(ctx, "bound the grant", func(t *db.Tx) error {
		done, err := t.DB.NewUpdate().Model((*grantRow)(nil)).Set("hourly_bytes = ?", hourlyBytes).Where("id = ?", id).Exec(t.Ctx)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, unknownGrant())
		}
		return nil
	})
}

// GrantByToken returns the token whose secret has that hash and its grant; nil: there is
// none. It is one read, whatever it finds.
func (s *Store) GrantByToken(ctx context.Context, sha256 string) (*GrantToken, *Grant, error) {
	var g grantRow
	var t grantTokenRow
	err := s.db.QueryRow(ctx, "SELECT g.id, g.request_id, g.client_id, g.document, g.sha256, g.review, g.declaration_sha256, g.issued_us, g.expires_us, g.revoked_us, g.hourly_bytes, "+
		"t.id, t.sha256, t.grant_id, t.created_us, t.expires_us, t.used_us FROM grant_tokens AS t JOIN grants AS g ON g.id = t.grant_id WHERE t.sha256 = ?", []any{sha256},
		&g.ID, &g.RequestID, &g.ClientID, &g.Document, &g.SHA256, &g.Review, &g.Declaration, &g.IssuedUS, &g.ExpiresUS, &g.RevokedUS, &g.HourlyBytes,
		&t.ID, &t.SHA256, &t.GrantID, &t.CreatedUS, &t.ExpiresUS, &t.UsedUS)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, s.db.Fail("read the token", err)
	}
	token, grant := t.public(), g.public()
	return &token, &grant, nil
}

// GrantedManifests returns the manifests that grants were read by, those of the newest grants first.
func (s *Store) GrantedManifests(ctx context.Context) (all [][]byte, err error) {
	err = s.db.Read.NewRaw("SELECT d.manifest FROM declarations AS d JOIN grants AS g ON g.declaration_sha256 = d.sha256 GROUP BY d.sha256, d.manifest ORDER BY max(g.issued_us) DESC, d.sha256").Scan(ctx, &all)
	return all, s.db.Fail("read what was granted", err)
}

// GrantsIssued counts the grants, those that have ended included.
func (s *Store) GrantsIssued(ctx context.Context) (n int64, err error) {
	err = s.db.Read.NewRaw("SELECT count(*) FROM grants").Scan(ctx, &n)
	return n, s.db.Fail("count the grants", err)
}

// GrantTokens returns the tokens of all grants.
func (s *Store) GrantTokens(ctx context.Context) ([]GrantToken, error) {
	return list(ctx, s, "read the tokens of grants", "created_us DESC", (*grantTokenRow).public)
}

// GrantTokenUsed keeps that a token is in use now.
func (s *Store) GrantTokenUsed(ctx context.Context, id string) error {
	return s.db.Alone(ctx, "keep the token's last use", func(t *db.Tx) error {
		_, err := t.DB.NewUpdate().Model((*grantTokenRow)(nil)).Set("used_us = ?", db.Micros(t.Now)).Where("id = ?", id).Exec(t.Ctx)
		return err
	})
}
