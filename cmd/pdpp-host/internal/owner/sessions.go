package owner

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

func sessionsCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "sessions", Short: "List the browsers that are signed in", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return sessions(cmd.Context(), s) },
	}
}

func sessions(ctx context.Context, s *session.Session) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := access.Sessions(ctx, o)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all)), "session"), map[string]any{"sessions": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, "no browser is signed in")
				return
			}
			rows := make([][]string, len(all))
			for i, x := range all {
				rows[i] = []string{x.ID, output.Timestamp(x.CreatedAt), output.Timestamp(x.UsedAt), show.Dash(x.Address), output.Clean(show.Dash(x.Agent))}
			}
			output.Table(w, s.Printer.Style, []string{"session", "signed in", "used", "from", "browser"}, rows)
		})
	})
}
