package records

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// takesStream checks arguments as syntax.Takes does. To a connection without a stream it
// says which streams there are.
func takesStream(s *session.Session, names ...string) cobra.PositionalArgs {
	check := syntax.Takes(names...)
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil || len(args) != 1 {
			return err
		}
		return s.Read(func(o *owner.Owner) error {
			known, err := o.Streams(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return syntax.Usage(cmd.CommandPath()+" needs "+names[1], known.Hint()+"; write: "+
				strings.Join(append([]string{cmd.CommandPath(), syntax.Quoted(known.Connection)}, names[1:]...), " "))
		})
	}
}

// completeStream completes a connection, and then one of its streams.
func completeStream(s *session.Session) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return s.CompleteConnection(cmd, args, word)
		}
		return s.Complete(cmd.Context(), nil, func(o *owner.Owner, ctx context.Context) ([]string, error) {
			known, err := o.Streams(ctx, args[0])
			if err != nil {
				return nil, err
			}
			return known.Names, nil
		})
	}
}
