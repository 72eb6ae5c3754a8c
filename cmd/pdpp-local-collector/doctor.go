package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// codeCritical: doctor found a problem that stops delivery (exit 6).
const codeCritical abi.Code = "doctor.critical"

func (a *app) doctorCommand() *cobra.Command {
	var f laneFlags
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the collector and say what to do", Args: syntax.Takes(),
		Long: "Checks one source instance, its connector, and whether the host takes it. It changes nothing. The exit status is 0, also with warnings, and 6 when\n" +
			"something stops delivery.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			lanes, err := a.lanes(f)
			if err != nil {
				return err
			}
			all := make([]*collector.Diagnosis, len(lanes))
			for i, l := range lanes {
				if all[i], err = a.diagnose(cmd.Context(), l); err != nil {
					return err
				}
			}
			return a.tellDiagnoses(lanes, all)
		},
	}
	f.add(cmd)
	return cmd
}

// diagnose looks at a lane, at its host and at the module that it would run.
func (a *app) diagnose(ctx context.Context, l *lane) (d *collector.Diagnosis, err error) {
	c, err := a.collector(l)
	if err != nil {
		return nil, err
	}
	if d, err = c.Doctor(ctx); err != nil {
		return nil, err
	}
	conf, err := a.Configuration()
	if err != nil {
		return nil, err
	}
	d.Add(sandboxCheck(conf))
	file, missing := modules.Open(conf, l.profile.ConnectorID, program+" connectors")
	if missing != nil {
		d.Add(c.ModuleChecks(ctx, nil, missing)...)
		return d, nil
	}
	grants := a.grants(conf, l)
	return d, a.withEngine(conf, func(engine *plugin.Engine) error {
		deps := a.deps(l)
		deps.Run = a.runDeps(engine, grants)
		c, err := collector.New(deps)
		if err != nil {
			return err
		}
		d.Add(c.ModuleChecks(ctx, file, nil)...)
		return nil
	})
}

// sandboxCheck says how the system confines the connector.
func sandboxCheck(conf *config.Config) collector.Check {
	s := modules.SandboxOf(conf.Isolation(), plugin.Walls())
	level := collector.LevelOK
	if s.Hint != "" {
		level = collector.LevelWarn
	}
	return collector.Check{Name: "sandbox", Level: level, Text: s.Message, Remedy: s.Hint}
}

// tellDiagnoses shows what was found of one lane after another.
func (a *app) tellDiagnoses(lanes []*lane, all []*collector.Diagnosis) error {
	critical, overall := 0, collector.LevelOK
	for _, d := range all {
		critical += a.prepare(d)
		if d.Overall == collector.LevelCritical || overall == collector.LevelOK {
			overall = d.Overall
		}
	}
	text := func(w io.Writer) {
		for i, d := range all {
			if len(all) > 1 {
				fmt.Fprintf(w, "%s  %s\n", output.Clean(lanes[i].profile.ConnectorID), output.Clean(lanes[i].profile.SourceInstanceID))
			}
			a.writeChecks(w, d.Checks)
		}
	}
	var result any = all[0]
	if len(all) > 1 {
		result = map[string]any{"object": "local_collector_doctor_list", "overall": overall, "lanes": all}
	}
	summary := "doctor: " + overall
	if overall != collector.LevelCritical {
		return a.Printer.Result(summary, result, text)
	}
	err := abi.NewError(codeCritical, output.Plural(int64(critical), "problem")+" to put right", "each one says above what to do")
	if printErr := a.Printer.Failed(summary, result, err, text); printErr != nil {
		return printErr
	}
	return err
}

// prepare makes a diagnosis one to show, and counts what is critical.
func (a *app) prepare(d *collector.Diagnosis) (critical int) {
	if d.Status != nil {
		d.Status.DB.Path = a.tilde(d.Status.DB.Path)
		a.shorten(d.Status.Failed)
	}
	for i := range d.Checks {
		c := &d.Checks[i]
		c.Text, c.Remedy = a.short(c.Text), a.short(c.Remedy)
		if c.Level == collector.LevelCritical {
			critical++
		}
	}
	return critical
}

func (a *app) writeChecks(w io.Writer, checks []collector.Check) {
	widest := 0
	for _, c := range checks {
		widest = max(widest, len(c.Name))
	}
	for _, c := range checks {
		if a.Flags.Quiet && c.Level == collector.LevelOK {
			continue
		}
		fmt.Fprintf(w, "%s  %-*s  %s\n", a.painted(c.Level), widest, output.Clean(c.Name), output.Clean(c.Text))
		if c.Remedy != "" && c.Level != collector.LevelOK {
			fmt.Fprintf(w, "%*s%s\n", widest+12, "", output.Clean(c.Remedy))
		}
	}
}

// painted is a level in eight columns and in its colour.
func (a *app) painted(level string) string {
	padded := fmt.Sprintf("%-8s", level)
	switch level {
	case collector.LevelOK:
		return a.Printer.Style.Green(padded)
	case collector.LevelCritical:
		return a.Printer.Style.Red(padded)
	}
	return a.Printer.Style.Yellow(padded)
}
