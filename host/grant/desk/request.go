package desk

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The limits of clients and their requests (RD-39.2, RD-41).
const (
	mostClients       = 2000
	unusedClient      = 7 * 24 * time.Hour
	pendingBy         = 50 // of one address
	pendingInAll      = 2000
	RequestLife       = 10 * time.Minute
	uriPrefix         = "urn:pdpp:pending-consent:"
	PreRegistered     = "pdpp_cli" // the one client that is known without registration
	PreRegisteredName = grant.ProtocolClient
	longestRequest    = 256
)

// Desk keeps requests and grants of one store. It is safe for concurrent use.
type Desk struct {
	Store  *storage.Store
	Now    func() time.Time
	Random io.Reader

	paces paces
}

// NewClient is what a client says of itself.
type NewClient struct {
	Name      string
	Redirects []string // each passes grant.CheckRedirect
	Refreshes bool     // it takes refresh tokens
	From      string   // the address that it came from, as it is counted, or storage.FromOwner
}

// Register makes a client known, which gives it no right.
func (d *Desk) Register(ctx context.Context, n NewClient) (*storage.Client, error) {
	if err := checkName(CodeClientName, n.Name); err != nil {
		return nil, err
	}
	id, err := d.id("cl_")
	if err != nil {
		return nil, err
	}
	c := storage.Client{ID: id, Name: n.Name, Created: d.Now().UTC(), Redirects: n.Redirects, Refreshes: n.Refreshes, From: n.From}
	return &c, d.Store.NewClient(ctx, c, unusedClient, mostClients)
}

// publishedLife is how long what a client's document says is taken for what it says now.
const publishedLife = 10 * time.Minute

// Published reports whether the document of a client was read lately.
func (d *Desk) Published(ctx context.Context, id string) (bool, error) {
	c, err := d.Store.ClientOf(ctx, id)
	return c != nil && d.Now().Sub(c.Created).Abs() < publishedLife, err
}

// Publish makes a client known by the address of its document, or keeps what the document says now. That
// gives it no right, as Register does not.
func (d *Desk) Publish(ctx context.Context, id string, n NewClient) error {
	if err := checkName(CodeClientName, n.Name); err != nil {
		return err
	}
	return d.Store.NewClient(ctx, storage.Client{ID: id, Name: n.Name, Redirects: n.Redirects, Refreshes: n.Refreshes, From: n.From}, unusedClient, mostClients)
}

// checkName refuses a name that a client may not be shown by.
func checkName(code abi.Code, name string) error {
	switch {
	case !grant.PlainName(name):
		return abi.NewError(code, "the client's name is longer than 80 characters, or has a mark or a character that cannot be seen", "write a short name, each letter with its accent as one character")
	case grant.NamesHost(name):
		return abi.NewError(code, "the client's name has the name of this host in it", "leave pdpp out of the name")
	}
	return nil
}

// client returns a client that may ask.
func (d *Desk) client(ctx context.Context, id string) (*storage.Client, error) {
	if id == PreRegistered {
		return &storage.Client{ID: id, Name: PreRegisteredName}, nil
	}
	c, err := d.Store.ClientOf(ctx, id)
	if err == nil && c == nil {
		err = abi.NewError(CodeClientUnknown, "there is no such client", "register it")
	}
	return c, err
}

// The resources of this host.
const (
	ResourceHost = storage.ResourceHost
	ResourceMCP  = storage.ResourceMCP
)

// Ask is what a client asks for.
type Ask struct {
	ClientID string
	Display  string   // what the client calls itself now, shown behind its registered name; "": the same
	Details  []byte   // JSON; empty: its owner chooses
	Browser  *Browser // nil: no browser brings its answer
	Resource string   // ResourceHost or ResourceMCP, or "" if it names no resource
	From     string   // the address that it came from, as it is counted
}

// Browser says how an owner's browser brings a client its code (RD-45).
type Browser struct {
	Issuer    string // this host's origin, as the client knows it
	Redirect  string // where it is brought, or "" for the one address that the client has registered
	State     string // and what is brought back unchanged
	Challenge string // S256 of the verifier that the client holds
}

// Pushed is a request that waits for its owner.
type Pushed struct {
	URI     string // by which its page is found, and nothing else
	Expires time.Duration
}

