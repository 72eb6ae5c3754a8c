package ownerapi

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

func (c *call) listRequests() (*wire.List[grants.Request], error) {
	all, err := grants.Requests(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "grant-requests", all, func(r *grants.Request) string { return r.ID })
}

func (c *call) lookAtRequest() (*grants.Looked, error) {
	return grants.Look(c.Context(), c.owner, c.r.PathValue("request"))
}

func (c *call) reviewRequest(in *grant.Choices) (*grants.Reviewed, error) {
	return grants.Review(c.Context(), c.owner, c.r.PathValue("request"), *in)
}

// approval decides for a review: choices belong to the review, and not here (RD-43.2).
type approval struct {
	Revision string `json:"approval_review_revision"`
}

func (c *call) approveRequest(in *approval) (*grants.Approved, error) {
	return grants.Approve(c.Context(), c.owner, grants.Approval{RequestID: c.r.PathValue("request"), Revision: in.Revision, Shows: true})
}

// denied is a request that was refused.
type denied struct {
	ended

	Back string `json:"redirect_to,omitempty"` // where the owner's browser brings the app that answer
}

func (c *call) denyRequest(*struct{}) (*denied, error) {
	id := c.r.PathValue("request")
	back, err := grants.Refuse(c.Context(), c.owner, id)
	return &denied{ended{id}, back}, err
}

// refusing says which requests are refused at once.
type refusing struct {
	ClientID *string    `json:"client_id,omitempty"` // of this app alone
	Until    *time.Time `json:"until"`               // created_at of the newest one that the owner saw
}

// refusedAll is how many were.
type refusedAll struct {
	Refused int `json:"refused"`
}

func (c *call) denyRequests(in *refusing) (*refusedAll, error) {
	if in.Until == nil {
		return nil, wire.Invalid("until", "is missing")
	}
	client := ""
	if in.ClientID != nil {
		if client = *in.ClientID; client == "" {
			return nil, wire.Invalid("client_id", "is empty")
		}
	}
	n, err := grants.RefuseAll(c.Context(), c.owner, client, *in.Until)
	return &refusedAll{n}, err
}

// typedCode is the code that a device shows.
type typedCode struct {
	Code string `json:"user_code"`
}

func (c *call) enterCode(in *typedCode) (*grants.Looked, error) {
	id, err := grants.EnterCode(c.Context(), c.owner, in.Code)
	if err != nil {
		return nil, err
	}
	return grants.Look(c.Context(), c.owner, id)
}

// deviceToken is what a device gets that asks for a token of the owner's.
type deviceToken struct {
	Scope      access.Scope `json:"scope"`
	ExpiresSec int64        `json:"expires_seconds,omitempty"` // 30 days where it is left out
}

func (c *call) approveToken(in *deviceToken) (*ended, error) {
	id := c.r.PathValue("request")
	if in.ExpiresSec < 0 || in.ExpiresSec > mostTokenSeconds {
		return nil, wire.Invalid("expires_seconds", "is not between one minute and 365 days")
	}
	return &ended{id}, grants.ApproveOwnerToken(c.Context(), c.owner, grants.OwnerToken{RequestID: id, Scope: in.Scope, Expires: time.Duration(in.ExpiresSec) * time.Second})
}

func (c *call) listGrants() (*wire.List[grants.Grant], error) {
	all, err := grants.List(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	client, state := c.query["client_id"], c.query["state"]
	all = slices.DeleteFunc(all, func(g grants.Grant) bool {
		return client != "" && g.ClientID != client || state != "" && g.State != state
	})
	return pageOf(c, strings.Join([]string{"grants", state, client}, " "), all, func(g *grants.Grant) string { return g.ID })
}

func (c *call) showGrant() (*grants.Shown, error) {
	return grants.Show(c.Context(), c.owner, c.r.PathValue("grant"))
}

func (c *call) listReads() (*wire.List[grants.Read], error) { return c.readsOf(c.r.PathValue("grant")) }

func (c *call) listDisclosures() (*wire.List[grants.Read], error) {
	return c.readsOf(c.query["grant_id"])
}

// readsOf lists what was read by a grant; "": by everybody.
func (c *call) readsOf(id string) (*wire.List[grants.Read], error) {
	list := "reads " + id
	after, err := wire.After(list, c.query["cursor"])
	if err != nil {
		return nil, err
	}
	before, err := strconv.ParseInt(cmp.Or(after, "0"), 10, 64)
	if err != nil {
		return nil, wire.Invalid("cursor", "is none of this list's")
	}
	all, err := grants.Reads(c.Context(), c.owner, id, before, int64(c.rows)+1)
	if err != nil {
		return nil, err
	}
	next := ""
	if len(all) > c.rows {
		all = all[:c.rows]
		next = wire.NewCursor(list, strconv.FormatInt(all[c.rows-1].Seq, 10))
	}
	return wire.NewList(all, next, c.r.URL), nil
}

// bound is how much an app may read.
type bound struct {
	HourlyBytes int64 `json:"hourly_bytes_limit"`
}

func (c *call) limitGrant(in *bound) (*grants.Shown, error) {
	id := c.r.PathValue("grant")
	if err := grants.Limit(c.Context(), c.owner, id, in.HourlyBytes); err != nil {
		return nil, err
	}
	return grants.Show(c.Context(), c.owner, id)
}

func (c *call) revokeGrant() (*ended, error) {
	id := c.r.PathValue("grant")
	return &ended{id}, grants.Revoke(c.Context(), c.owner, id)
}

// RevokeByToken ends a grant for the program of the owner's that shows a token, where the protocol
// has apps end their own (RD-50). known is false where it is no token of the owner's.
func RevokeByToken(as func(owner.Actor) *owner.Owner) func(ctx context.Context, address, token, id string) (known bool, err error) {
	return func(ctx context.Context, address, token, id string) (bool, error) {
		who, err := access.ByToken(ctx, as(owner.Actor{Face: owner.APIToken, Address: address}), token)
		if abi.CodeOf(err) == access.CodeTokenRefused {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		who.Actor.Address = address
		if err = who.Allows(manage); err == nil {
			err = grants.Revoke(ctx, as(who.Actor), id)
		}
		if err != nil {
			err = refusalOf(err)
		}
		return true, err
	}
}

func (c *call) listClients() (*wire.List[grants.Client], error) {
	all, err := grants.Clients(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "clients", all, func(a *grants.Client) string { return a.ID })
}

func (c *call) removeClient() (*ended, error) {
	id := c.r.PathValue("client")
	return &ended{id}, grants.RemoveClient(c.Context(), c.owner, id)
}
