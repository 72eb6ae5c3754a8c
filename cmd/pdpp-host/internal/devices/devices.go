package devices

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

// Command holds the commands of devices. Alone it lists them.
func Command(s *session.Session) *cobra.Command {
	list := listCommand(s)
	cmd := s.Group("devices", "Let machines deliver what they collect, and show them", func(cmd *cobra.Command) error { return list.RunE(cmd, nil) })
	cmd.Long = "A device is another machine that runs pdpp-local-collector: it collects what lies on it and delivers it to\n" +
		"`pdpp-host serve --listen`. It is invited with a code, and may deliver until it is revoked; it can read nothing."
	cmd.AddCommand(list, inviteCommand(s), acceptCommand(s), showCommand(s), revokeCommand(s))
	return cmd
}

// complete completes the ids of devices.
func complete(s *session.Session) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return s.Complete(cmd.Context(), args, func(o *owner.Owner, ctx context.Context) ([]string, error) { return devices.IDs(ctx, o) })
	}
}
