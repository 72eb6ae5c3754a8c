package connections

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
)

func signInCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "sign-in NAME", Short: "Sign in at a connection's site yourself, in a window of its browser", Args: syntax.Takes("NAME"),
		Long: "Opens a window of the browser that the connection's runs use, at the page where its connector begins. Sign in there, and\n" +
			"close the window (or press Ctrl-C here): the next run is signed in where you are. Nothing is recorded, and the connector\n" +
			"does nothing meanwhile. It needs a desktop on this machine.",
		ValidArgsFunction: s.CompleteConnection,
		RunE:              func(cmd *cobra.Command, args []string) error { return signIn(cmd.Context(), s, args[0]) },
	}
}

func signIn(ctx context.Context, s *session.Session, name string) error {
	return s.Change(func(o *owner.Owner) error {
		if !s.Flags.Quiet {
			fmt.Fprintln(s.Err, "sign in, in the window that opens, and close it when you are done")
		}
		done, err := running.SignIn(ctx, o, name)
		if err != nil {
			return err
		}
		summary := fmt.Sprintf("the site left nothing in %s, so nobody is signed in; try it again: pdpp-host connections sign-in %s",
			config.FormatDuration(time.Duration(done.Seconds)*time.Second), syntax.Quoted(name))
		if done.Cookies > 0 {
			summary = fmt.Sprintf("kept what the site left (%s); see whether it lets the connector in: pdpp-host run %s",
				output.Plural(int64(done.Cookies), "cookie"), syntax.Quoted(name))
		}
		return s.Printer.Result(s.Advice(summary), done, func(w io.Writer) {
			fmt.Fprintln(w, output.Clean(s.Advice(summary)))
			if len(done.Refused) > 0 && !s.Flags.Quiet {
				fmt.Fprintln(w, output.Clean("  the window did not reach "+strings.Join(done.Refused, ", ")+", which the connector does not name"))
			}
		})
	})
}

func signOutCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "sign-out NAME", Short: "Forget what a connection's site has left in its browser", Args: syntax.Takes("NAME"),
		Long: "Deletes the browser profile of the connection, with its cookies and all that its sites have stored there. Records and\n" +
			"credentials stay. To end the session at the site as well, sign out there.",
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				done, err := running.SignOut(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				return s.Printer.Result(done.Connection+" is signed out here", done, nil)
			})
		},
	}
}
