package devices

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

func acceptCommand(s *session.Session) *cobra.Command {
	var allow []string
	cmd := &cobra.Command{
		Use: "accept DEVICE", Short: "Let a device deliver the streams that its renewed connector adds", Args: syntax.Takes("DEVICE"),
		Long: "Lets a device deliver the streams that its renewed connector adds. On a terminal you are asked; elsewhere you name them\n" +
			"with --allow. Until then none of them comes in.",
		ValidArgsFunction: complete(s),
		RunE:              func(cmd *cobra.Command, args []string) error { return accept(cmd.Context(), s, args[0], allow) },
	}
	cmd.Flags().StringArrayVar(&allow, "allow", nil, "accept the stream `NAME` without being asked (repeatable)")
	return cmd
}

func accept(ctx context.Context, s *session.Session, typed string, allow []string) error {
	return s.Change(func(o *owner.Owner) error {
		a, err := devices.AcceptStreams(ctx, o, typed, func(d *devices.Device, offers []devices.Offer) error { return confirm(ctx, s, d, offers, allow) })
		if err != nil {
			return err
		}
		return s.Printer.Result("accepted what "+a.Device.Name()+" adds", a, nil)
	})
}

// confirm asks for the owner's word for each stream that is offered and not among
// allow.
func confirm(ctx context.Context, s *session.Session, d *devices.Device, offers []devices.Offer, allow []string) error {
	var left []string
	for _, offer := range offers {
		for _, stream := range offer.Streams {
			if !slices.Contains(allow, stream) {
				left = append(left, stream)
			}
		}
		fmt.Fprintf(s.Err, "%s adds: %s\n", output.Clean(offer.Connection), output.Clean(strings.Join(offer.Streams, ", ")))
	}
	if len(left) == 0 {
		return nil
	}
	refusal := "the streams were not accepted: " + strings.Join(left, ", ")
	if s.Interactive() {
		if yes, err := s.Asker().Confirm(ctx, "let "+d.Name()+" deliver them?"); yes || err != nil {
			return err
		}
		return syntax.Usage(refusal, "nothing was changed; answer y to accept them")
	}
	command := []string{"pdpp-host devices accept", d.ID}
	for _, stream := range slices.Concat(allow, left) {
		command = append(command, "--allow", syntax.Quoted(stream))
	}
	return syntax.Usage(refusal, "if they may come in: "+strings.Join(command, " "))
}