// Push keeps what a client asks for, once it is well formed (RD-31, RD-41). Whether the owner
// has it is not looked at, since the answer would tell a stranger.
func (d *Desk) Push(ctx context.Context, a Ask) (*Pushed, error) {
	n := storage.GrantRequest{}
	c, err := d.asking(ctx, &a, &n)
	if err != nil {
		return nil, err
	}
	if b := a.Browser; b != nil {
		if b.Redirect == "" && len(c.Redirects) == 1 { // RFC 6749, section 3.1.2.3
			b.Redirect = c.Redirects[0]
		}
		if !slices.ContainsFunc(c.Redirects, func(known string) bool { return grant.SameRedirect(known, b.Redirect) }) {
			return nil, abi.NewError(CodeRedirect, "the client has not registered the address that its owner would be sent back to", "register it")
		}
		n.Flow, n.Issuer, n.Redirect, n.ClientState, n.Challenge = storage.FlowCode, b.Issuer, b.Redirect, b.State, b.Challenge
	}
	uri, err := d.keep(ctx, c, &n)
	return &Pushed{uri, RequestLife}, err
}

// Open keeps a request that the owner makes for an app that does not ask by itself, and returns its id. The owner
// chooses what it gets.
func (d *Desk) Open(ctx context.Context, name string) (id string, err error) {
	c, err := d.Register(ctx, NewClient{Name: name, From: storage.FromOwner})
	if err != nil {
		return "", err
	}
	n := storage.GrantRequest{From: storage.FromOwner}
	_, err = d.keep(ctx, c, &n)
	return n.ID, err
}

// asking returns who asks, and writes into n what for.
func (d *Desk) asking(ctx context.Context, a *Ask, n *storage.GrantRequest) (*storage.Client, error) {
	c, err := d.client(ctx, a.ClientID)
	if err != nil {
		return nil, err
	}
	if err := checkName(CodeClientDisplay, a.Display); err != nil {
		return nil, err
	}
	if a.Display != c.Name {
		n.Display = a.Display
	}
	n.Resource, n.From = a.Resource, a.From
	if len(a.Details) == 0 {
		return c, nil
	}
	if _, err := grant.ParseDetails(a.Details); err != nil {
		return nil, err
	}
	n.Details, err = grant.Kept(a.Details)
	return c, err
}

// keep keeps a request of a client, and returns by what its page is found.
func (d *Desk) keep(ctx context.Context, c *storage.Client, n *storage.GrantRequest) (uri string, err error) {
	secret, err := d.secret()
	if err != nil {
		return "", err
	}
	if n.ID, err = d.id("grq_"); err != nil {
		return "", err
	}
	n.URI, n.ClientID, n.ClientName, n.Expires = hashOf(secret), c.ID, c.Name, d.Now().UTC().Add(RequestLife)
	return uriPrefix + secret, d.Store.NewGrantRequest(ctx, *n, pendingBy, pendingInAll)
}

// uriHash is how the store knows a request's address.
func uriHash(uri string) string {
	secret, ok := strings.CutPrefix(uri, uriPrefix)
	if !ok || len(uri) > longestRequest {
		return "none"
	}
	return hashOf(secret)
}

// Find returns the request of an address, or grants.request_unknown.
func (d *Desk) Find(ctx context.Context, uri string) (*storage.GrantRequest, error) {
	return d.find(ctx, storage.RequestByURI, uriHash(uri))
}

// OfClient returns grants.request_unknown for an address that is not one of that client's
// requests that is answered by a browser.
func (d *Desk) OfClient(ctx context.Context, uri, clientID string) error {
	r, err := d.Find(ctx, uri)
	if err == nil && (r.ClientID != clientID || r.Flow != storage.FlowCode) {
		err = unknownRequest()
	}
	return err
}

func unknownRequest() error {
	return abi.NewError(CodeRequestUnknown, "there is no such request", "`pdpp-host grants requests` lists those that wait")
}

// Request returns a request by its id, or grants.request_unknown.
func (d *Desk) Request(ctx context.Context, id string) (*storage.GrantRequest, error) {
	return d.find(ctx, storage.RequestByID, id)
}

func (d *Desk) find(ctx context.Context, by, value string) (*storage.GrantRequest, error) {
	r, err := d.Store.GrantRequestOf(ctx, by, value)
	if err == nil && r == nil {
		err = unknownRequest()
	}
	return r, err
}

// Have returns what the owner has of each source, by the modules that are accepted now.
func (d *Desk) Have(ctx context.Context) ([]grant.Declared, error) {
	all, err := d.Store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	var have []grant.Declared
	at := map[string]int{}
	for i := range all {
		c := &all[i]
		source := declaration.SourceOf(c.PinnedManifest)
		if source.ID == "" {
			continue // nothing of it was accepted so far
		}
		digest := grant.Hash(c.PinnedManifest)
		n, known := at[digest]
		if !known {
			n, at[digest] = len(have), len(have)
			have = append(have, grant.Declared{Source: source, Digest: digest, Manifest: c.PinnedManifest, Streams: declaration.Read(c.PinnedManifest)})
		}
		have[n].Connections = append(have[n].Connections, grant.Connection{ID: c.ID, Name: c.Name, Module: c.PinnedSHA256})
	}
	return have, nil
}
