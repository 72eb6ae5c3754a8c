package grants

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The codes of refusals that a face may want to tell apart.
const (
	CodeChoice   = grant.CodeChoice
	CodeConflict = grant.CodeConflict
	CodeDetails  = grant.CodeDetails
	CodeApproval = desk.CodeApproval
	CodeDecided  = desk.CodeRequestDecided
	CodeExpired  = desk.CodeRequestExpired
	CodeUnknown  = desk.CodeUnknown
	CodeNoSuch   = desk.CodeRequestUnknown

	CodeNobodyWaits = desk.CodeNobodyWaits
	CodeUserCode    = desk.CodeUserCode
	CodeUserCodes   = desk.CodeUserCodes
	CodeNeeded      = desk.CodeUserCodeNeeded
)

// Request is what an app asks for.
type Request struct {
	ID        string    `json:"request_id"`
	ClientID  string    `json:"client_id"`
	Client    string    `json:"client_name"`    // as it registered itself, which nobody has verified
	Display   string    `json:"client_display"` // as it calls itself in this request; "": no other name
	Code      string    `json:"user_code"`      // what the app shows; "": nothing
	Awaited   bool      `json:"awaited"`        // the app waits, and gets its token by itself
	State     string    `json:"state"`          // pending, approved, denied, expired
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
	Revision  string    `json:"revision,omitempty"` // of the last review
	Wants     string    `json:"wants"`              // grant, owner_token
	NeedsCode bool      `json:"needs_code"`         // the code that a device shows has to be typed first
	BackTo    string    `json:"sent_back_to"`       // where the owner's browser goes with the answer; "": it stays
	BackHere  bool      `json:"sent_back_local"`    // that is an app on the machine of the browser

	DecidedAt time.Time `json:"-"` // of UnfetchedTokens
}

// An app asks to read, or for a token that speaks for its owner.
const (
	WantsGrant      = "grant"
	WantsOwnerToken = "owner_token" //nolint:gosec // a word
)

// Waits reports whether the request can be decided.
func (r *Request) Waits() bool { return r.State == storage.RequestPending }

// Name is what the app is called: by the name that it is registered by or, where it has none, by the
// one that it calls itself now or its id.
func (r *Request) Name() string { return cmp.Or(r.Client, r.Display, r.ClientID) }

// Also is the other name that the app calls itself in this request; "": it has none.
func (r *Request) Also() string {
	if r.Display == r.Name() {
		return ""
	}
	return r.Display
}

// deskOf is the desk of an owner's store.
func deskOf(ctx context.Context, o *owner.Owner) (*desk.Desk, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	return &desk.Desk{Store: s, Now: o.Now, Random: o.Random}, nil
}

// Ask asks for an app that cannot do so by itself, such as a model's host on this machine. Its
// name gives it no right.
func Ask(ctx context.Context, o *owner.Owner, name string) (*Request, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	id := ""
	err = o.Audited(ctx, d.Store, "grants.ask", name, func(ctx context.Context) error {
		id, err = d.Open(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	r, err := d.Request(ctx, id)
	if err != nil {
		return nil, err
	}
	return new(shown(d, r)), nil
}

// Caller returns who reads under a grant, as it holds now; it is for a face on the machine of the
// store. Errors: grants.unknown, read.grant_revoked, read.grant_expired.
func Caller(ctx context.Context, o *owner.Owner, id string) (*read.Caller, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	return d.Granted(ctx, id)
}

// ByToken is Caller for a token that was handed over with a grant.
func ByToken(ctx context.Context, o *owner.Owner, token string) (*read.Caller, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	return d.Caller(ctx, token)
}

// Counting calls work with what counts the reads of its process and knows those of others, and
// keeps what was counted by the time that work ends.
func Counting(ctx context.Context, o *owner.Owner, logger *slog.Logger, work func(*desk.Ledger) error) error {
	d, err := deskOf(ctx, o)
	if err != nil {
		return err
	}
	ledger := &desk.Ledger{Store: d.Store, Logger: logger}
	counting, stop := context.WithCancel(context.WithoutCancel(ctx))
	kept := make(chan struct{})
	go func() { defer close(kept); ledger.Run(counting) }()
	defer func() { stop(); <-kept }()
	return work(ledger)
}

// Requests returns the requests that wait for the owner, the newest first.
func Requests(ctx context.Context, o *owner.Owner) ([]Request, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	all, err := d.Store.WaitingRequests(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Request, len(all))
	for i := range all {
		out[i] = shown(d, &all[i])
	}
	return out, nil
}

func shown(d *desk.Desk, r *storage.GrantRequest) Request {
	out := Request{
		ID: r.ID, ClientID: r.ClientID, Client: r.ClientName, Display: r.Display, Code: r.Code, Awaited: r.Token != "" || r.Flow != "", State: r.State,
		CreatedAt: r.Created, ExpiresAt: r.Expires, Revision: r.Revision,
		Wants: WantsGrant, NeedsCode: r.UserCode != "" && r.Typed.IsZero(),
	}
	if u, err := url.Parse(r.Redirect); err == nil && r.Redirect != "" {
		out.BackTo, out.BackHere = u.Scheme+"://"+u.Host, grant.IsLocal(r.Redirect)
	}
	if r.Flow == storage.FlowOwner {
		out.Wants, out.Revision = WantsOwnerToken, ""
	}
	if out.Waits() && !d.Now().Before(r.Expires) {
		out.State = "expired"
	}
	return out
}
