package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

func (a *app) storeCommand() *cobra.Command {
	cmd := a.group("store", "Look after the file that holds everything", nil)
	cmd.AddCommand(&cobra.Command{
		Use: "compact", Short: "End old history, and give free space back to the disk", Args: takes(),
		Long: "Removes runs that are older than history.retention, and writes the file anew without its free pages, which takes as much free\n" +
			"disk as the file. It is refused while a run goes on; one that begins meanwhile may be refused as storage.locked.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.storeCompact(cmd.Context()) },
	})
	return cmd
}

func (a *app) storeCompact(ctx context.Context) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		c, err := store.Compact(ctx, run.HolderAlive)
		if err != nil {
			return err
		}
		return a.Printer.Result(fmt.Sprintf("%s removed; the store takes %s, before %s", output.Plural(c.Runs, "old run"),
			output.Bytes(c.BytesAfter), output.Bytes(c.BytesBefore)),
			map[string]any{"runs_removed": c.Runs, "bytes_before": c.BytesBefore, "bytes_after": c.BytesAfter}, nil)
	})
}

// checkSpace says what takes the store's room.
func checkSpace(ctx context.Context, f *findings, store *storage.Store) error {
	s, err := store.Space(ctx)
	if err != nil {
		return err
	}
	f.ok("space", fmt.Sprintf("records %s, run history %s, details still to fetch and their like %s, the rest %s, free %s (pdpp-host store compact gives it back)",
		output.Bytes(s.Records), output.Bytes(s.History), output.Bytes(s.Gaps), output.Bytes(s.Rest), output.Bytes(s.Free)))
	return nil
}
