package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/collector"
)

// The codes of how an execution ended.
const (
	codeGaps      abi.Code = "lane.gaps"        // it left gaps
	codeDead      abi.Code = "lane.dead_letter" // the host refused part of it for good
	codeRunFailed abi.Code = "run.failed"
)

// tellRun writes how an execution ended and returns the error that the exit
// status is of.
func (a *app) tellRun(r *collector.RunResult, err error) error {
	if r == nil {
		return err
	}
	text := func(w io.Writer) {
		if !a.Flags.Quiet {
			a.writeRun(w, r, err != nil || undeliverable(r) != nil)
		}
	}
	return a.tellEnded(r, summaryOf(r), r, err, text)
}

// tellEnded writes a result that an execution is part of.
func (a *app) tellEnded(r *collector.RunResult, summary string, result any, err error, text func(io.Writer)) error {
	failure := failureOf(r, err)
	var e *exitcode.Ended
	switch {
	case failure == nil:
		return a.Printer.Result(summary, result, text)
	case errors.As(failure, &e) && e.Gaps: // it did what it should; the exit status tells the difference
		return errors.Join(a.Printer.Result(summary, result, text), failure)
	}
	if printErr := a.Printer.Failed(summary, result, a.homely(failure), text); printErr != nil {
		return printErr
	}
	return failure
}

// failureOf says what of an execution is not as it should be; nil when all is, or when the
// next execution goes on by itself. An early end has a code of its own, which decides the
// exit status; the outcome decides the rest.
func failureOf(r *collector.RunResult, err error) error {
	switch {
	case r.Outcome == collector.OutcomeCancelled && err == nil:
		return &exitcode.Ended{Err: interrupted(), Cancelled: true}
	case err != nil:
		return err
	case r.Outcome == collector.OutcomeDeadLetter:
		return &exitcode.Ended{Err: abi.NewError(codeDead, "some of what was saved here did not upload: the host refused it",
			"see why, and what helps: "+program+" doctor --source-instance-id "+r.SourceInstanceID)}
	case r.Outcome == collector.OutcomeFailed:
		return &exitcode.Ended{Err: runFailure(r)}
	case undeliverable(r) != nil:
		return &exitcode.Ended{Err: undeliverable(r)}
	case leftGaps(r):
		return &exitcode.Ended{Err: abi.NewError(codeGaps, "the run left gaps", "the next run tries again what can be tried"), Gaps: true}
	}
	return nil
}

// undeliverable is why nothing of what waits was delivered, when the host cannot be
// reached or refuses it.
func undeliverable(r *collector.RunResult) error {
	d := r.Undelivered()
	if d == nil {
		return nil
	}
	return abi.NewError(abi.Code(d.Code), d.Message, d.Hint)
}

// leftGaps reports whether what was collected has gaps: whether they can be tried
// again or not, this is no clean run (LC-05.2).
func leftGaps(r *collector.RunResult) bool {
	if r.StartsOver { // the next run does not go on with it
		return r.Outcome == collector.OutcomeBacklog
	}
	return r.Outcome == collector.OutcomeGaps || r.Outcome == collector.OutcomeBacklog && !r.BudgetReached && r.Run != nil && outcome.Gaps(r.Run) > 0
}

func interrupted() *abi.Error {
	return abi.NewError(abi.CodeInterrupted, "the run was interrupted", "run it again: it goes on from the last checkpoint")
}

// runFailure is what a scan that failed has to say. Its code may be the
// connector's own word.
func runFailure(r *collector.RunResult) *abi.Error {
	if r.Run == nil || r.Run.Error == nil {
		return abi.NewError(codeRunFailed, "the run failed", "run it again; what was collected is kept")
	}
	f := r.Run.Error
	return abi.NewError(abi.Code(output.Clean(f.Code)), f.Message, cmp.Or(f.Hint, "run it again; what was collected is kept")).
		WithDetail(fmt.Sprintf("%s of %s, reason %s", r.Run.RunID, r.Run.Connector, r.Run.Reason))
}

