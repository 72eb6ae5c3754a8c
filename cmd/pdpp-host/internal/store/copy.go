package store

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/store"
)

func copyCommand(s *session.Session) *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use: "copy", Short: "Copy the whole store into a file, or to PostgreSQL", Args: syntax.Takes(),
		Long: "Makes another store that is the equal of this one: in a file, or on PostgreSQL, either way. It is refused while a run or a\n" +
			"server uses the source, and where the target holds something else. Every table is compared in the end. A copy that was\n" +
			"interrupted goes on when the same command is given again; until it is finished, no command opens it.\n" +
			"Credentials go over sealed: the new host needs the same key (see credentials.key).",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return abi.NewError(abi.CodeUsage, "the target is missing", "name it with --to, a file or postgres://...")
			}
			return s.Read(func(o *owner.Owner) error {
				done, err := store.Copy(cmd.Context(), o, from, to)
				if err != nil {
					return err
				}
				return s.Printer.Result(fmt.Sprintf("%s copied, in %s; set storage.dsn to use the copy",
					output.Plural(done.Records, "record"), output.Plural(done.Rows, "row")), done, nil)
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the source, a file or postgres://... (default: the configured store)")
	cmd.Flags().StringVar(&to, "to", "", "the target, a file or postgres://...")
	return cmd
}
