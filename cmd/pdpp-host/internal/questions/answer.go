package questions

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/secret"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
)

func answerCommand(s *session.Session) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use: "answer QUESTION", Short: "Answer a question, typed or piped in",
		Long: "Answer a question, which is named by its id, or by its connection. What it asks for is read from the terminal and not shown, or from standard input, a line for each field in their order; it is\n" +
			"never an argument. A credential is stored, encrypted, for the connection, when --keep says so; the connector does not see it. The first answer counts.",
		Example:           "  pdpp-host questions answer q_06f5k2 < code.txt",
		ValidArgsFunction: complete(s),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 { // the answer may be among them
				return credentials.SecretArgument()
			}
			return syntax.Takes("QUESTION")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return answer(cmd.Context(), s, args[0], keep) },
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "store the credential, encrypted")
	cmd.SetFlagErrorFunc(func(*cobra.Command, error) error { return credentials.SecretArgument() })
	return cmd
}

func answer(ctx context.Context, s *session.Session, id string, keep bool) error {
	return s.Change(func(o *owner.Owner) error {
		q, err := questions.Show(ctx, o, id)
		if err != nil {
			return err
		}
		given := questions.Given{ID: q.ID, Keep: keep, Values: map[string]string{}}
		if q.Waits() && (keep || !q.Keeps) { // else the refusal comes before anything is typed
			if given.Values, err = read(ctx, s, q); err != nil {
				return err
			}
		}
		if q, err = questions.Answer(ctx, o, given); err != nil {
			return err
		}
		return s.Printer.Result("answered "+q.ID+" of "+output.Clean(q.Connection), q, nil)
	})
}

// read reads a value for each field that has a name.
func read(ctx context.Context, s *session.Session, q *questions.Question) (map[string]string, error) {
	if s.Interactive() && !s.Flags.Quiet {
		write(s.Err, s, q)
	}
	var names, prompts []string
	for i := range q.Fields {
		if f := &q.Fields[i]; f.Name != "" {
			names, prompts = append(names, f.Name), append(prompts, prompt(f))
		}
	}
	values := map[string]string{}
	if len(names) == 0 {
		return values, nil
	}
	lines, err := secret.Reader{In: s.In, Err: s.Err, Stop: s.Stop}.Lines(ctx, prompts)
	for i, line := range lines {
		if len(line) > 0 {
			values[names[i]] = string(line)
		}
		clear(line)
	}
	return values, err
}

func declineCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "decline QUESTION", Short: "Decline a question: its run is told so", Args: syntax.Takes("QUESTION"), ValidArgsFunction: complete(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				q, err := questions.Decline(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				return s.Printer.Result("declined "+q.ID+" of "+output.Clean(q.Connection), q, nil)
			})
		},
	}
}
