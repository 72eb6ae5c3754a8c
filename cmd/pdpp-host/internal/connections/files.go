package connections

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/unread"
)

func filesCommand(s *session.Session) *cobra.Command {
	var c unread.Change
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
	cmd.Flags().StringArrayVar(&c.Ignore, "ignore", nil, "files that are not for it: a name, as in *.bak, a path below the folder, or FOLDER/; may be repeated")
	cmd.Flags().StringArrayVar(&c.Heed, "heed", nil, "a pattern of --ignore that holds no longer; may be repeated")
	return cmd
}

func showFiles(ctx context.Context, s *session.Session, name string) error {
	return s.Read(func(o *owner.Owner) error {
		f, err := unread.Show(ctx, o, name)
		if err != nil {
			return err
		}
		return s.Printer.Result(filesLine(f), f, func(w io.Writer) { printFiles(w, f) })
	})
}

func decideFiles(ctx context.Context, s *session.Session, name string, c unread.Change) error {
	return s.Change(func(o *owner.Owner) error {
		f, err := unread.Decide(ctx, o, name, c)
		if err != nil {
			return err
		}
		return s.Printer.Result(filesLine(f), f, func(w io.Writer) { printFiles(w, f) })
	})
}

// filesLine sums the files up.
func filesLine(f *unread.Files) string {
	n, amiss := int64(len(f.Unread))+f.More, int64(len(f.Amiss))
	var parts []string
	if n > 0 {
		parts = append(parts, were(n, "not understood"))
	}
	if amiss > 0 {
		parts = append(parts, were(amiss, "damaged or not read"))
	}
	switch {
	case f.LookedAt == nil:
		return f.Connection + ": no run has looked at all of its folders yet"
	case len(parts) == 0:
		return f.Connection + ": every file was read or is ignored"
	}
	return f.Connection + ": " + strings.Join(parts, ", ")
}

func were(n int64, what string) string {
	if n == 1 {
		return "1 file was " + what
	}
	return output.Count(n) + " files were " + what
}

func printFiles(w io.Writer, f *unread.Files) {
	fmt.Fprintln(w, filesLine(f))
	for _, u := range f.Unread {
		line := "  " + output.Clean(u.Root) + ": " + output.Clean(u.Path)
		if u.Kind != "" {
			line += "  (" + u.Kind + ")"
		}
		fmt.Fprintln(w, line)
	}
	if f.More > 0 {
		fmt.Fprintf(w, "  and %d more, which the next run counts anew\n", f.More)
	}
	for _, a := range f.Amiss {
		fmt.Fprintf(w, "  %s: %s  (%s: %s)\n", output.Clean(a.Root), output.Clean(a.Path), a.Word(), output.Clean(a.Reason))
	}
	for _, p := range f.Ignored {
		fmt.Fprintf(w, "  ignored by you: %s\n", output.Clean(p))
	}
	for _, r := range f.Rules {
		fmt.Fprintf(w, "  ignored by the connector: %s  %s\n", output.Clean(r.Pattern), output.Clean(r.Reason))
	}
}
