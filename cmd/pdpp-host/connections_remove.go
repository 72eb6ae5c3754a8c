package main

import (
	"context"
	"fmt"
	"io"

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
		summary := fmt.Sprintf("removed %s and %s", conn.Name, output.Plural(records, "record"))
		return a.Printer.Result(summary, map[string]any{"connection": conn.Name, "records": records}, func(w io.Writer) {
			if a.Flags.Quiet {
				return
			}
			fmt.Fprintln(w, output.Clean(summary))
			if records > 0 {
				fmt.Fprintln(w, "  their room is free for new records; to give it back to the disk: "+a.advice("pdpp-host store compact"))
			}
		})
	})
}
