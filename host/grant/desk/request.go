package desk

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The limits of clients and their requests (RD-39.2, RD-41).
const (
	mostClients       = 1000
	unusedClient      = 7 * 24 * time.Hour
	pendingBy         = 50 // of one client
	pendingInAll      = 200
	RequestLife       = 10 * time.Minute
	uriPrefix         = "urn:pdpp:pending-consent:"
	PreRegistered     = "pdpp_cli" // the one client that is known without registration
	PreRegisteredName = "PDPP CLI"
	longestRequest    = 256
)

// Desk keeps requests and grants of one store. It is safe for concurrent use.
type Desk struct {
	Store  *storage.Store
	Now    func() time.Time
	Random io.Reader

	paces paces
}

// Register makes a client known by a name, which gives it no right.
func (d *Desk) Register(ctx context.Context, name string) (*storage.Client, error) {
	if !grant.PlainName(name) {
		return nil, abi.NewError(CodeClientName, "the client's name is longer than 80 characters or no plain text", "write a short name")
	}
	id, err := d.id("cl_")
	if err != nil {
		return nil, err
	}
	c := storage.Client{ID: id, Name: name, Created: d.Now().UTC()}
	return &c, d.Store.NewClient(ctx, c, unusedClient, mostClients)
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

// Pushed is a request that waits for its owner.
type Pushed struct {
	URI     string // by which its page is found, and nothing else
	Expires time.Duration
}

// Push keeps what a client asks for, once it is well formed (RD-31, RD-41). Whether the owner
// has it is not looked at, since the answer would tell a stranger. display is what the client calls itself now; "": as it is registered.
func (d *Desk) Push(ctx context.Context, clientID, display string, details []byte) (*Pushed, error) {
	c, err := d.client(ctx, clientID)
	if err != nil {
		return nil, err
	}
	if !grant.PlainName(display) {
		return nil, abi.NewError(CodeClientName, "the client's name is longer than 80 characters or no plain text", "write a short name")
	}
	if _, err := grant.ParseDetails(details); err != nil {
		return nil, err
	}
	kept, err := grant.Kept(details)
	if err != nil {
		return nil, err
	}
	if display != "" {
		c.Name = display
	}
	uri, _, err := d.keep(ctx, c, kept, "", "", "")
	return &Pushed{uri, RequestLife}, err
}

// Open keeps a request of an app that does not ask by itself, and returns its id: its owner
// chooses what it gets.
func (d *Desk) Open(ctx context.Context, name string) (id string, err error) {
	c, err := d.Register(ctx, name)
	if err != nil {
		return "", err
	}
	uri, _, err := d.keep(ctx, c, nil, "", "", "")
	if err != nil {
		return "", err
	}
	r, err := d.Find(ctx, uri)
	if err != nil {
		return "", err
	}
	return r.ID, nil
}

// keep keeps a request, and returns by what its page is found.
func (d *Desk) keep(ctx context.Context, c *storage.Client, details []byte, polling, token, code string) (uri string, expires time.Time, err error) {
	secret, err := d.secret()
	if err != nil {
		return "", expires, err
	}
	id, err := d.id("grq_")
	if err != nil {
		return "", expires, err
	}
	expires = d.Now().UTC().Add(RequestLife)
	n := storage.GrantRequest{
		ID: id, URI: hashOf(secret), ClientID: c.ID, ClientName: c.Name, Details: details, Expires: expires,
		Polling: polling, Token: token, Code: code,
	}
	return uriPrefix + secret, expires, d.Store.NewGrantRequest(ctx, n, pendingBy, pendingInAll)
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

// Request returns a request by its id, or grants.request_unknown.
func (d *Desk) Request(ctx context.Context, id string) (*storage.GrantRequest, error) {
	return d.find(ctx, storage.RequestByID, id)
}

func (d *Desk) find(ctx context.Context, by, value string) (*storage.GrantRequest, error) {
	r, err := d.Store.GrantRequestOf(ctx, by, value)
	if err == nil && r == nil {
		err = abi.NewError(CodeRequestUnknown, "there is no such request", "`pdpp-host grants requests` lists those that wait")
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
