package questions

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
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
)

// defaultLimit is how many questions are listed when nobody says.
const defaultLimit = 50

// Command holds the commands of questions. Alone it lists them.
func Command(s *session.Session) *cobra.Command {
	list := listCommand(s)
	cmd := s.Group("questions", "Answer what running connectors ask", func(cmd *cobra.Command) error { return list.RunE(cmd, nil) })
	cmd.AddCommand(list, showCommand(s), answerCommand(s), declineCommand(s))
	return cmd
}

func listCommand(s *session.Session) *cobra.Command {
	q := questions.Query{Open: true}
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the questions that wait for an answer", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.Limit < 0 {
				return syntax.Usage("--limit is not below zero", "leave it out for the newest")
			}
			q.Open = !all
			return list(cmd.Context(), s, q)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that are closed")
	cmd.Flags().StringVar(&q.Connection, "connection", "", "only questions of the connection `NAME`")
	_ = cmd.RegisterFlagCompletionFunc("connection", s.CompleteConnection) // the flag is there
	cmd.Flags().IntVar(&q.Limit, "limit", defaultLimit, "at most `N`; 0 lists all of them")
	cmd.Flags().StringVar(&q.Before, "before", "", "only questions older than `ID`")
	return cmd
}

func list(ctx context.Context, s *session.Session, q questions.Query) error {
	return s.Read(func(o *owner.Owner) error {
		page, err := questions.List(ctx, o, q)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(page.Questions)), "question"), page, func(w io.Writer) {
			if len(page.Questions) == 0 {
				fmt.Fprintln(w, "nothing is asked")
				return
			}
			rows := make([][]string, len(page.Questions))
			for i := range page.Questions {
				one := &page.Questions[i]
				rows[i] = []string{one.ID, output.Clean(one.Connection), kindText(one.Kind), state(one), output.Timestamp(one.AskedAt), until(one.Deadline)}
			}
			output.Table(w, s.Printer.Style, []string{"question", "connection", "asks for", "state", "asked", "until"}, rows)
			if page.Next != "" {
				fmt.Fprintln(w, s.Advice("more: pdpp-host questions list --before "+page.Next))
			}
		})
	})
}

func showCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "show QUESTION", Short: "Show one question, by its id or its connection's name", Args: syntax.Takes("QUESTION"), ValidArgsFunction: complete(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Read(func(o *owner.Owner) error {
				q, err := questions.Show(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				return s.Printer.Result("question "+q.ID+": "+state(q), q, func(w io.Writer) { write(w, s, q) })
			})
		},
	}
}

// write shows a question: the connector's words stand apart, behind a mark.
func write(w io.Writer, s *session.Session, q *questions.Question) {
	fmt.Fprintf(w, "%s (connector %s) asks for %s, %s, until %s:\n  > %s\n%s\n",
		output.Clean(q.Connection), output.Clean(q.Connector), kindText(q.Kind), state(q), until(q.Deadline), output.Clean(q.Quote), q.Warning)
	for _, f := range q.Fields {
		fmt.Fprintf(w, "  %s\n", prompt(&f))
	}
	if !q.Waits() {
		return
	}
	answer := "answer: pdpp-host questions answer " + q.ID
	if q.Keeps {
		answer += " --keep"
	}
	fmt.Fprintln(w, s.Advice(answer+"   or decline: pdpp-host questions decline "+q.ID))
}

// prompt names a field: a word of the connector's stands in quotes.
func prompt(f *questions.Field) string {
	switch {
	case f.Code:
		return "one-time code"
	case f.Name == "":
		return "nothing to type: confirm that it is done"
	}
	text := output.Clean(f.Name)
	if f.Label != "" && f.Label != f.Name {
		text += fmt.Sprintf(" (%q)", output.Clean(f.Label))
	}
	if len(f.Choices) > 0 {
		text += ": one of " + output.Clean(strings.Join(f.Choices, ", "))
	}
	if !f.Required {
		text += ", may be left empty"
	}
	return text
}

// kindTexts are what questions ask for, in the host's words.
var kindTexts = map[string]string{ //nolint:gosec // words, and no credentials
	"otp": "a one-time code", "credentials": "a credential", "missing_credentials": "a missing credential", "manual_action": "something to be done",
}

func kindText(kind string) string {
	if text := kindTexts[kind]; text != "" {
		return text
	}
	return "something"
}

func state(q *questions.Question) string {
	text := strings.ReplaceAll(q.State, "_", " ")
	if q.ClosedBy != "" {
		text += " by " + strings.ReplaceAll(q.ClosedBy, "_", " ")
	}
	return text
}

func until(t *time.Time) string {
	if t == nil {
		return "its run ends"
	}
	return output.Timestamp(*t)
}

// complete completes the ids of open questions.
func complete(s *session.Session) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return s.Complete(cmd.Context(), args, func(o *owner.Owner, ctx context.Context) (ids []string, err error) {
			page, err := questions.List(ctx, o, questions.Query{Open: true})
			if err != nil {
				return nil, err
			}
			for i := range page.Questions {
				ids = append(ids, page.Questions[i].ID)
			}
			return ids, nil
		})
	}
}
