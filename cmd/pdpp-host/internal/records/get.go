package records

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/export"
)

func getCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "get CONNECTION STREAM KEY", Short: "Print one record as JSON", Args: takesStream(s, "CONNECTION", "STREAM", "KEY"),
		ValidArgsFunction: completeStream(s),
		RunE:              func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), s, args[0], args[1], args[2]) },
	}
}

func get(ctx context.Context, s *session.Session, connection, stream, key string) error {
	return s.Read(func(o *owner.Owner) error {
		from, err := o.OpenStream(ctx, connection, stream)
		if err != nil {
			return err
		}
		r, err := from.Record(ctx, key)
		if err != nil {
			return err
		}
		return writeLines(s, []owner.Record{*r})
	})
}

// writeLines writes records as JSON Lines, which need no envelope.
func writeLines(s *session.Session, records []owner.Record) error {
	out := &exportTarget{s.Out, "standard output"}
	lines := export.NewLines(out)
	for _, r := range records {
		if err := lines.Write(r); err != nil {
			return err
		}
	}
	if err := lines.Close(); err != nil {
		return err
	}
	s.Printer.Raw()
	return nil
}
