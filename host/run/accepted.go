package run

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A module runs for a connection once its owner has accepted it: its hash and its
// manifest are the connection's pin from then on, and another one is refused.

// accepted refuses a run of a module that is not the accepted one, or that nobody has
// accepted, and returns what its owner accepted by name.
func (r *Runner) accepted(ctx context.Context, req Request, p *prepared, conn *storage.Connection, raw []byte) ([]storage.AcceptedItem, error) {
	switch {
	case conn != nil && conn.PinnedSHA256 == req.Module.SHA256:
		if !bytes.Equal(conn.PinnedManifest, raw) {
			return nil, changedManifest(conn.Name, req.Module)
		}
		return conn.Accepted, nil
	case conn != nil && conn.PinnedSHA256 != "":
		return nil, changedModule(conn.Name, conn.PinnedSHA256, req.Module)
	case !req.Accept:
		return nil, NotAccepted(p.manifest.ConnectorKey, req.Connection, req.ModulePath)
	}
	return req.Allowed, p.guest.Steady(ctx, raw)
}

// neverRan reports whether no run of the connection has begun before.
func (r *Runner) neverRan(ctx context.Context, conn *storage.Connection) (bool, error) {
	if conn == nil {
		return true, nil
	}
	runs, err := r.deps.Store.Runs(ctx, conn.ID, 1)
	return len(runs) == 0, err
}

// pin keeps the module that the connection is held to from now on.
func (r *Runner) pin(ctx context.Context, req Request, p *prepared, raw []byte) error {
	if p.connection.PinnedSHA256 == "" {
		return r.deps.Store.PinPlugin(ctx, p.connection.ID, req.Module.SHA256, raw, req.Allowed...)
	}
	return nil
}

// NotAccepted refuses a run of a connection whose owner has accepted no module yet.
// connection and path are "" for the connector's own name.
func NotAccepted(connector, connection, path string) *abi.Error {
	command := "pdpp-host plugins accept " + cmp.Or(path, connector)
	if connection != "" && connection != connector {
		command += " --connection " + connection
	}
	return abi.NewError(abi.CodePluginNotAccepted, fmt.Sprintf("nobody has accepted the module of connector %s yet", connector),
		"see what it asks for and accept it: "+command)
}

func changedModule(connection, pinned string, f *plugin.File) error {
	return abi.NewError(abi.CodePluginChanged,
		fmt.Sprintf("the module of connection %q is not the accepted one", connection),
		"see what changed with: pdpp-host plugins verify "+f.Name+"   and accept it with --accept").
		WithDetail(fmt.Sprintf("%s has sha256 %s, pinned is %s", f.Path, short(f.SHA256), short(pinned)))
}

// changedManifest refuses a module that is the same and says something else: what
// the owner accepted is what it said then.
func changedManifest(connection string, f *plugin.File) error {
	return abi.NewError(abi.CodePluginChanged,
		fmt.Sprintf("the module of connection %q does not describe itself as it did before", connection),
		"a connector's manifest may not change by itself; do not run it before you know why").WithDetail(f.Path)
}
