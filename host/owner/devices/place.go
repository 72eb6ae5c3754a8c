package devices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/public"
	"github.com/pdpp-host/pdpp-host/storage"
)

// collectable refuses to invite a device for a connector that only a host can
// run, as far as the one that is installed here can tell. known says whether one
// is. note is what the owner should know of it.
func collectable(ctx context.Context, o *owner.Owner, connector string) (known bool, note string, err error) {
	if _, err := modules.Installed(o.Config.PluginsDir()); err != nil {
		return false, "", err
	}
	path, there := modules.Path(o.Config.PluginsDir(), connector)
	if !there {
		return false, "the connector " + connector + " is not installed here: it is the device that needs it", nil
	}
	file, err := plugin.Open(path, o.Config.ModuleBytes())
	var d *modules.Described
	if err == nil {
		d, err = o.Describe(ctx, file)
	}
	switch {
	case ctx.Err() != nil:
		return true, "", errors.Join(context.Cause(ctx), err)
	case err != nil: // the device has its own
		return true, fmt.Sprintf("the module %s here is not sound [%s]: it is the device that needs one", connector, abi.CodeOf(err)), nil
	}
	if needs, ok := collector.Runnable(d.Manifest); !ok {
		return true, "", abi.NewError(abi.CodeBindingMissing, fmt.Sprintf("connector %q runs on the host only: it needs %s", connector, strings.Join(needs, ", ")),
			"run it here: pdpp-host run "+words.Quoted(connector))
	}
	return true, "", nil
}

// heardOf refuses a connector that is not installed here, is no public one, and that no connection and no device has or
// had: as likely as not it is a slip, and its code would be of no use.
func heardOf(ctx context.Context, o *owner.Owner, store *storage.Store, connector string, sources []storage.SourceInstance) error {
	known, err := modules.Installed(o.Config.PluginsDir())
	if err != nil {
		return err
	}
	connections, err := store.ConnectionKeys(ctx, storage.ConnectionKeys{})
	if err != nil {
		return err
	}
	known = append(known, public.Connectors()...)
	for i := range connections {
		known = append(known, connections[i].Connector)
	}
	for i := range sources {
		known = append(known, sources[i].ConnectorID)
	}
	if slices.ContainsFunc(known, func(k string) bool { return abi.SameConnector(k, connector) }) {
		return nil
	}
	hint := "if that is its name"
	if n := abi.Nearest(connector, known); n != "" {
		hint = fmt.Sprintf("did you mean %q? if %s is its name", n, connector)
	}
	return abi.NewError(abi.CodePluginUnknown, fmt.Sprintf("this host does not know the connector %q", connector),
		hint+", and the device has it: pdpp-host devices invite "+words.Quoted(connector)+" --yes")
}

// feedsInto is what the connection of an invited device will be called, as things
// stand, and why it is not called what was asked for: "" when it is.
func feedsInto(ctx context.Context, store *storage.Store, connector, binding string, sources []storage.SourceInstance) (name, why string, err error) {
	for i := range sources {
		if s := &sources[i]; s.ConnectorID == connector && s.Binding == binding {
			name = s.ConnectionName // as before
		}
	}
	if name == binding {
		return name, "", nil
	}
	if name != "" {
		return name, connector + " of the name " + binding + " has fed it before", nil
	}
	all, err := store.ConnectionKeys(ctx, storage.ConnectionKeys{})
	if err != nil {
		return "", "", err
	}
	taken := map[string]*storage.ConnectionKey{}
	for i := range all {
		taken[all[i].Name], taken[all[i].ID] = &all[i], &all[i]
	}
	other := taken[binding]
	if other == nil {
		return binding, "", nil
	}
	for n := 2; ; n++ {
		if name = binding + "-" + strconv.Itoa(n); taken[name] == nil {
			break
		}
	}
	why = fmt.Sprintf("%s is a connection of this host, of %s", binding, other.Connector)
	if slices.ContainsFunc(sources, func(s storage.SourceInstance) bool { return s.ConnectionID == other.ID }) {
		why = fmt.Sprintf("%s is another device's connection, of %s", binding, other.Connector)
	}
	return name, why + "; another name is said with --name", nil
}
