package grants

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// CodeClientUnknown reports a client that is not there.
const CodeClientUnknown = desk.CodeClientUnknown

// Client is an app that is known, which gives it no right.
type Client struct {
	ID        string     `json:"client_id"`
	Name      string     `json:"client_name"`   // as it calls itself, which nobody has verified
	CreatedAt *time.Time `json:"registered_at"` // null: it is known without registration
	Redirects []string   `json:"redirect_uris"`
	Holds     int        `json:"grants"`       // that hold
	Tokens    int        `json:"owner_tokens"` // that speak for the owner
}

// Called is what the app is called: its own name or, where it has none, its id.
func (c *Client) Called() string {
	if c.Name == "" {
		return c.ID
	}
	return c.Name
}

// Clients returns the apps that are known, and those of grants and tokens that hold.
func Clients(ctx context.Context, o *owner.Owner) ([]Client, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	known, err := d.Store.Clients(ctx)
	if err != nil {
		return nil, err
	}
	out, at := []Client{}, map[string]int{}
	for i := range known {
		c := &known[i]
		at[c.ID] = len(out)
		out = append(out, Client{ID: c.ID, Name: c.Name, CreatedAt: owner.Moment(c.Created), Redirects: append([]string{}, c.Redirects...)})
	}
	all, err := d.Store.Grants(ctx)
	if err != nil {
		return nil, err
	}
	find := func(id string) *Client {
		n, listed := at[id]
		if !listed {
			n, at[id] = len(out), len(out)
			c := Client{ID: id, Redirects: []string{}}
			if id == desk.PreRegistered {
				c.Name = desk.PreRegisteredName
			}
			out = append(out, c)
		}
		return &out[n]
	}
	for i := range all {
		if g := &all[i]; stateOf(d, g) == Holds {
			find(g.ClientID).Holds++
		}
	}
	tokens, err := d.Store.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	for i := range tokens {
		if t := &tokens[i]; t.Client != "" && d.Now().Before(t.Expires) {
			find(t.Client).Tokens++
		}
	}
	return out, nil
}

// RemoveClient forgets an app, ends all its grants and tokens, and refuses what it asks for, or returns
// grants.client_unknown.
func RemoveClient(ctx context.Context, o *owner.Owner, id string) error {
	all, err := Clients(ctx, o)
	if err != nil {
		return err
	}
	d, err := deskOf(ctx, o)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].ID == id {
			return o.Audited(ctx, d.Store, "clients.remove", id, func(ctx context.Context) error {
				_, err := d.Store.RemoveClient(ctx, id)
				return err
			})
		}
	}
	return abi.NewError(CodeClientUnknown, "there is no such app", "`pdpp-host clients` lists them")
}
