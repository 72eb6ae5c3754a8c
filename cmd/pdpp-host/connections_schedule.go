package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// leastInterval is the shortest one that an owner may ask for.
const leastInterval = time.Minute

type scheduleFlags struct {
	every                              time.Duration
	everySet                           bool
	manual, recommended, pause, resume bool
}

func (a *app) scheduleCommand() *cobra.Command {
	var f scheduleFlags
	cmd := &cobra.Command{
		Use: "schedule NAME", Short: "Say when `serve` runs a connection, or show it", Args: takes("NAME"),
		Long:              "Says when `pdpp-host serve` runs a connection. Without a flag it shows that.",
		Example:           "  pdpp-host connections schedule work --every 6h\n  pdpp-host connections schedule work --pause",
		ValidArgsFunction: a.completeConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.everySet = cmd.Flags().Changed("every")
			return a.connectionSchedule(cmd.Context(), args[0], f)
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

// howOften is said of an interval that is none.
const howOften = "write a duration, as in 30m or 6h"

// everyError says of an interval that cannot be read how one is written.
func everyError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Name == "every" {
		return usage("the value of --every cannot be read", howOften).WithDetail("it must be a duration")
	}
	return syntax.FlagError(cmd, err)
}

func (f scheduleFlags) change(s storage.Schedule) (storage.Schedule, error) {
	modes := 0
	for _, set := range []bool{f.everySet, f.manual, f.recommended} {
		if set {
			modes++
		}
	}
	switch {
	case modes > 1:
		return s, usage("--every, --manual and --recommended exclude each other", "say one of them")
	case f.pause && f.resume:
		return s, usage("--pause and --resume exclude each other", "say one of them")
	case f.everySet && (f.every < leastInterval || f.every%time.Second != 0):
		return s, usage("--every is not a whole number of seconds from one minute on", howOften)
	case f.everySet:
		s.Mode, s.Every = string(schedule.Automatic), f.every
	case f.manual:
		s.Mode, s.Every = string(schedule.ByHand), 0
	case f.recommended:
		s.Mode, s.Every = string(schedule.AsRecommended), 0
	}
	s.Paused = (s.Paused || f.pause) && !f.resume
	return s, nil
}

func (a *app) connectionSchedule(ctx context.Context, name string, f scheduleFlags) error {
	return a.withStore(ctx, func(c *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, name)
		if err != nil {
			return err
		}
		fed, err := store.SourceInstances(ctx, conn.ID)
		if err == nil {
			err = onDevice(conn.Name, conn.Connector, fed)
		}
		if err != nil {
			return err
		}
		now, err := store.Schedule(ctx, conn.ID)
		if err != nil {
			return err
		}
		next, err := f.change(now)
		if err != nil {
			return err
		}
		if next != now {
			if f.everySet {
				if err := a.mayRunItself(ctx, c, conn, f.every); err != nil {
					return err
				}
			}
			if err := store.PutSchedule(ctx, next); err != nil {
				return err
			}
		}
		v, err := a.scheduleOf(ctx, store, conn)
		if err != nil {
			return err
		}
		return a.Printer.Result(conn.Name+"  "+v.text(), v, func(w io.Writer) {
			if !a.Flags.Quiet || next == now {
				fmt.Fprintln(w, output.Clean(conn.Name+"  "+v.text()))
			}
		})
	})
}

// mayRunItself refuses an interval that the connector's policy does not allow:
// it would be skipped every time.
func (a *app) mayRunItself(ctx context.Context, c *config.Config, conn *storage.Connection, every time.Duration) error {
	m, err := a.manifestOf(ctx, c, conn)
	if err != nil {
		return err
	}
	p := m.Capabilities.RefreshPolicy
	if p == nil {
		return nil
	}
	if d := schedule.Eligible(p, schedule.Scheduled, schedule.Facts{Ready: true}); !d.Start {
		return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("connector %s may not run by itself", conn.Connector),
			"run it by hand: pdpp-host run "+conn.Connector+" --connection "+conn.Name).WithDetail(output.Clean(p.Rationale))
	}
	if least := p.MinimumIntervalSeconds; least != nil && every < time.Duration(*least)*time.Second {
		least := (time.Duration(*least) * time.Second).String()
		return abi.NewError(abi.CodeConnectionInvalid, fmt.Sprintf("connector %s may not run by itself more often than every %s", conn.Connector, least),
			"write --every "+least+", or longer").WithDetail(output.Clean(p.Rationale))
	}
	return nil
}

