package records

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/data"
)

func deleteCommand(s *session.Session) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete CONNECTION STREAM KEY", Short: "Delete one record, so that no run brings it back", Args: takesStream(s, "CONNECTION", "STREAM", "KEY"),
		Long: "Deletes one record here, and the files that no other record refers to. The source keeps what it has; a run that finds the\n" +
			"record there drops it, and says so. `records restore` undoes that for later runs.",
		ValidArgsFunction: completeStream(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes {
				return syntax.Usage("deleting a record takes what is kept of it, and no run brings it back",
					fmt.Sprintf("if that is meant: pdpp-host records delete %s %s %s --yes", syntax.Quoted(args[0]), syntax.Quoted(args[1]), syntax.Quoted(args[2])))
			}
			return s.Change(func(o *owner.Owner) error {
				e, err := data.Erase(cmd.Context(), o, args[0], args[1], args[2])
				if err != nil {
					return err
				}
				return tell(s, e, "deleted", "no run brings it back; to allow that: pdpp-host records restore "+named(e))
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "yes, delete the record")
	return cmd
}

func restoreCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "restore CONNECTION STREAM KEY", Short: "Let runs bring a record again that you deleted", Args: takesStream(s, "CONNECTION", "STREAM", "KEY"),
		ValidArgsFunction: completeStream(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				e, err := data.Restore(cmd.Context(), o, args[0], args[1], args[2])
				if err != nil {
					return err
				}
				return tell(s, e, "may come again", "the next run that reads it brings it; where a connector reads only what is new: pdpp-host run "+syntax.Quoted(e.Connection)+" --full-refresh")
			})
		},
	}
}

// named are the arguments that name a record.
func named(e *data.Erased) string {
	return syntax.Quoted(e.Connection) + " " + syntax.Quoted(e.Stream) + " " + syntax.Quoted(e.Key)
}

func tell(s *session.Session, e *data.Erased, what, advice string) error {
	summary := fmt.Sprintf("record %s of %s %s", e.Key, e.Stream, what)
	return s.Printer.Result(summary, e, func(w io.Writer) {
		if !s.Flags.Quiet {
			fmt.Fprintln(w, output.Clean(summary))
			fmt.Fprintln(w, "  "+output.Clean(s.Advice(advice)))
		}
	})
}
