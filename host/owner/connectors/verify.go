package connectors

import (
	"context"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// States of a connection's module.
const (
	ModuleSame      = "same"
	ModuleChanged   = "changed"
	ModuleAccepted  = "accepted" // the changed one, now
	ModuleNotPinned = "not_pinned"
	ModuleBroken    = "broken"
	ModuleMissing   = "missing"
)

// Verified is one connection held against the module that is installed now.
type Verified struct {
	Connection string           `json:"connection"`
	Connector  string           `json:"connector"`
	Module     string           `json:"module"`
	Pinned     string           `json:"pinned_sha256"`
	Found      string           `json:"found_sha256"`
	State      string           `json:"state"`
	Changes    []modules.Change `json:"changes"`
	AsksFor    []string         `json:"asks_for"`
	Problem    *words.Problem   `json:"problem,omitempty"` // of a broken module, which has no connection here

	Named   string `json:"-"` // what names the module in a request
	Refusal error  `json:"-"` // of a broken module, or of one that is not accepted and should be
}

// Verification says which connections are held against their modules.
type Verification struct {
	Module     string // a connector, a path to a module, or a connection; "": every module
	Connection string // "": every connection
	Accept     bool   // makes a changed module the accepted one
}

// Verify compares each connection's pinned module with the installed one, and
// accepts a changed one where that is asked for. A connection's first module is not
// accepted so: Accept shows its terms.
func Verify(ctx context.Context, o *owner.Owner, v Verification) (rows []Verified, err error) {
	names := []string{v.Module}
	if v.Module == "" {
		if v.Accept {
			return nil, abi.NewError(abi.CodeUsage, "--accept needs CONNECTOR", "name the one module that you have looked at")
		}
		if names, err = modules.Installed(o.Config.PluginsDir()); err != nil {
			return nil, err
		}
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	connections, err := owner.OwnConnections(ctx, store)
	if err != nil {
		return nil, err
	}
	err = o.Engine(func(engine *plugin.Engine) error {
		x := verifier{owner: o, store: store, engine: engine, connections: connections, only: v.Connection, accept: v.Accept, all: v.Module == ""}
		err := x.verify(ctx, names, modulesElsewhere(o, connections, v))
		rows = x.rows
		return err
	})
	return rows, err
}

// modulesElsewhere are the modules of the connections that run one by its path, by
// the connection's name: of all that are meant, or of every one.
func modulesElsewhere(o *owner.Owner, connections []storage.Connection, v Verification) map[string]string {
	found := map[string]string{}
	for i := range connections {
		conn := &connections[i]
		meant := v.Module == "" || v.Module == conn.Connector || v.Module == conn.Name
		if !meant || v.Connection != "" && conn.Name != v.Connection {
			continue
		}
		if _, path, err := modules.Of(o.Config, conn); err == nil && path != "" {
			found[conn.Name] = path
		}
	}
	return found
}

// verifier holds connections against modules.
type verifier struct {
	owner       *owner.Owner
	store       *storage.Store
	engine      *plugin.Engine
	connections []storage.Connection
	only        string
	accept, all bool
	rows        []Verified
}

// verify holds the connections against the modules of these names, and those that
// run one from elsewhere against that: where every module is meant, or the plugins
// folder has none of the name.
func (v *verifier) verify(ctx context.Context, names []string, elsewhere map[string]string) error {
	missed, here := v.all, v.connections
	if v.all {
		here = slices.DeleteFunc(slices.Clone(here), func(conn storage.Connection) bool { return elsewhere[conn.Name] != "" })
	}
	for _, name := range names {
		err := v.one(ctx, name, here, v.only)
		switch {
		case err == nil:
		case len(elsewhere) > 0 && abi.CodeOf(err) == abi.CodePluginUnknown:
			missed = true
		case !v.all || ctx.Err() != nil:
			return err
		default: // the others are still to be looked at
			v.addBroken(name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(elsewhere)) {
		if !missed {
			break
		}
		if err := v.one(ctx, elsewhere[name], v.connections, name); err != nil {
			if !v.all || ctx.Err() != nil {
				return err
			}
			v.addBroken(elsewhere[name], err)
		}
	}
	if v.all {
		v.addMissing()
	}
	return nil
}

func (v *verifier) addBroken(module string, err error) {
	v.rows = append(v.rows, Verified{
		Module: module, State: ModuleBroken, Changes: []modules.Change{}, AsksFor: []string{}, Problem: words.ProblemOf(err), Refusal: err,
	})
}

// addMissing adds the connections that nothing was held against: their module is not
// installed.
func (v *verifier) addMissing() {
	for i := range v.connections {
		conn := &v.connections[i]
		held := func(r Verified) bool { return r.Connection == conn.Name || r.Module == conn.Connector }
		if v.only != "" && conn.Name != v.only || slices.ContainsFunc(v.rows, held) {
			continue
		}
		v.rows = append(v.rows, Verified{
			Connection: conn.Name, Connector: conn.Connector, Pinned: conn.PinnedSHA256, State: ModuleMissing, Changes: []modules.Change{}, AsksFor: []string{},
		})
	}
}

// one holds connections against one module.
func (v *verifier) one(ctx context.Context, named string, connections []storage.Connection, only string) error {
	file, err := modules.Open(v.owner.Config, named, modules.ListCommand)
	if err != nil {
		return err
	}
	d, err := v.owner.Modules.Describe(ctx, v.engine, file)
	if err == nil {
		err = modules.Misnamed(named, d)
	}
	if err != nil {
		return err
	}
	path := ""
	if modules.IsPath(named) {
		path = named
	}
	for i := range connections {
		conn := &connections[i]
		if !abi.SameConnector(conn.Connector, d.Manifest.ConnectorKey) || only != "" && conn.Name != only {
			continue
		}
		row := verifiedOf(conn, d, named)
		if v.accept && row.State == ModuleNotPinned {
			row.Refusal = run.NotAccepted(conn.Connector, conn.Name, path)
		}
		if v.accept && row.State == ModuleChanged {
			if _, err := accept(ctx, v.owner, v.store, conn.Name, modules.TermsOf(d, nil), nil, ""); err != nil {
				return err
			}
			row.State = ModuleAccepted
		}
		v.rows = append(v.rows, row)
	}
	return nil
}

// verifiedOf compares a connection's pinned module with the one that was described.
func verifiedOf(conn *storage.Connection, d *modules.Described, named string) Verified {
	row := Verified{
		Connection: conn.Name, Connector: conn.Connector, Module: d.File.Name, Pinned: conn.PinnedSHA256, Found: d.File.SHA256,
		State: ModuleSame, Changes: []modules.Change{}, AsksFor: []string{}, Named: named,
	}
	for _, ask := range modules.Asks(d.Manifest) {
		row.AsksFor = append(row.AsksFor, ask.String())
	}
	switch {
	case conn.PinnedSHA256 == "":
		row.State = ModuleNotPinned
	case conn.PinnedSHA256 != d.File.SHA256:
		row.State = ModuleChanged
		if old, err := manifest.Parse(conn.PinnedManifest); err == nil {
			row.Changes = modules.Changes(old, d.Manifest)
		}
	}
	return row
}
