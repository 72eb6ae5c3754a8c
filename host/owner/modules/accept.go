package modules

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Accept makes the module of t the one that the connection of that name runs, with
// what is accepted by name, and makes the connection when it is missing. path is where
// later runs find the module, "" for under its own name.
func Accept(ctx context.Context, store *storage.Store, connection string, t *Terms, items []storage.AcceptedItem, path string) (*storage.Connection, error) {
	conn, err := store.EnsureConnection(ctx, connection, t.Module.Manifest.ConnectorKey)
	if err != nil {
		return nil, err
	}
	if err := store.PinPlugin(ctx, conn.ID, t.Module.File.SHA256, t.Module.Raw, items...); err != nil {
		return nil, err
	}
	if path != "" {
		return store.KeepConnection(ctx, conn.ID, func(own *storage.Connection) error {
			run.SetModulePath(own, path)
			return nil
		})
	}
	return store.Connection(ctx, conn.ID)
}

// ErrNotAccepted is the error of an owner who looked at the terms and said no.
var ErrNotAccepted = abi.NewError(abi.CodePluginNotAccepted, "the module was not accepted", "nothing was run and nothing was kept; answer y to accept it")

// ErrNobodyAsked is the error of a Consent that has nobody to ask.
var ErrNobodyAsked = abi.NewError(abi.CodePluginNotAccepted, "nobody can be asked whether the module is accepted", "")

// NotAsked is the error where nobody can be asked: silence is not the owner's word.
// command accepts the module, and allowed are what was to be accepted by name.
func NotAsked(command string, allowed []string) error {
	for _, item := range allowed {
		command += " --allow " + words.Quoted(item)
	}
	return abi.NewError(abi.CodePluginNotAccepted, "standard input is no terminal, so nobody can be asked whether the module is accepted",
		"if it is: "+command+" --accept")
}
