package runs

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
)

func capturesCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "captures CONNECTION [CAPTURE]", Short: "Show what the pages of a connection's browser were made of", Args: syntax.Takes("CONNECTION", "[CAPTURE]"),
		Long: "Lists what runs have captured of pages in the last seven days, or shows one capture. It has the elements of a page, and the\n" +
			"lengths of their texts: no text, no value and no name that the site gave to something. Runs capture pages at checkpoints, and\n" +
			"when signing in makes no progress, if browser.capture is true, and never while somebody signs in.",
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return capture(cmd.Context(), s, args[0], args[1])
			}
			return captures(cmd.Context(), s, args[0])
		},
	}
}

func captures(ctx context.Context, s *session.Session, connection string) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := running.Captures(ctx, o, connection)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all.Captures)), "capture"), all, func(w io.Writer) {
			if len(all.Captures) == 0 {
				fmt.Fprintln(w, s.Advice("nothing was captured; browser.capture is what turns it on"))
			}
			for _, c := range all.Captures {
				fmt.Fprintf(w, "%s  %s  %d bytes\n", c.ID, output.Timestamp(c.At), c.Bytes)
			}
		})
	})
}

func capture(ctx context.Context, s *session.Session, connection, id string) error {
	return s.Read(func(o *owner.Owner) error {
		page, err := running.Capture(ctx, o, connection, id)
		if err != nil {
			return err
		}
		return s.Printer.Result(page.Capture, page, func(w io.Writer) { fmt.Fprint(w, page.Text) })
	})
}
