package connections

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func credentialListCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list NAME", Short: "List which credentials there are and where from, never their values", Args: syntax.Takes("NAME"),
		ValidArgsFunction: s.CompleteConnection,
		RunE:              func(cmd *cobra.Command, args []string) error { return listCredentials(cmd.Context(), s, args[0]) },
	}
}

func listCredentials(ctx context.Context, s *session.Session, name string) error {
	return s.Read(func(o *owner.Owner) error {
		c, err := o.Credentials(ctx, name)
		if err != nil {
			return err
		}
		if c.StoredOnly {
			fmt.Fprintln(s.Err, "the connector's own list is not known: its module is not in the plugins folder")
		}
		return s.Printer.Result(output.Plural(int64(len(c.Credentials)), "credential"), c, func(w io.Writer) {
			if len(c.Credentials) == 0 {
				fmt.Fprintln(w, "the connector uses no credentials")
				return
			}
			rows := make([][]string, len(c.Credentials))
			for i := range c.Credentials {
				required := "optional"
				if c.Credentials[i].Required {
					required = "required"
				}
				rows[i] = []string{c.Credentials[i].Field, required, s.Advice(from(c.Connection, &c.Credentials[i]))}
			}
			output.Table(w, s.Printer.Style, []string{"field", "needed", "from"}, rows)
		})
	})
}
