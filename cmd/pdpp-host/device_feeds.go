package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// codeOnDevice is of what cannot be done to a connection here, because a device
// feeds it.
const codeOnDevice abi.Code = "connection.on_device"

// feed is one source on a device that feeds a connection. Those of devices that
// were revoked are feeds as well: what they collected is theirs.
type feed = storage.SourceInstance

// hostOf names a feed's device, which has its name from its own owner or from a
// stranger.
func hostOf(f *feed) string { return deviceName(f.DeviceLabel, f.DeviceID, f.Binding) }

// feedsByConnection are all feeds by the connection's id: one question for all
// connections.
func feedsByConnection(ctx context.Context, store *storage.Store) (map[string][]feed, error) {
	all, err := store.SourceInstances(ctx, "")
	byID := map[string][]feed{}
	for _, f := range all {
		byID[f.ConnectionID] = append(byID[f.ConnectionID], f)
	}
	return byID, err
}

// ownConnections are those that this host runs: no module here is held against
// what a device runs.
func ownConnections(ctx context.Context, store *storage.Store) ([]storage.Connection, error) {
	all, err := store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	fed, err := feedsByConnection(ctx, store)
	return slices.DeleteFunc(all, func(c storage.Connection) bool { return len(fed[c.ID]) > 0 }), err
}

// active are the feeds of devices that are trusted.
func active(all []feed) []feed {
	var out []feed
	for _, f := range all {
		if f.Active() {
			out = append(out, f)
		}
	}
	return out
}

// bindings are what the commands of a recovery are made for.
func bindings(all []feed) []view.Binding {
	var out []view.Binding
	for _, f := range active(all) {
		out = append(out, view.Binding{SourceInstanceID: f.ID, Host: output.Clean(f.DeviceLabel)})
	}
	return out
}

// collectThere is the command that collects a source, on its device. It holds no
// address, token or path: the device knows its own.
func collectThere(source string) string {
	return "pdpp-local-collector run --source-instance-id " + quoted(source)
}

// onDevice refuses to do something to a connection here, and says where it is
// done instead; nil when no device feeds it.
func onDevice(connection, connector string, all []feed) error {
	if len(all) == 0 {
		return nil
	}
	var hosts []string
	for i := range all {
		if !all[i].Active() && len(active(all)) > 0 {
			continue // another one has taken its place
		}
		state := ""
		if !all[i].Active() {
			state = ", revoked"
		}
		hosts = append(hosts, hostOf(&all[i])+" ("+all[i].DeviceID+state+")")
	}
	var hint string
	switch trusted := active(all); len(trusted) {
	case 0:
		hint = fmt.Sprintf("its device was revoked: enrol one again with: pdpp-host devices invite %s --name %s   or collect it here under another name: "+
			"pdpp-host run %s --connection %s", quoted(connector), quoted(all[0].Binding), quoted(connector), quoted(connection+"-here"))
	case 1:
		hint = fmt.Sprintf("on %q, type: %s", hostOf(&trusted[0]), collectThere(trusted[0].ID))
	default:
		var there []string
		for i := range trusted {
			there = append(there, fmt.Sprintf("on %q, type: %s", hostOf(&trusted[i]), collectThere(trusted[i].ID)))
		}
		hint = strings.Join(there, "   ")
	}
	return abi.NewError(codeOnDevice, fmt.Sprintf("connection %q is collected on a device, and not by this host", connection), hint).
		WithDetail("fed by " + strings.Join(hosts, ", "))
}

// refuseFed refuses a run of a connection that a device feeds: what this host
// found in its own folders would take the place of what the device has.
func refuseFed(ctx context.Context, store *storage.Store, engine *plugin.Engine, module *plugin.File, connection string) error {
	all, err := store.SourceInstances(ctx, "")
	if err != nil || len(all) == 0 {
		return err
	}
	if connection == "" { // the connection is called as the connector is
		d, err := describe(ctx, engine, module)
		if err != nil {
			return nil //nolint:nilerr // the run itself says what is wrong with its module
		}
		connection = d.Manifest.ConnectorKey
	}
	return fedOf(ctx, store, connection)
}

// fedOf is onDevice for the connection of that name, nil when there is none.
func fedOf(ctx context.Context, store *storage.Store, name string) error {
	conn, err := store.Connection(ctx, name)
	if abi.CodeOf(err) == abi.CodeConnectionUnknown {
		return nil
	}
	if err != nil {
		return err
	}
	all, err := store.SourceInstances(ctx, conn.ID)
	if err != nil {
		return err
	}
	return onDevice(conn.Name, conn.Connector, all)
}

// fedByName is fedOf before a store is open; a store that cannot be read says
// nothing.
func (a *app) fedByName(ctx context.Context, c *config.Config, name string) (fed error) {
	if name == "" || !exists(c.StorageDSN()) {
		return nil
	}
	_ = a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		if err := fedOf(ctx, store, name); abi.CodeOf(err) == codeOnDevice {
			fed = err
		}
		return nil
	}) // the error at hand says more
	return fed
}
