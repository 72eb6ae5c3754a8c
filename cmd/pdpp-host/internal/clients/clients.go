package clients

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

// Command holds the commands of clients. Alone it lists them.
func Command(s *session.Session) *cobra.Command {
	list := listCommand(s)
	cmd := s.Group("clients", "List and forget the apps that are known here", func(cmd *cobra.Command) error { return list.RunE(cmd, nil) })
	cmd.AddCommand(list, removeCommand(s))
	return cmd
}

func listCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the apps that are known", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.Read(func(o *owner.Owner) error {
				all, err := grants.Clients(cmd.Context(), o)
				if err != nil {
					return err
				}
				return s.Printer.Result(output.Plural(int64(len(all)), "app"), map[string]any{"clients": all}, func(w io.Writer) { write(w, s, all) })
			})
		},
	}
}

func write(w io.Writer, s *session.Session, all []grants.Client) {
	if len(all) == 0 {
		fmt.Fprintln(w, "no app is known")
		return
	}
	rows := make([][]string, len(all))
	for i := range all {
		c, since := &all[i], "-"
		if c.CreatedAt != nil {
			since = output.Timestamp(*c.CreatedAt)
		}
		rows[i] = []string{output.Clean(c.ID), output.Clean(c.Called()), since, strconv.Itoa(c.Holds)}
	}
	output.Table(w, s.Printer.Style, []string{"client", "app", "registered", "grants"}, rows)
}

func removeCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "remove CLIENT", Short: "Forget an app, and end all its grants", Args: syntax.Takes("CLIENT"), ValidArgsFunction: complete(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				if err := grants.RemoveClient(cmd.Context(), o, args[0]); err != nil {
					return err
				}
				return s.Printer.Result("removed "+args[0], map[string]string{"client_id": args[0]}, nil)
			})
		},
	}
}

func complete(s *session.Session) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return s.Complete(cmd.Context(), args, func(o *owner.Owner, ctx context.Context) (ids []string, err error) {
			all, err := grants.Clients(ctx, o)
			for i := range all {
				ids = append(ids, all[i].ID)
			}
			return ids, err
		})
	}
}
