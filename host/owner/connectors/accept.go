package connectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Acceptance asks for a module to be accepted.
type Acceptance struct {
	Module     string        // a connector, a path to a module, or a connection
	ModulePath string        // the absolute path, where Module is one
	Connection string        // only for this one; "": for all connections of the connector
	Allow      []string      // KIND=NAME, what is accepted by name
	Consent    owner.Consent // asked once, with the terms that are common to the connections
}

// Accepted is a module that was accepted.
type Accepted struct {
	Connector   string                 `json:"connector"`
	Version     string                 `json:"version"`
	SHA256      string                 `json:"sha256"`
	Connections []string               `json:"connections"`
	Asks        []string               `json:"asks_for"`
	ByName      []storage.AcceptedItem `json:"accepted_by_name"`
	Left        []storage.AcceptedItem `json:"not_accepted"` // asked for by name

	Terms *modules.Terms `json:"-"`
}

// Accept accepts a module: its connections run that module and no other. The
// connection of the connector's name is made where there is none.
func Accept(ctx context.Context, o *owner.Owner, a Acceptance) (*Accepted, error) {
	m, err := o.OpenTyped(ctx, a.Module, a.ModulePath, a.Connection)
	if err != nil {
		return nil, err
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	d, err := o.Describe(ctx, m.File)
	if err != nil {
		return nil, o.RefusedTo(ctx, store, owner.OpAccept, cmp.Or(m.Connection, m.Connector), err)
	}
	conns, t, items, err := acceptable(ctx, o, store, &m, d, a.Allow)
	if err != nil {
		return nil, o.RefusedTo(ctx, store, owner.OpAccept, cmp.Or(m.Connection, d.Manifest.ConnectorKey), err)
	}
	items, err = a.Consent.Ask(ctx, t, items, acceptedByAll(conns, d.File.SHA256))
	if errors.Is(err, modules.ErrNobodyAsked) {
		err = modules.NotAsked(owner.AcceptCommand(m.Connector, m.Connection), a.Allow)
	}
	if err != nil {
		return nil, err
	}
	return acceptAll(ctx, o, store, conns, t, items, m.Path)
}

// acceptable returns the connections that a module may be accepted for, its terms, and
// what of them is accepted by name.
func acceptable(ctx context.Context, o *owner.Owner, store *storage.Store, m *owner.TypedModule, d *modules.Described, allow []string) ([]storage.Connection, *modules.Terms, []storage.AcceptedItem, error) {
	err := modules.Misnamed(m.Connector, d)
	if err == nil {
		err = owner.NotOnDevice(ctx, store, cmp.Or(m.Connection, d.Manifest.ConnectorKey))
	}
	if err != nil {
		return nil, nil, nil, err
	}
	conns, err := toAccept(ctx, store, d, m.Connection)
	if err != nil {
		return nil, nil, nil, err
	}
	t, err := commonTerms(o, d, conns)
	if err != nil {
		return nil, nil, nil, err
	}
	items, err := t.Allow(allow, o.Home)
	return conns, t, items, err
}

// toAccept are the connections that a module is accepted for: the named one, else those of
// its connector, else one with the connector's name, which does not exist yet.
func toAccept(ctx context.Context, store *storage.Store, d *modules.Described, connection string) (conns []storage.Connection, err error) {
	all, err := owner.OwnConnections(ctx, store)
	if err != nil {
		return nil, err
	}
	key := d.Manifest.ConnectorKey
	for i := range all {
		if all[i].Name == connection && !abi.SameConnector(all[i].Connector, key) {
			return nil, abi.NewError(abi.CodeConnectionInvalid,
				fmt.Sprintf("connection %q belongs to connector %q, not to %q", connection, all[i].Connector, key), "name another one with --connection")
		}
		if abi.SameConnector(all[i].Connector, key) && (connection == "" || all[i].Name == connection) {
			conns = append(conns, all[i])
		}
	}
	if len(conns) == 0 {
		conns = []storage.Connection{{Name: cmp.Or(connection, key), Connector: key}}
	}
	return conns, nil
}

// commonTerms are what each of these connections gets by accepting a module. It
// refuses connections that get different things: their owner would accept for one of
// them what was shown of another.
func commonTerms(o *owner.Owner, d *modules.Described, conns []storage.Connection) (*modules.Terms, error) {
	var common *modules.Terms
	var names []string
	differ := false
	for i := range conns {
		t, err := o.Terms(d, conns[i].Roots, conns[i].Options)
		if err != nil {
			return nil, err
		}
		common, names = cmp.Or(common, t), append(names, conns[i].Name)
		differ = differ || !slices.Equal(t.Asks, common.Asks) || !slices.Equal(t.ByName, common.ByName)
	}
	if differ {
		key := d.Manifest.ConnectorKey
		return nil, abi.NewError(abi.CodeUsage, fmt.Sprintf("the connections of %s do not get the same: %s", key, strings.Join(names, ", ")),
			"accept it for each by itself: pdpp-host plugins accept "+key+" --connection NAME")
	}
	return common, nil
}

// acceptedByAll are the things that each of these connections accepted by name, with
// the module of that hash.
func acceptedByAll(conns []storage.Connection, sha256 string) (items []storage.AcceptedItem) {
	for _, item := range conns[0].Accepted {
		if !slices.ContainsFunc(conns, func(conn storage.Connection) bool {
			return conn.PinnedSHA256 != sha256 || !conn.Accepts(item.Kind, item.Name)
		}) {
			items = append(items, item)
		}
	}
	return items
}

func acceptAll(ctx context.Context, o *owner.Owner, store *storage.Store, conns []storage.Connection, t *modules.Terms, items []storage.AcceptedItem, path string) (*Accepted, error) {
	m := t.Module.Manifest
	r := &Accepted{
		Connector: m.ConnectorKey, Version: m.Version, SHA256: t.Module.File.SHA256,
		ByName: []storage.AcceptedItem{}, Left: []storage.AcceptedItem{}, Terms: t,
	}
	for _, ask := range t.Asks {
		r.Asks = append(r.Asks, ask.String())
	}
	for i := range conns {
		conn, err := accept(ctx, o, store, conns[i].Name, t, items, path)
		if err != nil {
			return nil, err
		}
		r.Connections, conns[i] = append(r.Connections, conn.Name), *conn
	}
	o.TellPutRight()
	r.ByName = append(r.ByName, acceptedByAll(conns, r.SHA256)...)
	for _, ask := range t.Left(r.ByName) {
		r.Left = append(r.Left, ask.ByName)
	}
	return r, nil
}

// accept accepts a module for one connection, with an audit event that names both.
func accept(ctx context.Context, o *owner.Owner, store *storage.Store, connection string, t *modules.Terms, items []storage.AcceptedItem, path string) (*storage.Connection, error) {
	var conn *storage.Connection
	err := o.Audited(ctx, store, owner.OpAccept, accepted(connection, t.Module.File.SHA256), func(ctx context.Context) (err error) {
		conn, err = modules.Accept(ctx, store, connection, t, items, path)
		return err
	})
	return conn, err
}

// accepted is the subject of an acceptance: a connection, and the module's hash.
func accepted(connection, moduleSHA256 string) string { return connection + " " + moduleSHA256 }

// WitnessAcceptance is Witness of a module's acceptance by the run that it is accepted for.
func WitnessAcceptance(ctx context.Context, o *owner.Owner, connection, moduleSHA256 string) context.Context {
	return o.Witness(ctx, owner.OpAccept, accepted(connection, moduleSHA256))
}
