package grants

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Grant is what an app may read.
type Grant struct {
	ID        string          `json:"grant_id"`
	ClientID  string          `json:"client_id"`
	Client    string          `json:"client_name"`
	State     string          `json:"state"` // holds, inert, revoked, expired, damaged
	IssuedAt  time.Time       `json:"issued_at"`
	ExpiresAt *time.Time      `json:"expires_at"` // null: never
	RevokedAt *time.Time      `json:"revoked_at"`
	UsedAt    *time.Time      `json:"used_at"` // to the hour; null: never
	Gets      grant.Words     `json:"gets"`
	Document  *grant.Document `json:"grant"` // null: damaged
}

// The states of a grant.
const (
	Holds   = "holds"
	Revoked = "revoked"
	Expired = "expired"
	Damaged = "damaged"
	Inert   = "inert" // it holds, and none of its connections is left (RD-36.3)
)

// Name is what the app is called.
func (g *Grant) Name() string {
	if g.Client == "" {
		return g.ClientID
	}
	return g.Client
}

// List returns all grants, the newest first.
func List(ctx context.Context, o *owner.Owner) ([]Grant, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	all, err := d.Store.Grants(ctx)
	if err != nil {
		return nil, err
	}
	tell, err := teller(ctx, d)
	if err != nil {
		return nil, err
	}
	out := make([]Grant, len(all))
	for i := range all {
		out[i] = tell(&all[i])
	}
	return out, nil
}

// teller returns what tells of a grant, with its use and its client's name.
func teller(ctx context.Context, d *desk.Desk) (func(*storage.Grant) Grant, error) {
	tokens, err := d.Store.GrantTokens(ctx)
	if err != nil {
		return nil, err
	}
	disclosed, err := d.Store.Disclosed(ctx, "")
	if err != nil {
		return nil, err
	}
	name, err := names(ctx, d)
	if err != nil {
		return nil, err
	}
	there, err := owner.NamesByID(ctx, d.Store, nil)
	if err != nil {
		return nil, err
	}
	return func(g *storage.Grant) Grant {
		out := given(d, g, tokens, name)
		if out.State == Holds && !out.reaches(there) {
			out.State = Inert
		}
		for i := range disclosed { // who names a grant on this machine shows no token
			if at := disclosed[i].Last.Truncate(storage.UsedEvery); disclosed[i].GrantID == g.ID && (out.UsedAt == nil || at.After(*out.UsedAt)) {
				out.UsedAt = owner.Moment(at)
			}
		}
		return out
	}, nil
}

func given(d *desk.Desk, g *storage.Grant, tokens []storage.GrantToken, name func(string) string) Grant {
	out := Grant{ID: g.ID, ClientID: g.ClientID, State: stateOf(d, g), IssuedAt: g.Issued, ExpiresAt: owner.Moment(g.Expires), RevokedAt: owner.Moment(g.Revoked)}
	for i := range tokens {
		if t := &tokens[i]; t.GrantID == g.ID && (out.UsedAt == nil || t.Used.After(*out.UsedAt)) {
			out.UsedAt = owner.Moment(t.Used)
		}
	}
	if doc, err := grant.ReadDocument(g.Document, g.SHA256); err == nil {
		out.Document, out.Client, out.Gets = doc, doc.Client.Display, doc.Words(name)
	}
	return out
}

// reaches reports whether any of the grant's connections is there.
func (g *Grant) reaches(there map[string]string) bool {
	return slices.ContainsFunc(g.Document.Streams, func(s grant.Stream) bool {
		return slices.ContainsFunc(s.InstanceIDs, func(id string) bool { return there[id] != "" })
	})
}

func stateOf(d *desk.Desk, g *storage.Grant) string {
	switch _, err := d.Holds(g); abi.CodeOf(err) {
	case desk.CodeRevoked:
		return Revoked
	case desk.CodeExpired:
		return Expired
	case desk.CodeInvalid:
		return Damaged
	}
	return Holds
}

// Shown is one grant with how much it shows now.
type Shown struct {
	Grant

	Records []Readable      `json:"records"`  // empty where the grant does not hold
	Has     []Has           `json:"has_read"` // up to the last second; by stream
	Read    int64           `json:"records_read"`
	LastAt  *time.Time      `json:"last_read_at"` // null: never
	Days    []Day           `json:"days"`         // the last DaysShown with reads, the oldest first
	Limit   int64           `json:"hourly_bytes_limit"`
	Tokens  []Token         `json:"tokens"` // the newest first, without their secrets
	Count   int             `json:"token_count"`
	Review  json.RawMessage `json:"approval_review"`           // as the owner approved it; null: it is damaged
	Digest  string          `json:"source_declaration_sha256"` // of the manifest that is kept with it
}

