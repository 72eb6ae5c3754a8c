package main

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

func (a *app) connectionsRemove(ctx context.Context, name string, yes bool) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, name)
		if err != nil {
			return err
		}
		streams, err := store.Streams(ctx, conn.Name)
		if err != nil {
			return err
		}
		var records int64
		for _, s := range streams {
			records += s.Live
		}
		if !yes {
			return usage(fmt.Sprintf("removing %q deletes %s", conn.Name, output.Plural(records, "record")),
				"if that is meant: pdpp-host connections remove "+conn.Name+" --yes")
		}
		if err := store.RemoveConnection(ctx, conn.Name, run.HolderAlive); err != nil {
			return err
		}
		return a.Printer.Result(fmt.Sprintf("removed %s and %s", conn.Name, output.Plural(records, "record")),
			map[string]any{"connection": conn.Name, "records": records}, nil)
	})
}
