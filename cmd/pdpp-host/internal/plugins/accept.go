package plugins

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

func acceptCommand(s *session.Session) *cobra.Command {
	var a connectors.Acceptance
	var accepted bool
	cmd := &cobra.Command{
		Use: "accept NAME", Short: "Accept a module before it runs, with what it asks for", Args: syntax.Takes("NAME"),
		Long: "Shows everything that a module asks for, and accepts it: a connection runs the accepted module and no other. NAME is a\n" +
			"connector, a path to a .wasm file, or a connection. You are asked first; where that is no terminal, --accept is your word.\n\n" +
			"A credential's variable that is not called after the connector, and a folder where other programs keep secrets, are\n" +
			"accepted one by one, with --allow.",
		Example:           "  pdpp-host plugins accept claude_code\n  pdpp-host plugins accept notes --allow variable=SHARED_TOKEN",
		ValidArgsFunction: s.CompleteRunnable,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			a.Module = args[0]
			if modules.IsPath(a.Module) {
				if a.ModulePath, err = s.Absolute(a.Module); err != nil {
					return err
				}
			}
			a.Consent = s.FirmConsent(accepted)
			return accept(cmd.Context(), s, a)
		},
	}
	cmd.Flags().StringVar(&a.Connection, "connection", "", "only for the connection `NAME`")
	cmd.Flags().StringArrayVar(&a.Allow, "allow", nil, "accept `KIND=NAME` too, as in variable=SHARED_TOKEN or folder=~/.ssh (repeatable)")
	cmd.Flags().BoolVar(&accepted, "accept", false, "accept it without being asked")
	return cmd
}

func accept(ctx context.Context, s *session.Session, a connectors.Acceptance) error {
	return s.Change(func(o *owner.Owner) error {
		r, err := connectors.Accept(ctx, o, a)
		if err != nil {
			return err
		}
		summary := fmt.Sprintf("accepted %s %s for %s", r.Connector, r.Version, strings.Join(r.Connections, ", "))
		return s.Printer.Result(summary, r, func(w io.Writer) {
			if s.Flags.Quiet {
				return
			}
			if !s.Interactive() {
				consent.Write(w, r.Terms, s.Tilde)
			}
			fmt.Fprintln(w, output.Clean(summary))
			for _, item := range r.Left {
				fmt.Fprintln(w, output.Clean("  not accepted: "+item.String()+"; accept it with: "+
					s.Advice("pdpp-host plugins accept "+syntax.Quoted(r.Connections[0])+" --allow "+syntax.Quoted(item.String()))))
			}
		})
	})
}
