package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// addFlags are the flags of `connections add`, as typed.
type addFlags struct {
	roots, set []string
	accept     bool
}

// connectionsAdd checks the folders' names against the module, so that a slip
// is found now and not in a run at night.
func (a *app) connectionsAdd(ctx context.Context, name, connector string, f addFlags) error {
	if !validName(name) {
		return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("%q is no connection's name", name), "use letters, digits, '.', '_' and '-'")
	}
	roots, err := pairs("--root", "NAME=PATH", f.roots)
	if err != nil {
		return err
	}
	options, err := pairs("--set", "KEY=VALUE", f.set)
	if err != nil {
		return err
	}
	c, err := a.config()
	if err != nil {
		return err
	}
	file, err := openAdded(c, name, connector)
	if err != nil {
		return err
	}
	var d *described
	if err := a.withEngine(c, func(engine *plugin.Engine) error {
		if d, err = describe(ctx, engine, file); err == nil {
			err = misnamed(connector, d)
		}
		return err
	}); err != nil {
		return err
	}
	if err := checkAdded(d.Manifest, name, options); err != nil {
		return err
	}
	if err := a.looked(c, d.Manifest, roots); err != nil {
		return err
	}
	path := ""
	if isPath(connector) {
		if path, err = a.absolute(connector); err != nil {
			return err
		}
	}
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		if existing, err := store.Connection(ctx, name); err == nil {
			return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("there is a connection %q already, of connector %s", name, existing.Connector),
				"choose another name, or change this one with: pdpp-host connections set "+name)
		} else if abi.CodeOf(err) != abi.CodeConnectionUnknown {
			return err
		}
		t, err := a.terms(c, d, roots, options)
		if err != nil {
			return err
		}
		conn, err := a.acceptAdded(ctx, store, name, t, f, path)
		if err != nil {
			return err
		}
		if conn, err = store.KeepConnection(ctx, conn.ID, func(own *storage.Connection) error {
			own.Roots, own.Options = added(own.Roots, roots), added(own.Options, options)
			if path != "" {
				own.ReadRoots[run.ModuleRoot] = path
			}
			return nil
		}); err != nil {
			return err
		}
		summary := fmt.Sprintf("added %s; run it with: pdpp-host run %s --connection %s", name, quoted(connector), name)
		if conn.PinnedSHA256 == "" {
			summary = fmt.Sprintf("added %s; see what it asks for and accept it: pdpp-host plugins accept %s --connection %s", name, quoted(connector), name)
		}
		return a.Printer.Result(a.advice(summary), viewConnection(conn), nil)
	})
}

// checkAdded refuses options that the connector does not take.
func checkAdded(m *abi.Manifest, name string, options map[string]string) error {
	if secret := run.SecretOptions(m, options); len(secret) > 0 {
		return usage(fmt.Sprintf("%q is a credential of the connector, and no option", secret[0]),
			fmt.Sprintf("add the connection without it, then: pdpp-host connections credential set %s %s", name, secret[0]))
	}
	if err := manifest.CheckOptions(m, options); err != nil {
		return err
	}
	return checkBase(options)
}

// openAdded opens the connector's module, and says so where the connection's name and
// the connector's are in each other's place.
func openAdded(c *config.Config, name, connector string) (*plugin.File, error) {
	file, err := openModule(c, connector)
	if _, swapped := modules.Path(c.PluginsDir(), name); swapped && abi.CodeOf(err) == abi.CodePluginUnknown {
		return nil, usage(fmt.Sprintf("there is no connector %q, and %q is one", connector, name),
			fmt.Sprintf("the connection's name comes first: pdpp-host connections add %s %s", connector, name))
	}
	return file, err
}

// acceptAdded makes the connection, with its module when its owner accepts that now.
// Otherwise it waits for its owner, and is shown so.
func (a *app) acceptAdded(ctx context.Context, store *storage.Store, name string, t *consent.Terms, f addFlags, path string) (*storage.Connection, error) {
	items, err := []storage.AcceptedItem(nil), error(nil)
	switch {
	case f.accept:
		if !a.Flags.Quiet {
			t.Write(a.Err, a.tilde)
		}
	case a.interactive():
		items, err = a.askToAccept(ctx, t, nil, nil)
	default:
		err = consent.ErrNotAccepted
	}
	if err == nil {
		return consent.Accept(ctx, store, name, t, items, path)
	}
	if !errors.Is(err, consent.ErrNotAccepted) {
		return nil, err
	}
	conn, err := store.EnsureConnection(ctx, name, t.Module.Manifest.ConnectorKey)
	if err == nil {
		err = a.keepRefusal(ctx, store, conn, run.NotAccepted(conn.Connector, name, path))
	}
	return conn, err
}

// looked refuses folders that no run would be granted, also once its owner has accepted
// what lies in them, and makes the others independent of where they were typed.
func (a *app) looked(c *config.Config, m *abi.Manifest, roots map[string]string) error {
	if len(roots) == 0 {
		return nil
	}
	err := readsFolders(m, roots)
	if err == nil {
		_, err = a.rootResolver(c).Look(m, roots)
	}
	for root, path := range roots {
		if err == nil {
			roots[root], err = a.absolute(path)
		}
	}
	return err
}

func readsFolders(m *abi.Manifest, roots map[string]string) error {
	if _, reads := m.Requirements.Bindings[abi.BindingFilesystem]; !reads && len(roots) > 0 {
		return abi.NewError(abi.CodeRootInvalid, "the connector reads no folders", "leave --root out")
	}
	return nil
}

// granted are the folders that a run with these roots would be granted.
func (a *app) granted(c *config.Config, m *abi.Manifest, roots map[string]string, accepted []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	if err := readsFolders(m, roots); err != nil {
		return nil, err
	}
	return a.rootResolver(c).Resolve(m, roots, accepted)
}
