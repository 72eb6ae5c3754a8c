package connectors

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/atomicfile"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Removed is a module that lies in the plugins folder no more.
type Removed struct {
	Name        string   `json:"name"`
	Connections []string `json:"connections"` // that cannot run without it; their records stay
}

// Remove takes a module out of the plugins folder. confirm is called once, with the
// connections that cannot run without it; its error is the operation's, and nothing is
// changed.
func Remove(ctx context.Context, o *owner.Owner, name string, confirm func(*Removed) error) (*Removed, error) {
	dir := o.Config.PluginsDir()
	if modules.IsPath(name) || !modules.ValidName(name) {
		return nil, abi.NewError(abi.CodeUsage, "that is no connector's name", "name one that is installed")
	}
	path, there := modules.Path(dir, name)
	if !there {
		_, err := modules.Open(o.Config, name, modules.ListCommand)
		return nil, err
	}
	if err := plugin.CheckDir(dir); err != nil {
		return nil, err
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	r := &Removed{Name: nameOf(path), Connections: []string{}}
	all, err := owner.OwnConnections(ctx, store)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if abi.SameConnector(all[i].Connector, r.Name) {
			r.Connections = append(r.Connections, all[i].Name)
		}
	}
	slices.Sort(r.Connections)
	if err := confirm(r); err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "connectors.remove", r.Name, func(context.Context) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return notPlaced(err)
		}
		return notPlaced(atomicfile.SyncDir(filepath.Dir(path)))
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
