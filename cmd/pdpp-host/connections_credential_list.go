package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Where a credential comes from.
const (
	fromStore       = "stored"
	fromEnvironment = "environment"
	fromNowhere     = "missing"
)

// credentialView is one credential as it is shown: by name, never by value.
type credentialView struct {
	Field       string     `json:"field"`
	Label       string     `json:"label,omitempty"`
	Source      string     `json:"source"`
	Required    bool       `json:"required"`
	Declared    bool       `json:"declared"`               // false: the connector does not use it any more
	Environment string     `json:"environment,omitempty"`  // the variable that has a value, used or not
	NotAccepted string     `json:"not_accepted,omitempty"` // a variable that is set, and that the owner has not accepted by name
	Variables   []string   `json:"variables,omitempty"`
	StoredAt    *time.Time `json:"stored_at,omitempty"`

	accept string // the command that accepts it
}

func viewCredentials(conn *storage.Connection, fields []abi.CredentialField, stored []storage.StoredCredential, getenv func(string) string) []credentialView {
	own := ownEnvironment(conn, getenv)
	at := make(map[string]*time.Time, len(stored))
	for i := range stored {
		at[stored[i].Field] = &stored[i].UpdatedAt
	}
	views := make([]credentialView, 0, len(fields))
	for _, f := range fields {
		v := credentialView{
			Field: f.Name, Label: f.Label, Source: fromNowhere, Required: f.Required, Declared: true,
			Environment: environmentName(f, own), Variables: f.Env, StoredAt: at[f.Name],
		}
		switch {
		case v.StoredAt != nil:
			v.Source = fromStore
		case v.Environment != "":
			v.Source = fromEnvironment
		default:
			if v.NotAccepted = notAccepted(conn, f, getenv); v.NotAccepted != "" {
				v.accept = "pdpp-host plugins accept " + quoted(conn.Name) + " --allow variable=" + v.NotAccepted
			}
		}
		views = append(views, v)
		delete(at, f.Name)
	}
	for _, s := range stored {
		if when := at[s.Field]; when != nil {
			views = append(views, credentialView{Field: s.Field, Source: fromStore, StoredAt: when})
		}
	}
	return views
}

// from says where the credential comes from, for people.
func (v credentialView) from() string {
	switch {
	case !v.Declared:
		return "stored " + output.Timestamp(*v.StoredAt) + ", not used by the connector"
	case v.Source == fromStore && v.Environment != "":
		return "stored " + output.Timestamp(*v.StoredAt) + ", over the variable " + v.Environment
	case v.Source == fromStore:
		return "stored " + output.Timestamp(*v.StoredAt)
	case v.Source == fromEnvironment:
		return "environment " + v.Environment
	case v.NotAccepted != "":
		return "missing; the variable " + v.NotAccepted + " is set but not accepted: " + v.accept
	case len(v.Variables) > 0:
		return "missing; set it, or the variable " + strings.Join(v.Variables, " or ")
	default:
		return "missing"
	}
}

func (a *app) credentialList(ctx context.Context, name string) error {
	return a.toRead(ctx, func(c *config.Config, store *storage.Store) error {
		conn, err := a.credentialConnection(ctx, c, store, name)
		if err != nil {
			return err
		}
		stored, err := store.StoredCredentials(ctx, conn.ID)
		if err != nil {
			return err
		}
		var fields []abi.CredentialField
		m, err := a.manifestOf(ctx, c, conn)
		switch {
		case err == nil:
			fields = manifest.Credentials(m)
		case len(stored) == 0 || ctx.Err() != nil:
			return errors.Join(context.Cause(ctx), err)
		default:
			fmt.Fprintln(a.Err, "the connector's own list is not known: its module is not in the plugins folder")
		}
		views := viewCredentials(conn, fields, stored, os.Getenv)
		result := map[string]any{"connection": conn.Name, "connector": conn.Connector, "credentials": views}
		summary := output.Plural(int64(len(views)), "credential")
		return a.Printer.Result(summary, result, func(w io.Writer) {
			if len(views) == 0 {
				fmt.Fprintln(w, "the connector uses no credentials")
				return
			}
			rows := make([][]string, len(views))
			for i, v := range views {
				required := "optional"
				if v.Required {
					required = "required"
				}
				rows[i] = []string{v.Field, required, a.advice(v.from())}
			}
			output.Table(w, a.Printer.Style, []string{"field", "needed", "from"}, rows)
		})
	})
}

// shownCredentials lists a connection's credentials without its module: before
// the first run those that are stored.
func shownCredentials(ctx context.Context, store *storage.Store, conn *storage.Connection) ([]credentialView, error) {
	stored, err := store.StoredCredentials(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	m := pinnedManifest(conn)
	if m == nil {
		views := make([]credentialView, len(stored))
		for i := range stored {
			views[i] = credentialView{Field: stored[i].Field, Source: fromStore, Declared: true, StoredAt: &stored[i].UpdatedAt}
		}
		return views, nil
	}
	return viewCredentials(conn, manifest.Credentials(m), stored, os.Getenv), nil
}