// scheduleView is when a connection runs by itself, and what it waits for.
type scheduleView struct {
	Mode     string     `json:"mode"` // automatic, manual
	By       string     `json:"by"`   // owner, recommended, default
	EverySec int64      `json:"every_seconds,omitempty"`
	Paused   bool       `json:"paused"`
	Waits    string     `json:"waits_for,omitempty"`
	Look     bool       `json:"needs_attention,omitempty"` // a cooldown that goes on and on
	Next     *time.Time `json:"next,omitempty"`            // about when it runs next, while something serves
	Due      *time.Time `json:"due_since,omitempty"`       // it would run now, and nothing serves

	overdue bool // and would have for a while
}

// scheduleOf works out what the scheduler would do about a connection now. Only
// what the accepted manifest says counts: nothing is loaded for it.
func (a *app) scheduleOf(ctx context.Context, store *storage.Store, conn *storage.Connection) (*scheduleView, error) {
	stored, err := store.Schedule(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	policy := pinnedPolicy(conn)
	setting := schedule.SettingOf(stored)
	v := &scheduleView{Mode: string(schedule.ByHand), By: "owner", Paused: setting.Paused}
	switch {
	case setting.Mode != schedule.AsRecommended:
	case policy != nil:
		v.By = "recommended"
	default:
		v.By = "default"
	}
	if setting.Enrolled(policy) {
		every, _ := schedule.Interval(setting, policy)
		v.Mode, v.EverySec = string(schedule.Automatic), int64(every/time.Second)
	}
	if conn.Unreadable != nil {
		v.Waits = string(schedule.ReasonUnresolvable)
		return v, nil //nolint:nilerr // it is why nobody can tell
	}
	looked, err := a.looker(store, conn).Look(ctx, *conn)
	if err != nil {
		return nil, err
	}
	if looked.Reason != schedule.ReasonNotDue && looked.Reason != schedule.ReasonManual {
		v.Waits = string(looked.Reason)
	}
	v.Look = looked.Escalated
	if byItself := v.Mode == string(schedule.Automatic) && !v.Paused; !byItself || looked.At.IsZero() {
		return v, nil
	}
	served, err := a.served(ctx, store)
	if err != nil {
		return nil, err
	}
	if !served && !looked.Due.IsZero() {
		v.Due, v.overdue = &looked.Due, a.Now().Sub(looked.Due) > overdueAfter
		return v, nil
	}
	v.Next = &looked.At
	return v, nil
}

// pinnedPolicy is what the accepted manifest recommends; nil: nothing, or there is none.
func pinnedPolicy(conn *storage.Connection) *abi.RefreshPolicy {
	if m := pinnedManifest(conn); m != nil {
		return m.Capabilities.RefreshPolicy
	}
	return nil
}

// waits is what a connection waits for, in words.
var waits = map[schedule.Reason]string{
	schedule.ReasonPaused:      "paused",
	schedule.ReasonUnsafe:      "its connector is not safe to run by itself",
	schedule.ReasonNotReady:    "waits for its folder or its module",
	schedule.ReasonAttention:   "waits for you",
	schedule.ReasonCoolingDown: "cooling down, the service refused requests or was away",
	schedule.ReasonBackingOff:  "backing off, it failed the same way again and again",
	schedule.ReasonGivenUp:     "not run by itself any more, it failed too often; run it by hand to see why",
	schedule.ReasonRunning:     "runs now",
	// Some of what decides it is unreadable, or missing.
	schedule.ReasonUnresolvable: "it cannot be told whether it may run",
}

// skips are the reasons that are no wait of a connection's schedule.
var skips = map[schedule.Reason]string{
	schedule.ReasonManual:   "only by hand",
	schedule.ReasonOnDevice: "its device collects it",
	schedule.ReasonNotDue:   "not due yet",
}

// reasonText says in words why a connection was not run.
func reasonText(r schedule.Reason) string {
	if text, ok := waits[r]; ok {
		return text
	}
	if text, ok := skips[r]; ok {
		return text
	}
	return string(r)
}

func (v *scheduleView) text() string {
	text := "only by hand"
	if v.EverySec > 0 {
		text = "every " + (time.Duration(v.EverySec) * time.Second).String()
		switch v.By {
		case "recommended":
			text += ", as its connector recommends"
		case "default":
			text += ", until its connector says otherwise"
		}
	}
	if w, ok := waits[schedule.Reason(v.Waits)]; ok {
		text += "; " + w
	}
	if v.Look {
		text += ", time and again: look at it"
	}
	switch {
	case v.Due != nil && v.overdue:
		text += "; overdue since " + output.Timestamp(*v.Due) + "; nothing serves: " + program + " serve"
	case v.Due != nil:
		text += "; due now; nothing serves: " + program + " serve"
	}
	if v.Next != nil {
		text += "; next " + output.Timestamp(*v.Next)
	}
	return text
}
