package connections

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/secret"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
)

func credentialSetCommand(s *session.Session) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set NAME [FIELD]", Short: "Store a credential, typed or piped in", Args: takesNoSecret("NAME", "[FIELD]"),
		Long: "Store a credential. FIELD can be left out where the connector has only one. The value is asked for on the terminal and not shown, or read from standard input up to the\n" +
			"end of the line; it is never an argument.\n\n" + credentialHelp,
		Example: "  pdpp-host connections credential set github token\n" +
			"  pdpp-host connections credential set github token < token.txt",
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			return setCredential(cmd.Context(), s, args[0], strings.Join(args[1:], ""))
		},
	}
	cmd.SetFlagErrorFunc(func(*cobra.Command, error) error { return credentials.SecretArgument() })
	return cmd
}

func setCredential(ctx context.Context, s *session.Session, name, field string) error {
	return s.Change(func(o *owner.Owner) error {
		stored, err := credentials.Set(ctx, o, name, field, func(connection, field string) ([]byte, error) {
			return secret.Reader{In: s.In, Err: s.Err, Stop: s.Stop}.Read(ctx, output.Clean(connection+" "+field))
		})
		if err != nil {
			return err
		}
		summary := fmt.Sprintf("stored %s of %s, encrypted", stored.Field, stored.Connection)
		if stored.Variable != "" {
			summary += "; it wins over the variable " + stored.Variable
		}
		return s.Printer.Result(summary, stored, nil)
	})
}
