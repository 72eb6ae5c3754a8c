package tokens

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/secret"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

func createCommand(s *session.Session) *cobra.Command {
	var scope, expires, file string
	var all, readOnly bool
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make a token, and show it once", Args: syntax.Takes("NAME"),
		Long: "Makes a token with which a program speaks for you, in an Authorization header. NAME says what uses it. The token alone\n" +
			"is on standard output, once, or in a file that you alone can read: this host keeps a hash of it. Its scope is read\n" +
			"(look at everything), run (start and stop runs as well), manage (everything), or introspect: a server of yours asks\n" +
			"with it at /introspect what the tokens stand for that it is shown, as the user TOKEN by HTTP Basic, and does nothing\n" +
			"else with it. --owner is the scope manage, and --owner --read-only the scope read: such a token changes nothing.",
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
			n := access.NewToken{Name: args[0], Scope: access.Scope(scope), Expires: life}
			if file != "" {
				return createInto(cmd.Context(), s, n, file)
			}
			return create(cmd.Context(), s, n)
		},
	}
	scopeFlag(cmd, &scope, access.ScopeIntrospect)
	cmd.Flags().BoolVar(&all, "owner", false, "it may do all that you may")
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "it looks, and changes nothing")
	cmd.Flags().StringVar(&expires, "expires", "30d", "it is good for `SPAN`, up to 365d")
	cmd.Flags().StringVar(&file, "file", "", "write it into the new `FILE`, and not to standard output")
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

// createInto makes a token that stands in a new file alone.
func createInto(ctx context.Context, s *session.Session, n access.NewToken, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return syntax.Usage("--file names a file that is there already, or a place that cannot be read", "choose another name")
	}
	return s.Change(func(o *owner.Owner) error {
		made, err := access.CreateToken(ctx, o, n)
		if err != nil {
			return err
		}
		if err := secret.WriteFile(path, []byte(made.Secret)); err != nil {
			return err
		}
		return s.Printer.Result("wrote "+path, map[string]any{"id": made.ID, "scope": made.Scope, "file": path, "expires_at": made.ExpiresAt}, nil)
	})
}
