package connections

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// scheduleFlags are the flags of `connections schedule`, as typed.
type scheduleFlags struct {
	every                              time.Duration
	everySet                           bool
	manual, recommended, pause, resume bool
}

func scheduleCommand(s *session.Session) *cobra.Command {
	var f scheduleFlags
	cmd := &cobra.Command{
		Use: "schedule NAME", Short: "Say when `serve` runs a connection, or show it", Args: syntax.Takes("NAME"),
		Long:              "Says when `pdpp-host serve` runs a connection. Without a flag it shows that.",
		Example:           "  pdpp-host connections schedule work --every 6h\n  pdpp-host connections schedule work --pause",
		ValidArgsFunction: s.CompleteConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.everySet = cmd.Flags().Changed("every")
			return setSchedule(cmd.Context(), s, args[0], f)
		},
	}
	p := cmd.Flags()
	cmd.SetFlagErrorFunc(everyError)
	p.DurationVar(&f.every, "every", 0, "run it every `DURATION`, as in 6h")
	p.BoolVar(&f.manual, "manual", false, "run it only by hand")
	p.BoolVar(&f.recommended, "recommended", false, "run it as its connector recommends (the default)")
	p.BoolVar(&f.pause, "pause", false, "do not run it for now")
	p.BoolVar(&f.resume, "resume", false, "end the pause")
	return cmd
}

// everyError says of an interval that cannot be read how one is written.
func everyError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Name == "every" {
		return syntax.Usage("the value of --every cannot be read", "write a duration, as in 30m or 6h").WithDetail("it must be a duration")
	}
	return syntax.FlagError(cmd, err)
}

// change is what the flags ask for.
func (f scheduleFlags) change() (owner.ScheduleChange, error) {
	c := owner.ScheduleChange{Every: f.every, Pause: f.pause, Resume: f.resume}
	modes := 0
	for mode, set := range map[schedule.Mode]bool{schedule.Automatic: f.everySet, schedule.ByHand: f.manual, schedule.AsRecommended: f.recommended} {
		if set {
			modes++
			c.Mode = &mode
		}
	}
	switch {
	case modes > 1:
		return c, syntax.Usage("--every, --manual and --recommended exclude each other", "say one of them")
	case f.pause && f.resume:
		return c, syntax.Usage("--pause and --resume exclude each other", "say one of them")
	}
	return c, nil
}

func setSchedule(ctx context.Context, s *session.Session, name string, f scheduleFlags) error {
	c, err := f.change()
	if err != nil {
		return err
	}
	do := s.Change
	if c == (owner.ScheduleChange{}) {
		do = s.Read
	}
	return do(func(o *owner.Owner) error {
		set, err := o.SetSchedule(ctx, name, c)
		if err != nil {
			return err
		}
		text := set.Connection + "  " + show.Schedule(set.Schedule)
		return s.Printer.Result(text, set.Schedule, func(w io.Writer) {
			if !s.Flags.Quiet || !set.Changed {
				fmt.Fprintln(w, output.Clean(text))
			}
		})
	})
}
