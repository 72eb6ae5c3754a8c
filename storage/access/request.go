package access

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// The codes of requests for grants.
const (
	CodeRequestUnknown   abi.Code = "grants.request_unknown"
	CodeRequestExpired   abi.Code = "grants.request_expired"
	CodeRequestDecided   abi.Code = "grants.decided"
	CodeRequestsFull     abi.Code = "grants.too_many_requests"
	CodeRequestWaited    abi.Code = "grants.already_waiting"
	CodeRequestReviewed  abi.Code = "grants.already_reviewed"
	CodeApprovalConflict abi.Code = "grants.approval_conflict"
	CodeNobodyWaits      abi.Code = "grants.nobody_waits"
)

// The states of a request.
const (
	RequestPending  = "pending"
	RequestApproved = "approved"
	RequestDenied   = "denied"
)

// The flows of a request: how its client gets what its owner gives. "": it polls with a code
// of its own, or nobody waits.
const (
	FlowCode   = "code"   // its owner's browser brings it a code
	FlowDevice = "device" // its owner types a code that it shows
	FlowOwner  = "owner"  // the same, for a token that speaks for the owner
)

// GrantRequest is what a client asks an owner for.
type GrantRequest struct {
	ID         string
	URI        string // the hash of its address's secret part
	Polling    string // the hash of the code that its client asks with; "": nobody waits
	Token      string // the hash of the token that this code leads to
	Code       string // what the client shows, to be compared; "": nothing
	ClientID   string
	ClientName string // as it is registered
	Display    string // what it calls itself in this request; "": no other name
	Details    []byte // JSON; empty: the owner chooses
	Created    time.Time
	Expires    time.Time
	Revision   string // of the last review; "": there was none
	Review     []byte // JSON
	State      string
	Decided    time.Time // zero: it waits
	GrantID    string
	Taken      time.Time // when its client was given the token; zero: never

	Flow        string
	Issuer      string // this host's origin, as the client knows it
	Redirect    string // of FlowCode: where its owner's browser brings the code
	ClientState string // and what it brings back unchanged
	Challenge   string // of the verifier that the client holds
	CodeExpires time.Time
	UserCode    string    // the hash of the code that an owner types; "": none
	Typed       time.Time // when its owner typed it; zero: never
	Resource    string    // that it asks to read: ResourceHost or ResourceMCP, or "" if it names no resource
	From        string    // the address that it came from, as it is counted, FromOwner, or "" if it is not known
}

type requestRow struct {
	bun.BaseModel `bun:"table:grant_requests"`

	ID         string `bun:"id,pk"`
	URI        string `bun:"uri_sha256"`
	Polling    string `bun:"polling_sha256,nullzero"`
	Token      string `bun:"token_sha256"`
	Code       string `bun:"code"`
	ClientID   string `bun:"client_id"`
	ClientName string `bun:"client_name"`
	Display    string `bun:"client_display"`
	Details    string `bun:"details"`
	CreatedUS  int64  `bun:"created_us"`
	ExpiresUS  int64  `bun:"expires_us"`
	Revision   string `bun:"revision"`
	Review     string `bun:"review"`
	State      string `bun:"state"`
	DecidedUS  int64  `bun:"decided_us"`
	GrantID    string `bun:"grant_id"`
	TakenUS    int64  `bun:"taken_us"`

	Flow          string `bun:"flow"`
	Issuer        string `bun:"issuer"`
	Redirect      string `bun:"redirect_uri"`
	ClientState   string `bun:"client_state"`
	Challenge     string `bun:"challenge"`
	CodeSHA256    string `bun:"code_sha256,nullzero"`
	CodeExpiresUS int64  `bun:"code_expires_us"`
	UserCode      string `bun:"user_code_sha256,nullzero"`
	TypedUS       int64  `bun:"typed_us"`
	Resource      string `bun:"resource"`
	From          string `bun:"came_from"`
}

