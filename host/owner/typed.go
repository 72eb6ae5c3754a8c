package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// TypedModule is the module that an owner named to be run or accepted, and for which
// connection.
type TypedModule struct {
	File       *plugin.File
	Connector  string // a name, or the path of the module
	Connection string // "": the connection of the connector's name
	Path       string // absolute, where the module was named by it, now or before
}

// OpenTyped opens the module that was named: by a path, by its connector, or by a
// connection where no connector is called so. path is the absolute path, where typed is
// one. The module that was meant is returned with the error too.
func (o *Owner) OpenTyped(ctx context.Context, typed, path, connection string) (m TypedModule, err error) {
	typed = abi.KeyNamed(typed)
	m = TypedModule{Connector: typed, Connection: connection}
	if m.File, err = modules.Open(o.Config, typed, modules.ListCommand); err == nil {
		m.Path = path
	}
	if err == nil || modules.IsPath(typed) {
		return m, err
	}
	conn, err := o.orConnection(ctx, typed, connection, err)
	if err != nil {
		return m, err
	}
	m.Connector, m.Connection = conn.Connector, conn.Name
	m.File, m.Path, err = modules.Of(o.Config, conn)
	var e *abi.Error
	if errors.As(err, &e) && e.Code == abi.CodePluginUnknown && typed != conn.Connector && run.ModulePath(conn) == "" {
		err = abi.NewError(e.Code, e.Message+", which connection "+conn.Name+" is of", e.Hint).WithDetail(e.Detail).Wrap(err)
	}
	return m, err
}

// Settle takes the module that the connection was run with by its path, where the
// plugins folder has another one of that name and the connection accepted this one.
func (o *Owner) Settle(ctx context.Context, store *storage.Store, m *TypedModule) error {
	if m.Path != "" || modules.IsPath(m.Connector) {
		return nil
	}
	conn, err := store.Connection(ctx, cmp.Or(m.Connection, m.Connector))
	if err != nil || conn.Connector != m.Connector || run.ModulePath(conn) == "" {
		return nil //nolint:nilerr // a connection that cannot be read is told of by its run
	}
	m.File, m.Path, err = modules.Of(o.Config, conn)
	return err
}

// HasStore reports whether there is a store. None is made for a question that an empty
// store would answer.
func (o *Owner) HasStore() bool {
	_, err := os.Lstat(o.Config.StorageDSN())
	return err == nil || o.Config.StoreOnServer()
}

// orConnection returns the connection that was typed in a connector's place, or whose
// module was named by its path; the error is that of the connector when there is
// none. The module of a connection that a device feeds is not expected here.
func (o *Owner) orConnection(ctx context.Context, typed, connection string, refusal error) (*storage.Connection, error) {
	var e *abi.Error
	if !errors.As(refusal, &e) || e.Code != abi.CodePluginUnknown || !o.HasStore() {
		return nil, refusal
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, refusal // it says more than a store that cannot be read
	}
	name := cmp.Or(connection, typed)
	if err := NotOnDevice(ctx, store, name); abi.CodeOf(err) == CodeOnDevice {
		return nil, err
	}
	if conn, err := store.Connection(ctx, name); err == nil && conn.Connector == typed && run.ModulePath(conn) != "" {
		return conn, nil
	}
	named, err := store.Connection(ctx, typed)
	if err != nil || named.Connector == typed {
		return nil, o.orNearest(ctx, typed, e, refusal)
	}
	if connection != "" && connection != named.Name {
		return nil, abi.NewError(e.Code, e.Message+"; it is a connection of "+named.Connector,
			fmt.Sprintf("run it with: pdpp-host run %s   or that connector with: pdpp-host run %s --connection %s", words.Quoted(typed), words.Quoted(named.Connector), words.Quoted(connection))).
			WithDetail(e.Detail).Wrap(refusal)
	}
	return named, nil
}

// orNearest names the connection whose name is nearest to what was typed, where the
// refusal names no connector.
func (o *Owner) orNearest(ctx context.Context, typed string, e *abi.Error, refusal error) error {
	names, _ := o.ConnectionNames(ctx) // the refusal says more
	if n := abi.Nearest(typed, names); n != "" && !strings.HasPrefix(e.Hint, "did you mean") {
		return abi.NewError(e.Code, fmt.Sprintf("there is no connector and no connection %q", typed),
			fmt.Sprintf("did you mean the connection %q?", n)).WithDetail(e.Detail).Wrap(refusal)
	}
	return refusal
}

// RightlyNamed refuses a module that is not the connector that was typed. One that
// the connection has accepted is known to be.
func RightlyNamed(ctx context.Context, store *storage.Store, engine *plugin.Engine, m *TypedModule) error {
	if modules.IsPath(m.Connector) {
		return nil
	}
	if conn, err := store.Connection(ctx, cmp.Or(m.Connection, m.Connector)); err == nil && conn.Connector == m.Connector && conn.PinnedSHA256 == m.File.SHA256 {
		return nil
	}
	d, err := modules.Describe(ctx, engine, m.File)
	if err != nil {
		return nil //nolint:nilerr // the run itself says what is wrong with its module
	}
	return modules.Misnamed(m.Connector, d)
}

// AcceptCommand is the command that accepts a module for a connection.
func AcceptCommand(connector, connection string) string {
	command := "pdpp-host plugins accept " + words.Quoted(connector)
	if connection != "" && connection != connector {
		command += " --connection " + words.Quoted(connection)
	}
	return command
}
