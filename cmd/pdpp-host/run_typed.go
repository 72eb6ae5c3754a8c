package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// typedModule is the module that was typed to be run, and whose.
type typedModule struct {
	file       *plugin.File
	connector  string // a name, or the path of the module
	connection string // "" is that of the connector's name
	path       string // absolute, where the module was named by it, now or before
}

// openTyped opens the module that was typed to be run: a path, a connector, or
// where no connector is called so a connection. What was meant is returned with the
// error too.
func (a *app) openTyped(ctx context.Context, c *config.Config, typed, connection string) (m typedModule, err error) {
	m = typedModule{connector: typed, connection: connection}
	if m.file, err = openModule(c, typed); err == nil && isPath(typed) {
		m.path, err = a.absolute(typed)
	}
	if err == nil || isPath(typed) {
		return m, err
	}
	conn, err := a.orConnection(ctx, c, typed, connection, err)
	if err != nil {
		return m, err
	}
	m.connector, m.connection = conn.Connector, conn.Name
	m.file, m.path, err = moduleOf(c, conn)
	var e *abi.Error
	if errors.As(err, &e) && e.Code == abi.CodePluginUnknown && typed != conn.Connector && conn.ReadRoots[run.ModuleRoot] == "" {
		err = abi.NewError(e.Code, e.Message+", which connection "+conn.Name+" is of", e.Hint).WithDetail(e.Detail).Wrap(err)
	}
	return m, err
}

// settle takes the module that the connection was run with by its path, where the
// plugins folder has another one of that name and the connection accepted this one.
func (m *typedModule) settle(ctx context.Context, c *config.Config, store *storage.Store) error {
	if m.path != "" || isPath(m.connector) {
		return nil
	}
	conn, err := store.Connection(ctx, cmp.Or(m.connection, m.connector))
	if err != nil || conn.Connector != m.connector || conn.ReadRoots[run.ModuleRoot] == "" {
		return nil //nolint:nilerr // a connection that cannot be read is told of by its run
	}
	m.file, m.path, err = moduleOf(c, conn)
	return err
}

// orConnection is the connection that was typed in a connector's place, or whose
// module was named by its path; the error is that of the connector when there is
// none. Of one that a device feeds the module is not expected here.
func (a *app) orConnection(ctx context.Context, c *config.Config, typed, connection string, err error) (*storage.Connection, error) {
	var e *abi.Error
	if !errors.As(err, &e) || e.Code != abi.CodePluginUnknown || !exists(c.StorageDSN()) {
		return nil, err
	}
	if fed := a.fedByName(ctx, c, cmp.Or(connection, typed)); fed != nil {
		return nil, fed
	}
	var found, named *storage.Connection
	var names []string
	_ = a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := store.Connection(ctx, cmp.Or(connection, typed))
		if err == nil && conn.Connector == typed && conn.ReadRoots[run.ModuleRoot] != "" {
			found = conn
			return nil
		}
		conn, err = store.Connection(ctx, typed)
		if err == nil && conn.Connector != typed {
			named = conn
		}
		all, listErr := store.Connections(ctx)
		for i := range all {
			names = append(names, all[i].Name)
		}
		return listErr
	}) // the error at hand says more than a store that cannot be read
	switch {
	case found != nil:
		return found, nil
	case named == nil:
		if n := abi.Nearest(typed, names); n != "" && !strings.HasPrefix(e.Hint, "did you mean") {
			return nil, abi.NewError(e.Code, fmt.Sprintf("there is no connector and no connection %q", typed),
				fmt.Sprintf("did you mean the connection %q?", n)).WithDetail(e.Detail).Wrap(err)
		}
		return nil, err
	case connection != "" && connection != named.Name:
		return nil, abi.NewError(e.Code, e.Message+"; it is a connection of "+named.Connector,
			fmt.Sprintf("run it with: pdpp-host run %s   or that connector with: pdpp-host run %s --connection %s", quoted(typed), quoted(named.Connector), quoted(connection))).
			WithDetail(e.Detail).Wrap(err)
	}
	return named, nil
}

// rightlyNamed refuses a module that is not the connector that was typed. One that
// the connection has accepted is known to be.
func rightlyNamed(ctx context.Context, store *storage.Store, engine *plugin.Engine, file *plugin.File, typed, connection string) error {
	if isPath(typed) {
		return nil
	}
	if conn, err := store.Connection(ctx, cmp.Or(connection, typed)); err == nil && conn.Connector == typed && conn.PinnedSHA256 == file.SHA256 {
		return nil
	}
	d, err := describe(ctx, engine, file)
	if err != nil {
		return nil //nolint:nilerr // the run itself says what is wrong with its module
	}
	return misnamed(typed, d)
}
