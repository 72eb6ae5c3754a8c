package connections

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/filelist"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/leftover"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/unread"
)

func filesCommand(s *session.Session) *cobra.Command {
	var c leftover.Change
	cmd := &cobra.Command{
		Use: "files NAME", Short: "Show the files that a connection did not understand, and say which are not for it", Args: takesNoSecret("NAME"),
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(c.Ignore)+len(c.Heed) > 0 {
				return decideFiles(cmd.Context(), s, args[0], c)
			}
			return showFiles(cmd.Context(), s, args[0])
		},
	}
	filelist.Add(cmd, &c)
	return cmd
}

func showFiles(ctx context.Context, s *session.Session, name string) error {
	return s.Read(func(o *owner.Owner) error {
		f, err := unread.Show(ctx, o, name)
		if err != nil {
			return err
		}
		return filelist.Tell(s.Printer, f)
	})
}

func decideFiles(ctx context.Context, s *session.Session, name string, c leftover.Change) error {
	return s.Change(func(o *owner.Owner) error {
		f, err := unread.Decide(ctx, o, name, c)
		if err != nil {
			return err
		}
		return filelist.Tell(s.Printer, f)
	})
}
