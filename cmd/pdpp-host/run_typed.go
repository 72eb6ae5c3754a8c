package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// openTyped opens the module that was typed to be run: a path, a connector, or
// where no connector is called so a connection. It returns the connector and the
// connection that are meant; "" is that of the connector's name.
func (a *app) openTyped(ctx context.Context, c *config.Config, typed, connection string) (file *plugin.File, connector, meant string, err error) {
	if file, err = openModule(c, typed); err == nil {
		return file, typed, connection, nil
	}
	conn, err := a.orConnection(ctx, c, typed, connection, err)
	if err != nil {
		return nil, "", "", err
	}
	file, err = openModule(c, conn.Connector)
	var e *abi.Error
	if errors.As(err, &e) && e.Code == abi.CodePluginUnknown {
		err = abi.NewError(e.Code, e.Message+", which connection "+conn.Name+" is of", e.Hint).WithDetail(e.Detail).Wrap(err)
	}
	return file, conn.Connector, conn.Name, err
}

// orConnection is the connection that was typed in a connector's place; the error
// is that of the connector when there is none. Of one that a device feeds the
// module is not expected here.
func (a *app) orConnection(ctx context.Context, c *config.Config, typed, connection string, err error) (*storage.Connection, error) {
	var e *abi.Error
	if !errors.As(err, &e) || e.Code != abi.CodePluginUnknown || !exists(c.StorageDSN()) {
		return nil, err
	}
	if fed := a.fedByName(ctx, c, cmp.Or(connection, typed)); fed != nil {
		return nil, fed
	}
	var found *storage.Connection
	_ = a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := store.Connection(ctx, typed)
		if err == nil && conn.Connector != typed {
			found = conn
		}
		return err
	}) // the error at hand says more than a store that cannot be read
	switch {
	case found == nil:
		return nil, err
	case connection != "" && connection != found.Name:
		return nil, abi.NewError(e.Code, e.Message+"; it is a connection of "+found.Connector,
			fmt.Sprintf("run it with: pdpp-host run %s   or that connector with: pdpp-host run %s --connection %s", quoted(typed), quoted(found.Connector), quoted(connection))).
			WithDetail(e.Detail).Wrap(err)
	}
	return found, nil
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
