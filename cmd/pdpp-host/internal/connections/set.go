package connections

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func setCommand(s *session.Session) *cobra.Command {
	var roots, set []string
	var c owner.ConnectionChange
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Change a connection's name, folders and options", Args: syntax.Takes("NAME"),
		Long: "Changes what every run of a connection is made with. Another folder than its runs have read, or another address than\n" +
			"they have asked, needs --accept-root: what it lacks counts as deleted.",
		Example: "  pdpp-host connections set work --root calendar_files=/mnt/calendars --accept-root\n" +
			"  pdpp-host connections set work --unset since\n" +
			"  pdpp-host connections set work --name job",
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			c.Connection = args[0]
			if c.Roots, err = s.Folders(roots); err != nil {
				return err
			}
			if c.Options, err = syntax.Pairs("--set", "KEY=VALUE", set); err != nil {
				return err
			}
			return change(cmd.Context(), s, c)
		},
	}
	p := cmd.Flags()
	p.StringVar(&c.Name, "name", "", "call it `NAME` from now on")
	p.StringArrayVar(&roots, "root", nil, "grant the folder `NAME=PATH` in every run (repeatable)")
	p.StringArrayVar(&set, "set", nil, "connector option `KEY=VALUE` for every run, never a secret (repeatable)")
	p.StringArrayVar(&c.Unset, "unset", nil, "forget the option or the folder `KEY` (repeatable)")
	p.BoolVar(&c.AcceptRoot, "accept-root", false, "another folder or address than before is meant")
	return cmd
}

func change(ctx context.Context, s *session.Session, c owner.ConnectionChange) error {
	if len(c.Roots)+len(c.Options)+len(c.Unset) == 0 && c.Name == "" {
		return syntax.Usage("nothing is said to change", "say --name NAME, --root NAME=PATH, --set KEY=VALUE or --unset KEY; what there is: pdpp-host connections show "+syntax.Quoted(c.Connection))
	}
	return s.Change(func(o *owner.Owner) error {
		changed, err := o.ChangeConnection(ctx, c)
		if err != nil {
			return err
		}
		summary := changed.Connection.Name + " has that already"
		if len(changed.Changes) > 0 {
			summary = "changed " + changed.Connection.Name + ": " + strings.Join(changed.Changes, ", ")
		}
		return s.Printer.Result(summary, changed, func(w io.Writer) {
			if !s.Flags.Quiet {
				fmt.Fprintln(w, output.Clean(summary))
			}
		})
	})
}
