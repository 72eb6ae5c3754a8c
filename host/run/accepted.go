package run

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A module runs for a connection once its owner has accepted it: its hash and its
// manifest are the connection's pin from then on, and another module is refused.

// checkAccepted refuses a module that is not the accepted one, or that nobody has
// accepted, and returns the items that the owner accepted by name.
func (r *Runner) checkAccepted(ctx context.Context, p *plan, own *storage.Connection) ([]storage.AcceptedItem, error) {
	req := &p.request
	switch {
	case own.PinnedSHA256 == req.Module.SHA256:
		if !bytes.Equal(own.PinnedManifest, p.raw) {
			return nil, changedManifest(own.Name, req.Module)
		}
		return own.Accepted, nil
	case own.PinnedSHA256 != "":
		return nil, changedModule(own.Name, own.PinnedSHA256, req.Module)
	case !req.Accept:
		return nil, r.notAccepted(ctx, p, own)
	}
	return req.Allowed, p.guest.Steady(ctx, p.raw)
}

// notAccepted is NotAccepted of a run's connection. Where its connector has others, its
// name is part of the command even if it is the connector's own: without it, the command
// accepts the module for those others alone.
func (r *Runner) notAccepted(ctx context.Context, p *plan, own *storage.Connection) error {
	key := p.manifest.ConnectorKey
	refusal := NotAccepted(key, own.Name, p.request.ModulePath)
	all, err := r.deps.Store.Connections(ctx)
	if err != nil {
		return err
	}
	if own.Name == key && slices.ContainsFunc(all, func(c storage.Connection) bool {
		return c.ID != own.ID && abi.SameConnector(c.Connector, key)
	}) {
		refusal.Hint += " --connection " + own.Name
	}
	return refusal
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

// changedManifest refuses a module with the accepted hash and another manifest: the
// owner accepted what the manifest said then.
func changedManifest(connection string, f *plugin.File) error {
	return abi.NewError(abi.CodePluginChanged,
		fmt.Sprintf("the module of connection %q does not describe itself as it did before", connection),
		"a connector's manifest may not change by itself; do not run it before you know why").WithDetail(f.Path)
}

func short(sha string) string { return sha[:min(len(sha), 12)] }
