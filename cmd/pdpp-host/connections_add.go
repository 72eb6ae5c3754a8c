package main

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// connectionsAdd checks the folders' names against the module, so that a slip
// is found now and not in a run at night.
func (a *app) connectionsAdd(ctx context.Context, name, connector string, rootFlags, setFlags []string) error {
	if !validName(name) {
		return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("%q is no connection's name", name), "use letters, digits, '.', '_' and '-'")
	}
	roots, err := pairs("--root", "NAME=PATH", rootFlags)
	if err != nil {
		return err
	}
	options, err := pairs("--set", "KEY=VALUE", setFlags)
	if err != nil {
		return err
	}
	c, err := a.config()
	if err != nil {
		return err
	}
	file, err := openModule(c, connector)
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
	if secret := run.SecretOptions(d.Manifest, options); len(secret) > 0 {
		return usage(fmt.Sprintf("%q is a credential of the connector, and no option", secret[0]),
			fmt.Sprintf("add the connection without it, then: pdpp-host connections credential set %s %s", name, secret[0]))
	}
	if err := checkBase(options); err != nil {
		return err
	}
	if len(roots) > 0 {
		if _, err := a.granted(c, d.Manifest, roots); err != nil {
			return err
		}
		for root, path := range roots {
			if roots[root], err = a.absolute(path); err != nil {
				return err
			}
		}
	}
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		if existing, err := store.Connection(ctx, name); err == nil {
			return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("there is a connection %q already, of connector %s", name, existing.Connector),
				"choose another name, or change this one with: pdpp-host connections set "+name)
		} else if abi.CodeOf(err) != abi.CodeConnectionUnknown {
			return err
		}
		conn, err := store.EnsureConnection(ctx, name, d.Manifest.ConnectorKey)
		if err != nil {
			return err
		}
		module := map[string]string{}
		if isPath(connector) {
			path, err := a.absolute(connector)
			if err != nil {
				return err
			}
			module[run.ModuleRoot] = path
		}
		if conn, err = store.KeepConnection(ctx, conn.ID, func(own *storage.Connection) error {
			own.Roots, own.Options, own.ReadRoots = added(own.Roots, roots), added(own.Options, options), added(own.ReadRoots, module)
			return nil
		}); err != nil {
			return err
		}
		return a.Printer.Result(a.advice(fmt.Sprintf("added %s; run it with: pdpp-host run %s --connection %s", name, quoted(connector), name)), viewConnection(conn), nil)
	})
}

// granted are the folders that a run with these roots would be granted.
func (a *app) granted(c *config.Config, m *abi.Manifest, roots map[string]string) ([]run.ResolvedRoot, error) {
	if _, reads := m.Requirements.Bindings[abi.BindingFilesystem]; !reads && len(roots) > 0 {
		return nil, abi.NewError(abi.CodeRootInvalid, "the connector reads no folders", "leave --root out")
	}
	return a.rootResolver(c).Resolve(m, roots)
}
