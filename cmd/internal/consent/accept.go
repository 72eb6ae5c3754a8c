package consent

import (
	"context"

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
			own.ReadRoots[run.ModuleRoot] = path
			return nil
		})
	}
	return store.Connection(ctx, conn.ID)
}
