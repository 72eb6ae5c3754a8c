package plugins

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

func removeCommand(s *session.Session) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "remove NAME", Short: "Take a module out of the plugins folder", Args: syntax.Takes("NAME"),
		Long:              "Takes a module out of the plugins folder. Its connections stay with their records, and cannot run without it.",
		ValidArgsFunction: s.CompleteConnector,
		RunE:              func(cmd *cobra.Command, args []string) error { return remove(cmd.Context(), s, args[0], yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "yes, although connections run it")
	return cmd
}

func remove(ctx context.Context, s *session.Session, name string, yes bool) error {
	return s.Change(func(o *owner.Owner) error {
		r, err := connectors.Remove(ctx, o, name, func(r *connectors.Removed) error {
			if yes || len(r.Connections) == 0 {
				return nil
			}
			return syntax.Usage("without its module nothing new comes into "+strings.Join(r.Connections, ", ")+"; what was collected stays",
				"if that is meant: pdpp-host plugins remove "+syntax.Quoted(r.Name)+" --yes")
		})
		if err != nil {
			return err
		}
		return s.Printer.Result("removed the module "+r.Name, r, nil)
	})
}
