package oauth

import (
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// page is where an owner decides.
func (c *call) page(uri string) string {
	return c.origin() + PathConsent + "?request_uri=" + url.QueryEscape(uri)
}

// connecting asks to wait for an owner (RD-44).
type connecting struct {
	Resource string `json:"resource"`
	Scope    string `json:"scope,omitempty"`
	Name     string `json:"client_name,omitempty"`
	Client   string `json:"client_id,omitempty"`
	URI      string `json:"request_uri,omitempty"`
}

// scopeRead is the one scope there is.
const scopeRead = wire.Scope

var scopes = []string{scopeRead}

type attempt struct {
	Object     string `json:"object"`
	ID         string `json:"id"`
	Status     string `json:"status"`
	Approval   string `json:"approval_url"`
	Poll       string `json:"poll_url"`
	Token      string `json:"token_url"`
	Polling    string `json:"polling_code"`
	Code       string `json:"user_code"`
	Interval   int    `json:"interval"`
	IntervalMS int64  `json:"interval_ms"` // RD-44.1: a known client takes interval for milliseconds
	Expires    int    `json:"expires_in"`
}

func (c *call) connect() (any, error) {
	var in connecting
	if err := c.read(&in); err != nil {
		return nil, err
	}
	switch {
	case !grant.SameURL(in.Resource, c.origin()):
		return nil, wire.Invalid("resource", "is not this host's")
	case in.Scope != "" && in.Scope != scopeRead:
		return nil, wire.Invalid("scope", "is not "+scopeRead)
	case in.URI != "" && in.Client == "":
		return nil, wire.Invalid("client_id", "is missing beside request_uri")
	}
	if in.Client == "" { // it is registered as well
		if c.NoRegistration {
			return nil, wire.Invalid("client_id", "is missing, and no client is registered here")
		}
		if err := c.limit(&c.shares.clients); err != nil {
			return nil, err
		}
	} else if err := c.published(in.Client); err != nil {
		return nil, err
	}
	a, err := c.Desk.Connect(c.r.Context(), desk.Waiting{ClientID: in.Client, Name: in.Name, URI: in.URI, From: c.from()})
	if err != nil {
		return nil, err
	}
	at := c.origin() + PathPoll
	return &attempt{
		Object: "agent_connect_attempt", ID: a.ID, Status: "pending", Approval: c.page(a.URI), Poll: at, Token: at, Polling: a.Polling, Code: a.Code,
		Interval: int(desk.Interval.Seconds()), IntervalMS: desk.Interval.Milliseconds(), Expires: int(a.Expires.Seconds()),
	}, nil
}

// waiting is the answer to who asks before the owner has decided.
type waiting struct {
	Status     string `json:"status"`
	Error      string `json:"error"`
	Interval   int    `json:"interval"`
	IntervalMS int64  `json:"interval_ms"`
}

type token struct {
	Access  string    `json:"access_token"`
	Type    string    `json:"token_type"`
	GrantID string    `json:"grant_id"`
	Scope   string    `json:"scope"`
	Expires time.Time `json:"expires_at"`
}

// polling is the secret of who waits.
type polling struct {
	Polling string `json:"polling_code"`
}

func (c *call) poll() (any, error) {
	var in polling
	if err := c.read(&in); err != nil {
		return nil, c.unread(err)
	}
	if err := c.counts(desk.ProofPolling, in.Polling); err != nil {
		return nil, err
	}
	if in.Polling == "" {
		return nil, wire.Invalid("polling_code", "is missing")
	}
	a, err := c.Desk.Poll(c.r.Context(), in.Polling)
	if err != nil {
		return nil, err
	}
	if a.Wait > 0 {
		return waiting{"pending", "authorization_pending", int(a.Wait.Seconds()), a.Wait.Milliseconds()}, nil
	}
	return &token{a.Token, "Bearer", a.GrantID, scopeRead, a.Expires}, nil
}

// revoked says that a grant has ended.
type revoked struct {
	Revoked bool `json:"revoked"`
}

// revoke ends a grant for its own client, or for its owner's program (RD-50).
func (c *call) revoke() (any, error) {
	id, from, token := c.r.PathValue("grant"), c.Guard.Address(c.r), c.bearer()
	if err := c.counts(desk.ProofToken, token); err != nil {
		return nil, err
	}
	guesser := c.Guard.From(c.r)
	if err := c.shares.guesses.Check(guesser, "tokens", token, c.Now()); err != nil {
		return nil, err
	}
	err := c.Desk.RevokeOwn(c.Witness(c.r.Context(), from, "grants.revoke", id), token, id)
	known := err == nil || abi.CodeOf(err) == desk.CodeUnknown
	if abi.CodeOf(err) == desk.CodeTokenRefused {
		var refused error
		if known, refused = c.RevokeAsOwner(c.r.Context(), from, token, id); known || refused != nil {
			err = refused
		} else {
			c.shares.guesses.Wrong(guesser, token, c.Now())
		}
	}
	if known {
		c.shares.guesses.Right(token)
	}
	if err != nil {
		return nil, err
	}
	return revoked{true}, nil
}

func (c *call) read(v any) error {
	body, err := wire.ReadBody(c.w, c.r)
	if err != nil {
		return err
	}
	return wire.Decode(body, v)
}
