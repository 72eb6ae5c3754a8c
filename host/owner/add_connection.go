package owner

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send/call"
	"github.com/pdpp-host/pdpp-host/storage"
)

// NewConnection is a connection to be made.
type NewConnection struct {
	Name       string
	Connector  string // a name in the plugins folder, or a path to a module
	ModulePath string // the absolute path, where Connector is one
	Roots      map[string]string
	Options    map[string]string
	Consent    Consent // asked once, for the connector's module
}

// AddConnection makes a connection with its own folders and options. They are checked
// against the module, so that a slip is found now and not in a run at night. Without
// its owner's consent the connection is made all the same: its PinnedSHA256 is "", it
// waits for its owner, and is shown so.
func (o *Owner) AddConnection(ctx context.Context, n NewConnection) (*Connection, error) {
	n.Connector = abi.KeyNamed(n.Connector)
	d, err := o.checkNew(ctx, &n)
	if err != nil {
		return nil, err
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	if existing, err := store.Connection(ctx, n.Name); err == nil {
		free, err := o.FreeName(ctx, n.Name)
		if err != nil {
			return nil, err
		}
		return nil, o.Refused(ctx, store, "connections.add", n.Name,
			abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("there is a connection %q already, of connector %s", n.Name, existing.Connector),
				fmt.Sprintf("choose another name, such as %s, or change the folders and settings of the one that is there", words.Quoted(free))))
	} else if abi.CodeOf(err) != abi.CodeConnectionUnknown {
		return nil, err
	}
	t, err := o.Terms(d, n.Roots, n.Options)
	if err != nil {
		return nil, err
	}
	var conn *storage.Connection
	err = o.Audited(ctx, store, "connections.add", n.Name, func(ctx context.Context) (err error) {
		conn, err = o.makeConnection(ctx, store, &n, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return connectionOf(conn), nil
}

// FreeName returns wanted, or where a connection has that name, the first of wanted-2,
// wanted-3 and so on that none has.
func (o *Owner) FreeName(ctx context.Context, wanted string) (string, error) {
	taken, err := o.ConnectionNames(ctx)
	name := wanted
	for n := 2; slices.Contains(taken, name); n++ {
		suffix := "-" + strconv.Itoa(n)
		name = wanted[:min(len(wanted), modules.LongestName-len(suffix))] + suffix
	}
	return name, err
}

func noName(name string) error {
	return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("%q is no connection's name", name), "use letters, digits, '.', '_' and '-'")
}

// checkNew refuses a connection that no run could be made of, and describes its module.
func (o *Owner) checkNew(ctx context.Context, n *NewConnection) (*modules.Described, error) {
	if !modules.ValidName(n.Name) {
		return nil, noName(n.Name)
	}
	file, err := o.openNew(n)
	if err != nil {
		return nil, err
	}
	d, err := o.Describe(ctx, file)
	if err == nil {
		err = modules.Misnamed(n.Connector, d)
	}
	if err == nil {
		err = checkOptions(d.Manifest, n.Options, "add the connection without it, then: ", n.Name)
	}
	if err == nil && len(n.Roots) > 0 {
		// Folders that no run would be granted, also once its owner has accepted what
		// lies in them.
		if err = readsFolders(d.Manifest, n.Roots); err == nil {
			_, err = o.Folders.Look(d.Manifest, n.Roots)
		}
	}
	return d, err
}

// openNew opens the connector's module, and says so where the connection's name and
// the connector's are in each other's place.
func (o *Owner) openNew(n *NewConnection) (*plugin.File, error) {
	file, err := modules.Open(o.Config, n.Connector, modules.ListCommand)
	if _, swapped := modules.Path(o.Config.PluginsDir(), n.Name); swapped && abi.CodeOf(err) == abi.CodePluginUnknown {
		return nil, usage(fmt.Sprintf("there is no connector %q, and %q is one", n.Connector, n.Name),
			fmt.Sprintf("the connection's name comes first: pdpp-host connections add %s %s", n.Connector, n.Name))
	}
	return file, err
}

// checkOptions refuses options that the connector does not take. what leads to the
// command that stores a credential of the connection.
func checkOptions(m *abi.Manifest, options map[string]string, what, connection string) error {
	if secret := run.SecretOptions(m, options); len(secret) > 0 {
		return usage(fmt.Sprintf("%q is a credential of the connector, and no option", secret[0]),
			fmt.Sprintf("%spdpp-host connections credential set %s %s", what, connection, secret[0]))
	}
	if err := manifest.CheckOptions(m, options); err != nil {
		return err
	}
	if base := options[run.OptionBaseURL]; base != "" { // one that no run would take is neither kept nor shown
		return call.CheckBaseURL(base)
	}
	return nil
}

// makeConnection makes the connection, with its module when its owner accepts that now,
// and with its own folders and options.
func (o *Owner) makeConnection(ctx context.Context, store *storage.Store, n *NewConnection, t *modules.Terms) (*storage.Connection, error) {
	items, err := n.Consent.Ask(ctx, t, nil, nil)
	var conn *storage.Connection
	switch {
	case err == nil:
		conn, err = modules.Accept(ctx, store, n.Name, t, items, n.ModulePath)
	case errors.Is(err, modules.ErrNotAccepted):
		if conn, err = store.EnsureConnection(ctx, n.Name, t.Module.Manifest.ConnectorKey); err == nil {
			err = KeepRefusal(ctx, store, conn, run.NotAccepted(conn.Connector, n.Name, n.ModulePath))
		}
	}
	if err != nil {
		return nil, err
	}
	return store.KeepConnection(ctx, conn.ID, func(own *storage.Connection) error {
		own.Roots, own.Options = Overlaid(own.Roots, n.Roots), Overlaid(own.Options, n.Options)
		if n.ModulePath != "" {
			run.SetModulePath(own, n.ModulePath)
		}
		return nil
	})
}

// Terms are what a module gets with these folders and options of its connection.
func (o *Owner) Terms(d *modules.Described, roots, options map[string]string) (*modules.Terms, error) {
	t, err := modules.TermsWith(d, o.Folders, roots)
	if base := options[run.OptionBaseURL]; err == nil && base != "" {
		as := "instead of its provider"
		if n := d.Manifest.Requirements.Network; n != nil && n.OwnServer() != nil {
			as = "your own server"
		}
		t.Asks = append(t.Asks, modules.Ask{What: modules.AsksAt, Value: inASCII(base) + ", " + as + "; its credentials go there"})
	}
	return t, err
}

// inASCII returns an address with the name of its host as it is looked up behind it, if that is
// another: letters of one alphabet look like those of another (RFC 5891).
func inASCII(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	name, err := idna.ToASCII(u.Hostname())
	if err != nil || strings.EqualFold(name, u.Hostname()) {
		return address
	}
	return address + " (" + name + ")"
}
