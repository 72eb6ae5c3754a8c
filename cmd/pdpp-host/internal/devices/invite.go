package devices

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

// invitation is how long a code lasts when nobody says.
const invitation = 15 * time.Minute

func inviteCommand(s *session.Session) *cobra.Command {
	var i devices.Invitation
	var file string
	cmd := &cobra.Command{
		Use: "invite CONNECTOR", Short: "Make a code with which one device enrols", Args: syntax.Takes("CONNECTOR"),
		Long: "Makes a code with which one device enrols, to collect CONNECTOR and deliver it here. The code is shown once, and\n" +
			"good once, until it expires. Whoever enrols with a name that another device has takes its place: that one is revoked.",
		Example:           "  pdpp-host devices invite claude_code --name laptop --base-url https://host.example",
		ValidArgsFunction: s.CompleteConnector,
		RunE: func(cmd *cobra.Command, args []string) error {
			i.Connector = args[0]
			if file != "" {
				var err error
				if i.Manifest, err = os.ReadFile(file); err != nil {
					return syntax.Usage("the file of --manifest cannot be read", "name the connector's manifest, as JSON").Wrap(err)
				}
			}
			return invite(cmd.Context(), s, i)
		},
	}
	p := cmd.Flags()
	p.StringVar(&i.Binding, "name", "", "`BINDING`: what is collected there, and the connection's name (default: the connector's name)")
	p.StringVar(&i.BaseURL, "base-url", "", "`URL` at which the device reaches this host (default: where it listens, if that is one)")
	p.DurationVar(&i.Expires, "expires", invitation, "the code is good for `DURATION`, from 1m to 24h")
	p.StringVar(&file, "manifest", "", "the connector's manifest is in `FILE`: it names and describes what a device delivers that sends none")
	p.BoolVar(&i.Meant, "yes", false, "yes, for a connector that this host does not know: the device has it")
	return cmd
}

func invite(ctx context.Context, s *session.Session, i devices.Invitation) error {
	return s.Change(func(o *owner.Owner) error {
		v, err := devices.Invite(ctx, o, i)
		if err != nil {
			return err
		}
		return s.Printer.Result("invited a device for "+v.Connector, v, func(w io.Writer) { writeInvitation(w, v, i.BaseURL != "", s.Advice) })
	})
}

// writeInvitation shows the code. The text that explains it comes before it: the code is
// taken away and typed.
func writeInvitation(w io.Writer, v *devices.Invited, said bool, advise func(string) string) {
	for _, note := range v.Notes {
		fmt.Fprintln(w, output.Clean(note))
	}
	if len(v.Notes) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "code for %s %s, shown this once, good until %s:\n\n  %s\n\n", v.Connector, v.Binding, output.Timestamp(v.ExpiresAt), v.Code)
	fmt.Fprintf(w, "type on the device, and paste the code when it is asked for:\n\n  %s\n\n", v.Command)
	switch u, err := url.Parse(v.BaseURL); {
	case v.BaseURL == "":
		fmt.Fprintln(w, advise("write in the place of URL the address at which the device reaches this host, served by `pdpp-host serve --listen`,\n"+
			"as in https://host.example; or say it here with --base-url"))
	case err == nil && devices.OwnAddress(u.Hostname()) && !said:
		fmt.Fprintln(w, "that is where this host listens, for programs on this machine; for another machine say with --base-url what it reaches")
	}
}
