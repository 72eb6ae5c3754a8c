package tokens

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

func createCommand(s *session.Session) *cobra.Command {
	var scope, expires string
	var all, readOnly bool
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make a token, and show it once", Args: syntax.Takes("NAME"),
		Long: "Makes a token with which a program speaks for you, in an Authorization header. NAME says what uses it. The token alone\n" +
			"is on standard output, once: this host keeps a hash of it. Its scope is read (look at everything), run (start and stop\n" +
			"runs as well), manage (everything), or introspect: a server of yours asks with it at /introspect what the tokens stand\n" +
			"for that it is shown, as the user TOKEN by HTTP Basic, and does nothing else with it. --owner is the scope manage, and\n" +
			"--owner --read-only the scope read: such a token changes nothing.",
		Example: "  pdpp-host tokens create backup --scope read --expires 30d\n  pdpp-host tokens create assistant --owner --read-only",
		RunE: func(cmd *cobra.Command, args []string) error {
			life, err := syntax.Span("--expires", expires)
			if err != nil {
				return err
			}
			switch {
			case !all && !readOnly:
			case cmd.Flags().Changed("scope") || !all:
				return syntax.Usage("--read-only goes with --owner, and neither with --scope", "say --owner --read-only, or --scope read")
			case readOnly:
				scope = string(access.ScopeRead)
			default:
				scope = string(access.ScopeManage)
			}
			return create(cmd.Context(), s, access.NewToken{Name: args[0], Scope: access.Scope(scope), Expires: life})
		},
	}
	scopeFlag(cmd, &scope, access.ScopeIntrospect)
	cmd.Flags().BoolVar(&all, "owner", false, "it may do all that you may")
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "it looks, and changes nothing")
	cmd.Flags().StringVar(&expires, "expires", "30d", "it is good for `SPAN`, up to 365d")
	return cmd
}

// scopeFlag defines the flag of what a token may do.
func scopeFlag(cmd *cobra.Command, scope *string, more ...access.Scope) {
	var all []string
	for _, s := range append([]access.Scope{access.ScopeRead, access.ScopeRun, access.ScopeManage}, more...) {
		all = append(all, string(s))
	}
	cmd.Flags().StringVar(scope, "scope", all[0], "it may do this: `SCOPE` is one of "+strings.Join(all, ", "))
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

func create(ctx context.Context, s *session.Session, n access.NewToken) error {
	return s.Change(func(o *owner.Owner) error {
		made, err := access.CreateToken(ctx, o, n)
		if err != nil {
			return err
		}
		return s.Printer.Result("made "+made.ID+" "+made.Name, made, func(w io.Writer) {
			if !s.Flags.Quiet {
				fmt.Fprintf(s.Err, "%s for %s, scope %s, shown this once, good until %s:\n", made.ID, output.Clean(made.Name), made.Scope, output.Timestamp(made.ExpiresAt))
			}
			fmt.Fprintln(w, made.Secret)
		})
	})
}
