package owner

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/made"
)

// newLink is where the owner chooses how to sign in.
type newLink struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`

	Ended []made.Ended `json:"ended,omitempty"` // by --since
}

func resetCommand(s *session.Session) *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use: "reset", Short: "Sign every browser out, and print a link to choose a new password or passkey", Args: syntax.Takes(),
		Long: "Ends the password, every passkey and every session, and prints a link that is good once, for 15 minutes, to choose\n" +
			"a new password or passkey. Tokens, channels, grants, devices and invitations stay, but for those that --since ends, which\n" +
			"were made since then: `pdpp-host owner made` lists them, by whom and from where.",
		Example: "  pdpp-host owner reset --since 2d",
		RunE: func(cmd *cobra.Command, _ []string) error {
			from := time.Time{}
			if since != "" {
				var err error
				if from, err = syntax.Time("--since", since, s.Now()); err != nil {
					return err
				}
			}
			return reset(cmd.Context(), s, from)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "end all that was made since `TIME` as well")
	return cmd
}

// reset ends what was made since a time as well; zero: nothing but the ways to sign in.
func reset(ctx context.Context, s *session.Session, since time.Time) error {
	return s.Change(func(o *owner.Owner) error {
		link, err := access.Reset(ctx, o)
		if err != nil {
			return err
		}
		var ended []made.Ended
		if !since.IsZero() {
			if ended, err = made.EndAll(ctx, o, since); err != nil {
				return err
			}
		}
		// Without a server that is known to run, no address is safe: the program that listens there would get the code.
		origin, known := link.Origin, link.Origin != ""
		if !known {
			origin = "ORIGIN"
		}
		l := newLink{site.SetUpAddress(origin, link.Code), link.ExpiresAt, ended}
		return s.Printer.Result("every browser is signed out", l, func(w io.Writer) {
			if !s.Flags.Quiet {
				if !since.IsZero() {
					writeEnded(s.Err, ended)
				}
				fmt.Fprintln(s.Err, "every browser is signed out; choose your password or passkey, until "+output.Timestamp(l.ExpiresAt)+", at")
				if !known {
					fmt.Fprintln(s.Err, "(nothing serves this data folder now: "+s.Advice("`pdpp-host serve`")+" prints a link of its own when it starts, or, in the place of "+origin+", write the address that it prints)")
				}
			}
			fmt.Fprintln(w, l.URL)
		})
	})
}
