package connections

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// addFlags are the flags of `connections add`, as typed.
type addFlags struct {
	roots, set []string
	accept     bool
}

func addCommand(s *session.Session) *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use: "add NAME CONNECTOR", Short: "Make a connection with its own folders and options", Args: syntax.Takes("NAME", "CONNECTOR"),
		RunE: func(cmd *cobra.Command, args []string) error { return add(cmd.Context(), s, args[0], args[1], f) },
	}
	cmd.Flags().StringArrayVar(&f.roots, "root", nil, "grant the folder `NAME=PATH` in every run (repeatable)")
	cmd.Flags().BoolVar(&f.accept, "accept", false, "accept the module, without being asked")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "connector option `KEY=VALUE` for every run, never a secret (repeatable)")
	return cmd
}

func add(ctx context.Context, s *session.Session, name, connector string, f addFlags) (err error) {
	n := owner.NewConnection{Name: name, Connector: connector, Consent: s.Consent(f.accept)}
	if n.Roots, err = s.Folders(f.roots); err != nil {
		return err
	}
	if n.Options, err = syntax.Pairs("--set", "KEY=VALUE", f.set); err != nil {
		return err
	}
	if modules.IsPath(connector) {
		if n.ModulePath, err = s.Absolute(connector); err != nil {
			return err
		}
	}
	return s.Change(func(o *owner.Owner) error {
		conn, err := o.AddConnection(ctx, n)
		if err != nil {
			return err
		}
		summary := fmt.Sprintf("added %s; run it with: pdpp-host run %s --connection %s", name, syntax.Quoted(connector), name)
		if conn.PinnedSHA256 == "" {
			summary = fmt.Sprintf("added %s; see what it asks for and accept it: pdpp-host plugins accept %s --connection %s", name, syntax.Quoted(connector), name)
		}
		return s.Printer.Result(s.Advice(summary), conn, nil)
	})
}
