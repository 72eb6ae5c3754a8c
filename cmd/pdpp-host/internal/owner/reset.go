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
)

// link is where the owner chooses how to sign in.
type link struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

func resetCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "reset", Short: "Sign every browser out, and print a link to choose a new password or passkey", Args: syntax.Takes(),
		Long: "Ends the password, every passkey and every session, and prints a link that is good once, for 15 minutes, to choose\n" +
			"a new password or passkey. Tokens and devices stay: `pdpp-host tokens revoke` and `pdpp-host devices revoke` end those.",
		RunE: func(cmd *cobra.Command, _ []string) error { return reset(cmd.Context(), s) },
	}
}

func reset(ctx context.Context, s *session.Session) error {
	return s.Change(func(o *owner.Owner) error {
		made, err := access.Reset(ctx, o)
		if err != nil {
			return err
		}
		// Without a server that is known to run, no address is safe: the program that listens there would get the code.
		origin, known := made.Origin, made.Origin != ""
		if !known {
			origin = "ORIGIN"
		}
		l := link{site.SetUpAddress(origin, made.Code), made.ExpiresAt}
		return s.Printer.Result("every browser is signed out", l, func(w io.Writer) {
			if !s.Flags.Quiet {
				fmt.Fprintln(s.Err, "every browser is signed out; choose your password or passkey, until "+output.Timestamp(l.ExpiresAt)+", at")
				if !known {
					fmt.Fprintln(s.Err, "(nothing serves this data folder now: "+s.Advice("`pdpp-host serve`")+" prints a link of its own when it starts, or, in the place of "+origin+", write the address that it prints)")
				}
			}
			fmt.Fprintln(w, l.URL)
		})
	})
}