// word says in a word how an execution ended, and its tone.
func word(r *collector.RunResult) (tone, text string) {
	switch o := r.Outbox; {
	case r.Outcome == collector.OutcomeComplete:
		return "green", "Delivered"
	case r.Outcome == collector.OutcomeBacklog && o.Pending+o.Retrying+o.Leased > 0:
		return "amber", "Not all delivered"
	case leftGaps(r):
		return "amber", "Delivered with gaps"
	case r.Outcome == collector.OutcomeBacklog:
		return "amber", "Delivered in part"
	case r.Outcome == collector.OutcomeDeadLetter:
		return "red", "Blocked"
	case r.Outcome == collector.OutcomeCancelled:
		return "amber", "Stopped"
	}
	return "red", "Failed"
}

// summaryOf says in one line how an execution ended, without colour or symbol.
func summaryOf(r *collector.RunResult) string {
	_, text := word(r)
	return output.Clean(text + "  " + r.ConnectorID + "  " + account(r))
}

// account counts what was collected, and what the host has confirmed of it.
func account(r *collector.RunResult) string {
	var parts []string
	switch {
	case r.Run != nil:
		parts = append(parts, outcome.Tally(r.Run))
	case r.SkippedScan:
		parts = append(parts, "nothing new collected: what waits goes first")
	}
	parts = append(parts, output.Plural(r.Delivered.Acknowledged, "upload")+" confirmed", waiting(r.Outbox))
	return strings.Join(parts, "; ")
}

// waiting says what the outbox still holds.
func waiting(c collector.Counts) string {
	var parts []string
	for _, x := range []struct {
		n    int64
		word string
	}{{c.Pending, "waiting"}, {c.Retrying, "to be tried again"}, {c.Leased, "being sent"}, {c.DeadLetter, "refused by the host"}} {
		if x.n > 0 {
			parts = append(parts, output.Count(x.n)+" "+x.word)
		}
	}
	if len(parts) == 0 {
		return "nothing waits"
	}
	return strings.Join(parts, ", ")
}

// writeRun tells how an execution ended. With told, an error that follows says why
// nothing more was delivered.
func (a *app) writeRun(w io.Writer, r *collector.RunResult, told bool) {
	s := a.Printer.Style
	tone, text := word(r)
	fmt.Fprintf(w, "%s  %s  %s\n", s.Pill(tone, text), output.Clean(r.ConnectorID), account(r))
	if r.BudgetReached && !r.StartsOver { // else its gap says so
		fmt.Fprintln(w, "  there is more than one run collects; the next one goes on from here")
	}
	if r.Since != "" {
		fmt.Fprintln(w, "  collects what is from "+output.Clean(r.Since)+" on: the host wants nothing older")
	}
	if r.Run != nil {
		outcome.WriteGaps(w, r.Run, program+" status --source-instance-id "+r.SourceInstanceID)
	}
	if left := r.GapsLeft(); left != (collector.GapsLeft{}) {
		fmt.Fprintf(w, "  not done      %s\n", left)
	}
	if c := r.Completeness; c != nil && len(c.UnaccountedStores) > 0 {
		fmt.Fprintf(w, "  not accounted for: %s\n", output.Clean(strings.Join(c.UnaccountedStores, ", ")))
	}
	if !told {
		a.writeProblem(w, r.Delivery)
		if r.Delivery == nil || r.Heartbeat != nil && r.Heartbeat.Code != r.Delivery.Code {
			a.writeProblem(w, r.Heartbeat)
		}
	}
	if r.PrunedSent.Pruned > 0 {
		fmt.Fprintf(w, "  %s of the outbox, confirmed before, removed\n", output.Plural(r.PrunedSent.Pruned, "row"))
	}
}

func (a *app) writeProblem(w io.Writer, p *collector.Problem) {
	if p == nil {
		return
	}
	fmt.Fprintf(w, "  %s   [%s]\n", output.Clean(a.short(p.Message)), output.Clean(p.Code))
	if p.Hint != "" {
		fmt.Fprintf(w, "    %s\n", output.Clean(a.short(p.Hint)))
	}
}
