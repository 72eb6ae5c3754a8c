package tokens

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

func listCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the tokens", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), s) },
	}
}

func list(ctx context.Context, s *session.Session) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := access.Tokens(ctx, o)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all)), "token"), map[string]any{"tokens": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, s.Advice("no tokens yet: `pdpp-host tokens create NAME` makes one"))
				return
			}
			rows := make([][]string, len(all))
			for i := range all {
				rows[i] = row(&all[i])
			}
			output.Table(w, s.Printer.Style, []string{"token", "name", "scope", "used", "good until"}, rows)
		})
	})
}

func row(t *access.Token) []string {
	used, until := "never", output.Timestamp(t.ExpiresAt)
	if t.UsedAt != nil {
		used = output.Timestamp(*t.UsedAt)
	}
	if t.Expired {
		until += " (over)"
	}
	return []string{t.ID, output.Clean(t.Name), string(t.Scope), used, until}
}
