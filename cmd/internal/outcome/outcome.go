package outcome

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
)

const (
	mostGapLines = 8
	mostNames    = 3 // that one gap's line shows
	mostStreams  = 6 // that the line of checkpoints shows
)

// Summary says in one line how the run ended, without colour or symbol.
func Summary(r *run.Result) string {
	return fmt.Sprintf("%s  %s  %s", word(r), output.Clean(r.Connection), Tally(r))
}

// Advise returns a text that tells the owner to type commands, as they are to be
// typed for this installation.
type Advise func(text string) string

// Write tells the run's end to an owner. step is the command that its verdict asks
// of the owner, which is told there; "" for none.
func Write(w io.Writer, s output.Style, r *run.Result, step string, advise Advise) {
	fmt.Fprintf(w, "%s  %s  %s\n", headline(s, r), output.Clean(r.Connection), Tally(r))
	fmt.Fprintln(w, "  checkpoints: "+committed(r))
	if next := next(r, step); next != "" {
		fmt.Fprintln(w, "  next: "+advise(next))
	}
	for _, h := range r.Checkpoints.Withheld {
		fmt.Fprintf(w, "  withheld: %s (%s)\n", output.Clean(h.Stream), output.Clean(h.Reason))
	}
	WriteGaps(w, r, advise("pdpp-host runs show "+r.RunID))
	for i := range r.Accounts {
		for _, line := range run.Told(&r.Accounts[i]) {
			fmt.Fprintf(w, "  %s\n", output.Clean(r.Accounts[i].Stream+": "+line))
		}
	}
}

func word(r *run.Result) string {
	switch r.Status {
	case run.StatusSucceeded:
		if Gaps(r) > 0 {
			return "Succeeded with gaps"
		}
		return "Succeeded"
	case run.StatusCancelled:
		return "Cancelled"
	default:
		return "Failed"
	}
}

func headline(s output.Style, r *run.Result) string {
	text := word(r)
	switch {
	case r.Status == run.StatusSucceeded && Gaps(r) == 0:
		return s.Green(s.Symbol("●") + text)
	case r.Status == run.StatusSucceeded:
		return s.Yellow(s.Symbol("◐") + text)
	case r.Status == run.StatusCancelled:
		return s.Yellow(s.Symbol("○") + text)
	default:
		return s.Red(s.Symbol("✗") + text)
	}
}

// Diagnostics is the stream in which a connector accounts for what it collects from:
// it is about the collecting, and none of what was collected.
const Diagnostics = device.CoverageStream

// Tally counts what became durable of what was collected.
func Tally(r *run.Result) string {
	var sum run.Counts
	var rejected int64
	for stream, c := range r.Records {
		rejected += c.Rejected
		if stream != Diagnostics {
			sum.Add(run.Counts{New: c.New, Changed: c.Changed, Deleted: c.Deleted, Unchanged: c.Unchanged, Suppressed: c.Suppressed}, 1)
		}
	}
	var parts []string
	if sum.New+sum.Changed+sum.Deleted == 0 {
		parts = append(parts, "nothing new")
	}
	if c := Counted(sum, rejected); c != "" {
		parts = append(parts, c)
	}
	gaps, left := Gaps(r), LeftOut(r)
	if left > 0 {
		parts = append(parts, output.Count(left)+" left out by date")
	}
	if gaps > 0 || left == 0 {
		parts = append(parts, output.Plural(gaps, "gap"))
	}
	return strings.Join(parts, ", ") + " in " + output.Seconds(time.Duration(r.DurationMS)*time.Millisecond)
}