// DaysShown is how many days back what was read is told by day.
const DaysShown = 90

// Day is what the app has read on a day, of UTC.
type Day struct {
	Date    string `json:"date"`
	Reads   int64  `json:"reads"`        // one of two streams counts twice
	Records int64  `json:"record_count"` // one that was read twice counts twice
}

// Token is one token of a grant.
type Token struct {
	ID        string     `json:"id"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	UsedAt    *time.Time `json:"used_at"` // to the hour; null: never
}

// Has is what the app has read of a stream.
type Has struct {
	Stream  string    `json:"stream"`
	Reads   int64     `json:"reads"`
	Records int64     `json:"record_count"` // one that was read twice counts twice
	Since   time.Time `json:"since"`        // the day of the first read
	Last    time.Time `json:"last_read_at"`
}

// Words say it: 1,204 records of issues since 3 June 2026; last read 2 minutes ago.
func (h *Has) Words(now time.Time) string {
	records := words.Plural(h.Records, "record")
	if h.Records == 0 { // what its records come to, or how they are declared
		records = "no single record, but an overview"
	}
	return records + " of " + words.Clean(h.Stream) + " since " + h.Since.Format("2 January 2006") + "; last read " + words.Ago(h.Last, now)
}

// Readable is how many records of a stream the app can read now.
type Readable struct {
	Stream string `json:"stream"`
	Count  *int64 `json:"record_count"` // null: counting takes too long, or nothing is left of it
}

// Show returns one grant, or grants.unknown. It counts as the app would: under its scope.
func Show(ctx context.Context, o *owner.Owner, id string) (*Shown, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	g, err := d.Store.GrantOf(ctx, id)
	if err != nil {
		return nil, err
	}
	tell, err := teller(ctx, d)
	if err != nil {
		return nil, err
	}
	out := &Shown{Grant: tell(g), Records: []Readable{}, Has: []Has{}, Days: []Day{}, Limit: cmp.Or(g.HourlyBytes, desk.UsualBytes), Tokens: []Token{}, Digest: g.Declaration}
	if json.Valid(g.Review) {
		out.Review = g.Review
	}
	tokens, err := d.Store.GrantTokens(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tokens {
		if t.GrantID == id {
			out.Tokens = append(out.Tokens, Token{t.ID, t.Created, t.Expires, owner.Moment(t.Used)})
		}
	}
	out.Count = len(out.Tokens)
	if err := out.tellRead(ctx, d); err != nil {
		return nil, err
	}
	if out.State != Holds {
		return out, nil
	}
	reader, err := o.Reader(ctx)
	if err != nil {
		return nil, err
	}
	scope := out.Document.Scope()
	for i := range scope.Streams {
		one := Readable{Stream: scope.Streams[i].Name}
		page, err := reader.List(ctx, scope, read.List{From: read.From{Stream: one.Stream}, Limit: 1, Count: true})
		if err == nil {
			one.Count = page.Count
		} else if ctx.Err() != nil {
			return nil, err
		}
		out.Records = append(out.Records, one)
	}
	return out, nil
}

// tellRead adds what was read by the grant.
func (s *Shown) tellRead(ctx context.Context, d *desk.Desk) error {
	disclosed, err := d.Store.Disclosed(ctx, s.ID)
	if err != nil {
		return err
	}
	for _, one := range disclosed {
		s.Has = append(s.Has, Has{one.Stream, one.Reads, one.Records, one.Since, one.Last})
		if s.Read += one.Records; s.LastAt == nil || one.Last.After(*s.LastAt) {
			s.LastAt = owner.Moment(one.Last)
		}
	}
	days, err := d.Store.DisclosedDays(ctx, s.ID, d.Now().AddDate(0, 0, 1-DaysShown))
	for _, one := range days {
		s.Days = append(s.Days, Day{one.Day.Format(time.DateOnly), one.Reads, one.Records})
	}
	return err
}

// Revoke ends a grant, with all its tokens. One that has ended is left as it is.
func Revoke(ctx context.Context, o *owner.Owner, id string) error {
	d, err := deskOf(ctx, o)
	if err != nil {
		return err
	}
	g, err := d.Store.GrantOf(ctx, id)
	if err != nil || !g.Revoked.IsZero() {
		return err
	}
	return o.Audited(ctx, d.Store, "grants.revoke", id, func(ctx context.Context) error {
		_, err := d.Store.RevokeGrant(ctx, id)
		return err
	})
}
