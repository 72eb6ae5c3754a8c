package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
)

// Outcomes of one of doctor's checks.
const (
	healthy = "ok"
	notice  = "notice"  // worth knowing; nothing has to be done
	broken  = "problem" // something does not work until it is put right
)

// finding is what one check found.
type finding struct {
	Check   string `json:"check"`
	Outcome string `json:"outcome"`
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// findings collects what the checks found.
type findings struct {
	all []finding
}

func (f *findings) ok(check, message string) { f.add(check, healthy, message, "") }

func (f *findings) add(check, outcome, message, hint string) {
	f.all = append(f.all, finding{Check: check, Outcome: outcome, Message: message, Hint: hint})
}

func (f *findings) fail(check string, err error) {
	p := output.ProblemOf(err)
	f.all = append(f.all, finding{check, broken, p.Message, p.Code, p.Hint})
}

func (a *app) doctorCommand() *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the whole installation and say what to do", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), repair) },
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "make again what health rests on from the rest, and expect no scheduler that is gone")
	return cmd
}

// doctor makes every check that the ones before it allow. Without repair it
// changes nothing but what opening the store changes.
func (a *app) doctor(ctx context.Context, repair bool) error {
	c, err := a.Config()
	if err != nil {
		return err
	}
	f := &findings{}
	a.checkConfiguration(f, c)
	a.checkFolders(f, c)
	a.checkDisk(f, c)
	a.checkSandbox(f, c)
	sound, err := a.checkPlugins(ctx, f, c)
	if err != nil {
		return err
	}
	if err := a.checkStore(ctx, f, c, sound, repair); err != nil {
		return err
	}
	return a.tellFindings(f.all)
}

func (a *app) checkConfiguration(f *findings, c *config.Config) {
	switch file := c.File(); {
	case file == "":
		f.ok("configuration", "no file; the defaults hold")
	default:
		f.ok("configuration", file)
	}
}

func (a *app) tellFindings(all []finding) error {
	problems, widest := 0, 0
	for i, x := range all {
		all[i].Message, all[i].Hint = a.Homely(x.Message), a.Homely(a.Advice(x.Hint))
		widest = max(widest, len(x.Check))
		if x.Outcome == broken {
			problems++
		}
	}
	result := map[string]any{"checks": all, "problems": problems}
	text := func(w io.Writer) {
		for _, x := range all {
			if a.Flags.Quiet && x.Outcome == healthy {
				continue
			}
			fmt.Fprintf(w, "%s  %-*s  %s\n", a.paint(x.Outcome), widest, x.Check, output.Clean(x.Message))
			if x.Hint != "" && x.Outcome != healthy {
				fmt.Fprintf(w, "         hint: %s\n", output.Clean(x.Hint))
			}
		}
	}
	if problems == 0 {
		return a.Printer.Result("no problems found", result, text)
	}
	err := abi.NewError(abi.CodeDoctor, output.Plural(int64(problems), "problem")+" found", "each line that begins with \"problem\" says what to do")
	if printErr := a.Printer.Failed(err.Message, result, a.Advised(err), text); printErr != nil {
		return printErr
	}
	return err
}

func (a *app) paint(outcome string) string {
	s := a.Printer.Style
	word := fmt.Sprintf("%-7s", outcome)
	switch outcome {
	case healthy:
		return s.Green(word)
	case notice:
		return s.Yellow(word)
	default:
		return s.Red(word)
	}
}
