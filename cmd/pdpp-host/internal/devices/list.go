package devices

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

func listCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the devices", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), s) },
	}
}

func list(ctx context.Context, s *session.Session) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := devices.List(ctx, o)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all)), "device"), map[string]any{"devices": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, s.Advice("no devices yet: `pdpp-host devices invite CONNECTOR` invites one"))
				return
			}
			rows := make([][]string, len(all))
			for i := range all {
				d := &all[i]
				rows[i] = []string{d.ID, d.Name(), d.State(), show.Dash(strings.Join(d.Connections, ", ")), show.Dash(d.AgentVersion)}
			}
			output.Table(w, s.Printer.Style, []string{"device", "name", "state", "feeds", "version"}, rows)
		})
	})
}