func (r *requestRow) public() GrantRequest {
	return GrantRequest{
		ID: r.ID, URI: r.URI, Polling: r.Polling, Token: r.Token, Code: r.Code, ClientID: r.ClientID, ClientName: r.ClientName, Display: r.Display,
		Details: []byte(r.Details), Created: db.Time(r.CreatedUS), Expires: db.Time(r.ExpiresUS), Revision: r.Revision, Review: []byte(r.Review),
		State: r.State, Decided: db.Time(r.DecidedUS), GrantID: r.GrantID, Taken: db.Time(r.TakenUS),
		Flow: r.Flow, Issuer: r.Issuer, Redirect: r.Redirect, ClientState: r.ClientState, Challenge: r.Challenge, CodeExpires: db.Time(r.CodeExpiresUS),
		UserCode: r.UserCode, Typed: db.Time(r.TypedUS), Resource: r.Resource, From: r.From,
	}
}

// open refuses a request that no decision can be made about any more.
func (r *requestRow) open(now time.Time) error {
	switch {
	case r.State != RequestPending:
		return abi.NewError(CodeRequestDecided, "the request is decided already", "`pdpp-host grants list` shows what was approved")
	case db.Micros(now) >= r.ExpiresUS:
		return abi.NewError(CodeRequestExpired, "the request's time is over", "have the app ask again")
	}
	return nil
}

// How long a request stays behind its end, since its client may ask late: one that was decided,
// and one that nobody decided.
const (
	keptDecided = 24 * time.Hour
	keptPending = 10 * time.Minute
)

// NewGrantRequest keeps a request, and forgets those that ended long ago. Where byOne of the same address
// wait, or inAll of all, one gives way: see giveWay. A client's id is no secret, so that it has no bound. It returns grants.too_many_requests where none can, since
// their owner has looked at each.
func (s *Store) NewGrantRequest(ctx context.Context, n GrantRequest, byOne, inAll int) error {
	return s.db.Alone(ctx, "keep the request", func(t *db.Tx) error {
		_, err := t.DB.NewDelete().Model((*requestRow)(nil)).
			Where("expires_us < ? OR state = ? AND expires_us < ?", db.Micros(t.Now.Add(-keptDecided)), RequestPending, db.Micros(t.Now.Add(-keptPending))).Exec(t.Ctx)
		if err != nil {
			return err
		}
		if err := makeRoom(t, &n, byOne, inAll); err != nil {
			return err
		}
		row := requestRow{
			ID: n.ID, URI: n.URI, Polling: n.Polling, Token: n.Token, Code: n.Code, ClientID: n.ClientID, ClientName: n.ClientName, Display: n.Display,
			Details: string(n.Details), CreatedUS: db.Micros(t.Now), ExpiresUS: db.Micros(n.Expires), State: RequestPending,
			Flow: n.Flow, Issuer: n.Issuer, Redirect: n.Redirect, ClientState: n.ClientState, Challenge: n.Challenge, UserCode: n.UserCode, Resource: n.Resource, From: n.From,
		}
		_, err = t.DB.NewInsert().Model(&row).Exec(t.Ctx)
		return err
	})
}

// AwaitGrant has the client of a request wait for its owner: with the hashes of its polling
// code and of the token that this leads to, and what it shows. One client waits for a request,
// once, and only before its owner was shown what it would get: an approval is for who waited
// then. It returns the request.
func (s *Store) AwaitGrant(ctx context.Context, uri, clientID, polling, token, code string) (*GrantRequest, error) {
	var out GrantRequest
	err := s.db.Alone(ctx, "wait for the owner", func(t *db.Tx) error {
		row, err := findRequest(t, "uri_sha256", uri)
		if err != nil {
			return err
		}
		if row.ClientID != clientID {
			return unknownRequest()
		}
		if err := row.open(t.Now); err != nil {
			return err
		}
		if row.Polling != "" || row.Flow != "" {
			return abi.NewError(CodeRequestWaited, "a client waits for this request already", "push another request")
		}
		if row.Revision != "" {
			return abi.NewError(CodeRequestReviewed, "the owner has looked at this request already", "push another request, and wait for it before its page is opened")
		}
		row.Polling, row.Token, row.Code = polling, token, code
		out = row.public()
		_, err = t.DB.NewUpdate().Model(row).Column("polling_sha256", "token_sha256", "code").WherePK().Exec(t.Ctx)
		return err
	})
	return &out, err
}

func unknownRequest() error {
	return abi.NewError(CodeRequestUnknown, "there is no such request", "`pdpp-host grants requests` lists those that wait")
}

