package status

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// page is how many connections are shown by default.
const page = 50

// flags are the flags of `status`, as typed.
type flags struct {
	detail bool
	after  string
	limit  int
}

// Command shows how the connections are, and what there is to do.
func Command(s *session.Session) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "status [CONNECTION]", Short: "Show how the connections are, and what there is to do", Args: syntax.Takes("[CONNECTION]"),
		Example:           "  pdpp-host status\n  pdpp-host status claude_code --detail",
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return one(cmd.Context(), s, args[0], f.detail)
			}
			return all(cmd.Context(), s, f)
		},
	}
	cmd.Flags().BoolVar(&f.detail, "detail", false, "everything that a connection's verdict rests on")
	cmd.Flags().StringVar(&f.after, "after", "", "begin after the connection `NAME`")
	cmd.Flags().IntVar(&f.limit, "limit", page, "show at most `N` connections")
	return cmd
}

func all(ctx context.Context, s *session.Session, f flags) error {
	if f.limit < 1 || f.limit > 10000 {
		return syntax.Usage("--limit is a number from 1 to 10000", "leave it out for 50")
	}
	return s.Read(func(o *owner.Owner) error {
		if f.detail {
			return only(ctx, s, o, f)
		}
		fleet, err := o.Fleet(ctx, f.after, f.limit)
		if err != nil {
			return err
		}
		return show.Result(s.Printer, s.Advised, fleet.Runtime, fleet.Fleet.Summary(), fleet, func(w io.Writer) { writeFleet(w, s, fleet) })
	})
}

// only shows everything about the connection when there is only one.
func only(ctx context.Context, s *session.Session, o *owner.Owner, f flags) error {
	name, err := o.OnlyConnection(ctx)
	if err != nil {
		return err
	}
	if name == "" || f.after != "" {
		return syntax.Usage("--detail needs a connection", "write: pdpp-host status CONNECTION --detail")
	}
	return showOne(ctx, s, o, name, true)
}