func committed(r *run.Result) string {
	if len(r.Checkpoints.Committed) == 0 {
		return "none moved"
	}
	shown := r.Checkpoints.Committed[:min(len(r.Checkpoints.Committed), mostStreams)]
	text := output.Clean(strings.Join(shown, ", "))
	if more := len(r.Checkpoints.Committed) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// next is the command that an owner most likely wants now. After a run that did
// not succeed it is the verdict's, where that has one.
func next(r *run.Result, step string) string {
	if r.Status != run.StatusSucceeded && step != "" {
		return ""
	}
	if r.Status != run.StatusSucceeded {
		return "pdpp-host runs show " + r.RunID
	}
	stream, most := "", int64(-1)
	for _, name := range r.Streams {
		if n := r.Records[name].Upserted; n > most && name != Diagnostics {
			stream, most = name, n
		}
	}
	if stream == "" {
		return ""
	}
	return fmt.Sprintf("pdpp-host records list %s %s --limit 5", output.Clean(r.Connection), output.Clean(stream))
}

// GapLines lists known gaps, and detail gaps counted by stream and reason, not
// cleaned.
func GapLines(r *run.Result) []string {
	var lines []string
	for _, g := range r.KnownGaps {
		line := "gap: "
		if g.Kind == run.KindScope {
			line = "left out: "
		}
		line += GapLine(g)
		if names := GapNames(g, mostNames); names != "" {
			line += ": " + names
		}
		lines = append(lines, line)
	}
	type kind struct{ stream, what, why string }
	details := map[kind]int64{}
	for _, g := range openGaps(r) {
		details[kind{g.Stream, WhatOf(g.Class), DetailCopy(g.Reason, g.Class)}] += g.Count
	}
	kinds := slices.SortedFunc(maps.Keys(details), func(a, b kind) int {
		return cmp.Or(strings.Compare(a.stream, b.stream), strings.Compare(a.why, b.why))
	})
	for _, k := range kinds {
		lines = append(lines, fmt.Sprintf("gap: %s: %s %s: %s", k.stream, output.Plural(details[k], "detail"), k.what, k.why))
	}
	if unlisted(r) > 0 {
		lines = append(lines, fmt.Sprintf("gaps: the result lists %s of %s that this run found", output.Count(int64(len(r.Gaps))), output.Count(r.GapsFound)))
	}
	return lines
}

// WriteGaps writes the first of GapLines; more is the command that shows the rest.
func WriteGaps(w io.Writer, r *run.Result, more string) {
	lines := GapLines(r)
	for i, line := range lines {
		if i == mostGapLines {
			fmt.Fprintf(w, "  and %d more: %s\n", len(lines)-i, more)
			break
		}
		fmt.Fprintf(w, "  %s\n", output.Clean(line))
	}
}

// Error returns what a run that did not succeed has to say, in three parts. Its
// code may be the connector's own word. step is the command that its verdict asks
// of the owner: what to do is said in one way.
func Error(r *run.Result, step string) *abi.Error {
	f := r.Error
	if f == nil {
		f = &run.Failure{Code: string(abi.CodeInternal), Message: "the run ended without success"}
	}
	hint := f.Hint
	if hint == "" && (step == "" || f.RecoveryHint == "manual_action_required") {
		hint = action(f, r.RunID)
	}
	return abi.NewError(abi.Code(output.Clean(f.Code)), f.Message, hint).
		WithDetail(fmt.Sprintf("%s of %s, reason %s", r.RunID, r.Connector, r.Reason))
}

// action words a recovery hint's action for an owner.
func action(f *run.Failure, runID string) string {
	switch f.RecoveryHint {
	case "refresh_credentials":
		return "renew the connector's credentials, then run it again"
	case "manual_action_required":
		return "do what the message asks for, then run it again"
	case "retry_on_connector_upgrade", "update_selector":
		return "a newer version of the connector may be needed"
	case "upstream_unblock":
		return "the service refuses for now; try again later"
	case "not_retriable":
		return "running it again will not help; ask the connector's author"
	default:
		if f.Retryable {
			return "run it again; what was collected is kept"
		}
		return "what was collected is kept; see what happened with: pdpp-host runs show " + runID
	}
}
