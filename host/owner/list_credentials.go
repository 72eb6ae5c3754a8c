package owner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Where a credential comes from.
const (
	FromStore       = "stored"
	FromEnvironment = "environment"
	FromNowhere     = "missing"
)

// Credential is one credential as it is shown: by name, never by value.
type Credential struct {
	Field       string     `json:"field"`
	Label       string     `json:"label,omitempty"`
	Source      string     `json:"source"`
	Required    bool       `json:"required"`
	Declared    bool       `json:"declared"`               // false: the connector does not use it any more
	Environment string     `json:"environment,omitempty"`  // the variable that has a value, used or not
	NotAccepted string     `json:"not_accepted,omitempty"` // a variable that is set, and that the owner has not accepted by name
	Variables   []string   `json:"variables,omitempty"`
	StoredAt    *time.Time `json:"stored_at,omitempty"`
}

// Credentials are those of one connection.
type Credentials struct {
	Connection  string       `json:"connection"`
	Connector   string       `json:"connector"`
	Credentials []Credential `json:"credentials"`
	Browses     bool         `json:"browses,omitempty"` // its connector uses a browser, in which sites may know the owner

	StoredOnly bool `json:"-"` // the connector's own list is not known: its module is not in the plugins folder
}

// Credentials lists which credentials a connection has and where they come from, never
// their values.
func (o *Owner) Credentials(ctx context.Context, name string) (*Credentials, error) {
	store, conn, err := o.CredentialConnection(ctx, name)
	if err != nil {
		return nil, err
	}
	stored, err := store.StoredCredentials(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	var fields []abi.CredentialField
	c := &Credentials{Connection: conn.Name, Connector: conn.Connector}
	m, err := o.ManifestOf(ctx, conn)
	switch {
	case err == nil:
		fields = manifest.Credentials(m)
		c.Browses = m.Requirements.Browser != nil
	case len(stored) == 0 || ctx.Err() != nil:
		return nil, errors.Join(context.Cause(ctx), err)
	default:
		c.StoredOnly = true
	}
	c.Credentials = o.credentialsOf(conn, fields, stored)
	return c, nil
}

// knownCredentials lists a connection's credentials without its module: before the
// first run those that are stored.
func (o *Owner) knownCredentials(ctx context.Context, store *storage.Store, conn *storage.Connection) ([]Credential, error) {
	stored, err := store.StoredCredentials(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	m := modules.Pinned(conn)
	if m == nil {
		all := make([]Credential, len(stored))
		for i := range stored {
			all[i] = Credential{Field: stored[i].Field, Source: FromStore, Declared: true, StoredAt: &stored[i].UpdatedAt}
		}
		return all, nil
	}
	return o.credentialsOf(conn, manifest.Credentials(m), stored), nil
}

func (o *Owner) credentialsOf(conn *storage.Connection, fields []abi.CredentialField, stored []storage.StoredCredential) []Credential {
	own := credential.OwnEnvironment(conn, o.Getenv)
	at := make(map[string]*time.Time, len(stored))
	for i := range stored {
		at[stored[i].Field] = &stored[i].UpdatedAt
	}
	all := make([]Credential, 0, len(fields))
	for _, f := range fields {
		c := Credential{
			Field: f.Name, Label: f.Label, Source: FromNowhere, Required: f.Required, Declared: true,
			Environment: credential.VariableOf(f, own), Variables: f.Env, StoredAt: at[f.Name],
		}
		switch {
		case c.StoredAt != nil:
			c.Source = FromStore
		case c.Environment != "":
			c.Source = FromEnvironment
		default:
			c.NotAccepted = credential.NotAccepted(conn, f, o.Getenv)
		}
		all = append(all, c)
		delete(at, f.Name)
	}
	for _, s := range stored {
		if when := at[s.Field]; when != nil {
			all = append(all, Credential{Field: s.Field, Source: FromStore, StoredAt: when})
		}
	}
	return all
}

// CredentialConnection finds a connection. Before a connector's first run there is none;
// then it says how to make it.
func (o *Owner) CredentialConnection(ctx context.Context, name string) (*storage.Store, *storage.Connection, error) {
	store, conn, err := o.Find(ctx, name)
	if err == nil || abi.CodeOf(err) != abi.CodeConnectionUnknown {
		return store, conn, err
	}
	if names, listErr := modules.Installed(o.Config.PluginsDir()); listErr == nil && slices.Contains(names, name) {
		return nil, nil, abi.NewError(abi.CodeConnectionUnknown, fmt.Sprintf("there is no connection %q yet", name),
			fmt.Sprintf("make it first: pdpp-host connections add %s %s", name, name)).Wrap(err)
	}
	return nil, nil, err
}
