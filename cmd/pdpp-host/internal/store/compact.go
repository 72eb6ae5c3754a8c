package store

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/store"
)

// Command holds the commands of the store.
func Command(s *session.Session) *cobra.Command {
	cmd := s.Group("store", "Look after the file that holds everything", nil)
	cmd.AddCommand(&cobra.Command{
		Use: "compact", Short: "End old history, and give free space back to the disk", Args: syntax.Takes(),
		Long: "Removes runs that are older than history.retention, and writes the file anew without its free pages, which takes as much free\n" +
			"disk as the file. It is refused while a run goes on; one that begins meanwhile may be refused as storage.locked.",
		RunE: func(cmd *cobra.Command, _ []string) error { return compact(cmd.Context(), s) },
	}, copyCommand(s), &cobra.Command{
		Use: "migrate", Short: "Bring a store of an older version up to date", Args: syntax.Takes(),
		Long: "Changes the store to the form of this version; an older pdpp-host refuses it from then on. Each command that changes\n" +
			"something does the same, and serve does; one that only reads refuses an older store.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.Change(func(o *owner.Owner) error {
				if err := store.Migrate(cmd.Context(), o); err != nil {
					return err
				}
				return s.Printer.Result("the store is up to date", struct{}{}, nil)
			})
		},
	})
	return cmd
}

func compact(ctx context.Context, s *session.Session) error {
	return s.Change(func(o *owner.Owner) error {
		c, err := store.Compact(ctx, o)
		if err != nil {
			return err
		}
		return s.Printer.Result(fmt.Sprintf("%s removed; the store takes %s, before %s", output.Plural(c.Runs, "old run"),
			output.Bytes(c.BytesAfter), output.Bytes(c.BytesBefore)), c, nil)
	})
}
