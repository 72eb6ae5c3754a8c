package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
)

// codeCritical is of a doctor that found what stops delivery (exit 6).
const codeCritical abi.Code = "doctor.critical"

func (a *app) doctorCommand() *cobra.Command {
	var f laneFlags
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the collector and say what to do", Args: syntax.Takes(),
		Long: "Checks one source instance. It changes nothing. The exit status is 0, also with warnings, and 6 when\n" +
			"something stops delivery.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.lane(f)
			if err != nil {
				return err
			}
			c, err := a.collector(l)
			if err != nil {
				return err
			}
			d, err := c.Doctor(cmd.Context())
			if err != nil {
				return err
			}
			return a.tellDiagnosis(d)
		},
	}
	f.add(cmd)
	return cmd
}

func (a *app) tellDiagnosis(d *collector.Diagnosis) error {
	if d.Status != nil {
		d.Status.DB.Path = a.tilde(d.Status.DB.Path)
	}
	critical, widest := 0, 0
	for i := range d.Checks {
		c := &d.Checks[i]
		c.Text, c.Remedy = a.short(c.Text), a.short(c.Remedy)
		widest = max(widest, len(c.Name))
		if c.Level == collector.LevelCritical {
			critical++
		}
	}
	text := func(w io.Writer) {
		for _, c := range d.Checks {
			if a.flags.quiet && c.Level == collector.LevelOK {
				continue
			}
			fmt.Fprintf(w, "%s  %-*s  %s\n", a.painted(c.Level), widest, output.Clean(c.Name), output.Clean(c.Text))
			if c.Remedy != "" && c.Level != collector.LevelOK {
				fmt.Fprintf(w, "%*s%s\n", widest+12, "", output.Clean(c.Remedy))
			}
		}
	}
	summary := "doctor: " + d.Overall
	if d.Overall != collector.LevelCritical {
		return a.printer.Result(summary, d, text)
	}
	err := abi.NewError(codeCritical, output.Plural(int64(critical), "problem")+" to put right", "each one says above what to do")
	if printErr := a.printer.Failed(summary, d, err, text); printErr != nil {
		return printErr
	}
	return err
}

// painted is a level in eight columns and in its colour.
func (a *app) painted(level string) string {
	padded := fmt.Sprintf("%-8s", level)
	switch level {
	case collector.LevelOK:
		return a.printer.Style.Green(padded)
	case collector.LevelCritical:
		return a.printer.Style.Red(padded)
	}
	return a.printer.Style.Yellow(padded)
}
