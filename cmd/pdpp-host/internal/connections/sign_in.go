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
	var signedIn bool
	cmd := &cobra.Command{
		Use: "sign-in NAME", Short: "Sign in at a connection's site yourself, in a window of its browser", Args: syntax.Takes("NAME"),
		Long: "Opens a window of the browser that the connection's runs use, at the page where its connector begins. Sign in there, and\n" +
			"close the window (or press Ctrl-C here): the next run is signed in where you are. Nothing is recorded, and the connector\n" +
			"does nothing meanwhile. It needs a desktop on this machine.\n\n" +
			"Where the connection waited for you, it goes on once you say that you have signed in: you are asked behind the window.",
		ValidArgsFunction: s.CompleteConnection,
		RunE:              func(cmd *cobra.Command, args []string) error { return signIn(cmd.Context(), s, args[0], signedIn) },
	}
	cmd.Flags().BoolVar(&signedIn, "signed-in", false, "yes, I sign in there; without it you are asked")
	return cmd
}

func signIn(ctx context.Context, s *session.Session, name string, signedIn bool) error {
	word := func(ctx context.Context) bool {
		if signedIn || !s.Interactive() || ctx.Err() != nil {
			return signedIn
		}
		yes, err := s.Asker().Confirm(ctx, "are you signed in now?")
		return yes && err == nil
	}
	return s.Change(func(o *owner.Owner) error {
		if !s.Flags.Quiet {
			fmt.Fprintln(s.Err, "sign in, in the window that opens, and close it when you are done")
		}
		done, err := running.SignIn(ctx, o, name, word)
		if err != nil {
			return err
		}
		summary := fmt.Sprintf("the site left nothing in %s, so nobody is signed in; try it again: pdpp-host connections sign-in %s",
			config.FormatDuration(time.Duration(done.Seconds)*time.Second), syntax.Quoted(name))
		if done.Cookies > 0 {
			then := "nothing goes on by itself; if you are signed in"
			if done.SignedIn {
				then = "if the connection waited for you, the scheduler begins a run, or you do"
			}
			summary = fmt.Sprintf("kept what the site left (%s); %s: pdpp-host run %s", output.Plural(int64(done.Cookies), "cookie"), then, syntax.Quoted(name))
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
