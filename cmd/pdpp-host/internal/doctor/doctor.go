package doctor

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/doctor"
)

// Command is the command `doctor`.
func Command(s *session.Session) *cobra.Command {
	var how doctor.Options
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the whole installation and say what to do", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return examine(cmd.Context(), s, how) },
	}
	cmd.Flags().BoolVar(&how.Deep, "deep", false, "read the whole store, too: is it damaged, does everything in it agree, and what takes its room; minutes for a million records")
	cmd.Flags().BoolVar(&how.Repair, "repair", false, "as --deep, and make again what health rests on from the rest, and expect no scheduler that is gone")
	return cmd
}

func examine(ctx context.Context, s *session.Session, how doctor.Options) error {
	with := s.Read
	if how.Repair {
		with = s.Repair
	}
	return with(func(o *owner.Owner) error {
		all, err := doctor.Examine(ctx, o, how)
		if err != nil {
			return err
		}
		for i := range all {
			if all[i].Health != nil {
				wordHealth(s, o.Config.DataDir(), &all[i])
			}
		}
		return printFindings(s, all)
	})
}

func printFindings(s *session.Session, all []doctor.Finding) error {
	problems, widest := 0, 0
	for i, x := range all {
		all[i].Message, all[i].Hint = s.Homely(x.Message), s.Homely(s.Advice(x.Hint))
		widest = max(widest, len(x.Check))
		if x.Outcome == doctor.Broken {
			problems++
		}
	}
	result := map[string]any{"checks": all, "problems": problems}
	text := func(w io.Writer) {
		for _, x := range all {
			if s.Flags.Quiet && x.Outcome == doctor.Healthy {
				continue
			}
			fmt.Fprintf(w, "%s  %-*s  %s\n", paint(s.Printer.Style, x.Outcome), widest, x.Check, output.Clean(x.Message))
			if x.Hint != "" && x.Outcome != doctor.Healthy {
				fmt.Fprintf(w, "         hint: %s\n", output.Clean(x.Hint))
			}
		}
	}
	if problems == 0 {
		return s.Printer.Result("no problems found", result, text)
	}
	err := abi.NewError(abi.CodeDoctor, output.Plural(int64(problems), "problem")+" found", "each line that begins with \"problem\" says what to do")
	if printErr := s.Printer.Failed(err.Message, result, s.Advised(err), text); printErr != nil {
		return printErr
	}
	return err
}

func paint(style output.Style, outcome string) string {
	word := fmt.Sprintf("%-7s", outcome)
	switch outcome {
	case doctor.Healthy:
		return style.Green(word)
	case doctor.Notice:
		return style.Yellow(word)
	default:
		return style.Red(word)
	}
}