func findRequest(t *db.Tx, column, value string) (*requestRow, error) {
	var rows []requestRow
	if err := t.DB.NewSelect().Model(&rows).Where("? = ?", bun.Ident(column), value).Scan(t.Ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, unknownRequest()
	}
	return &rows[0], nil
}

// The hashes by which a request is found, besides its id.
const (
	RequestByID      = "id"
	RequestByURI     = "uri_sha256"
	RequestByPolling = "polling_sha256"
	RequestByCode    = "code_sha256"
)

// GrantRequestOf returns a request by one of these; nil: there is none.
func (s *Store) GrantRequestOf(ctx context.Context, by, value string) (*GrantRequest, error) {
	return find(ctx, s, "read the request", by, value, (*requestRow).public)
}

// WaitingRequests returns the requests that wait for their owner, the newest first, without
// what they ask for and without reviews: strangers choose how long those are.
func (s *Store) WaitingRequests(ctx context.Context) ([]GrantRequest, error) {
	var rows []requestRow
	err := s.db.Read.NewSelect().Model(&rows).ExcludeColumn("details", "review").
		Where("state = ? AND expires_us > ?", RequestPending, db.Micros(s.db.Now())).Order("created_us DESC", "id").Scan(ctx)
	if err != nil {
		return nil, s.db.Fail("read the requests", err)
	}
	out := make([]GrantRequest, len(rows))
	for i := range rows {
		out[i] = rows[i].public()
	}
	return out, nil
}

// KeepReview keeps what an owner was shown of a request: only its revision may be approved.
// polling is the hash of the code of the client that waited then; where that is another by
// now, it returns grants.approval_conflict.
func (s *Store) KeepReview(ctx context.Context, id, polling, revision string, review []byte) error {
	return s.db.Alone(ctx, "keep the review", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, id)
		if err != nil {
			return err
		}
		if err := row.open(t.Now); err != nil {
			return err
		}
		if row.Polling != polling {
			return conflict()
		}
		row.Revision, row.Review = revision, string(review)
		_, err = t.DB.NewUpdate().Model(row).Column("revision", "review").WherePK().Exec(t.Ctx)
		return err
	})
}

// DenyGrant closes a request without a grant.
func (s *Store) DenyGrant(ctx context.Context, id string) error {
	return s.db.Alone(ctx, "refuse the request", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, id)
		if err != nil {
			return err
		}
		if err := row.open(t.Now); err != nil {
			return err
		}
		row.State, row.DecidedUS = RequestDenied, db.Micros(t.Now)
		_, err = t.DB.NewUpdate().Model(row).Column("state", "decided_us").WherePK().Exec(t.Ctx)
		return err
	})
}

// DenyGrants closes, without grants, the requests that wait and were created up to an instant: those of one client, or
// of all where client is "". It returns how many, which the audit event of ctx says behind its subject.
func (s *Store) DenyGrants(ctx context.Context, client string, until time.Time) (closed int, err error) {
	err = s.db.Alone(ctx, "refuse the requests", func(t *db.Tx) error {
		q := t.DB.NewUpdate().Model((*requestRow)(nil)).Set("state = ?", RequestDenied).Set("decided_us = ?", db.Micros(t.Now)).
			Where("state = ? AND expires_us > ? AND created_us <= ?", RequestPending, db.Micros(t.Now), db.Micros(until))
		if client != "" {
			q = q.Where("client_id = ?", client)
		}
		done, err := q.Exec(t.Ctx)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		if err != nil {
			return err
		}
		closed = int(n)
		return addToSubject(ctx, t, strconv.Itoa(closed))
	})
	return closed, err
}

// TakeGrant keeps that the client of a request was given its token now, and returns when it
// was for the first time.
func (s *Store) TakeGrant(ctx context.Context, id string) (first time.Time, err error) {
	err = s.db.Alone(ctx, "hand out the token", func(t *db.Tx) error {
		row, err := findRequest(t, RequestByID, id)
		if err != nil {
			return err
		}
		if row.TakenUS != 0 {
			first = db.Time(row.TakenUS)
			return nil
		}
		row.TakenUS, first = db.Micros(t.Now), t.Now
		_, err = t.DB.NewUpdate().Model(row).Column("taken_us").WherePK().Exec(t.Ctx)
		return err
	})
	return first, err
}
