package devices

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

func revokeCommand(s *session.Session) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "revoke DEVICE", Short: "Take nothing from a device any more", Args: syntax.Takes("DEVICE"),
		Long:              "Takes nothing from a device any more. What it delivered stays; what it still holds does not come in.",
		ValidArgsFunction: complete(s),
		RunE:              func(cmd *cobra.Command, args []string) error { return revoke(cmd.Context(), s, args[0], yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "yes, it may not deliver any more")
	return cmd
}

func revoke(ctx context.Context, s *session.Session, typed string, yes bool) error {
	return s.Change(func(o *owner.Owner) error {
		d, err := devices.Revoke(ctx, o, typed, func(d *devices.Device) error {
			if yes {
				return nil
			}
			what := "nothing that it delivered goes"
			if len(d.Connections) > 0 {
				what = "nothing new comes into " + strings.Join(d.Connections, ", ") + "; what came in stays"
			}
			return syntax.Usage(fmt.Sprintf("revoking %s ends its deliveries: %s", d.Name(), what), "if that is meant: pdpp-host devices revoke "+d.ID+" --yes")
		})
		if err != nil {
			return err
		}
		return s.Printer.Result("revoked "+d.ID+" "+d.Name(), d, nil)
	})
}
