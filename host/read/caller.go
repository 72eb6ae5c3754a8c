package read

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Caller is who reads, and what they may see.
type Caller struct {
	Scope  *Scope
	Client string // the client's id; "": the owner
	Grant  string // that a client reads by; "": none
	Token  string // this host's id of the token, which is no secret
	Bytes  int64  // that may be read by the grant in an hour; 0: unbounded
}

// Callers finds who shows a bearer token. A kind of tokens is one of these.
type Callers interface {
	// Caller returns the caller that a token stands for now. It is asked for each request, and
	// answers from the store. It returns read.token_unknown for a token that is not of this
	// kind, was revoked without its grant, or is too old; to who shows a token of a grant that
	// is no good any more it returns read.grant_revoked, read.grant_expired or
	// read.grant_invalid (RD-02.3), and beside it the caller, without a Scope, so that the refusal
	// is counted (RD-56.1).
	Caller(ctx context.Context, token string) (*Caller, error)
}

// Codes of who asks.
const (
	CodeTokenUnknown abi.Code = "read.token_unknown" //nolint:gosec // the name of a refusal
	CodeGrantRevoked abi.Code = "read.grant_revoked"
	CodeGrantExpired abi.Code = "read.grant_expired"
	CodeGrantInvalid abi.Code = "read.grant_invalid" // it cannot be read, or its hash does not fit
	CodeGrantLegacy  abi.Code = "read.grant_legacy"  // of a form that this version does not take
)

// AnyOf looks for a token among several kinds, in their order.
func AnyOf(kinds ...Callers) Callers { return anyOf(kinds) }

type anyOf []Callers

// Caller is that of the first kind that knows the token.
func (a anyOf) Caller(ctx context.Context, token string) (*Caller, error) {
	for _, kind := range a {
		c, err := kind.Caller(ctx, token)
		if abi.CodeOf(err) != CodeTokenUnknown {
			return c, err
		}
	}
	return nil, abi.NewError(CodeTokenUnknown, "the token is missing, unknown, revoked or too old", "ask the owner for another one")
}

// MostNamed is how many connections a Disclosure names.
const MostNamed = 100

// Disclosure is what one read told its caller, and nothing of what stood in it (RD-56).
type Disclosure struct {
	At          time.Time
	RequestID   string
	Caller      *Caller
	Route       string           // its pattern
	Parameters  []string         // the names of those that the route has
	Records     map[string]int64 // how many of each stream were told
	Connections []string         // whose they were, the first MostNamed of them
	Bytes       int64
	Status      int
	Code        string // of a refusal; "": it was answered
	Took        time.Duration
}
