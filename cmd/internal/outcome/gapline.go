package outcome

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Gaps counts everything of the run's streams that is known to be missing, without what its scope
// leaves out.
func Gaps(r *run.Result) int64 {
	n := Known(r.KnownGaps)
	for _, g := range openGaps(r) {
		n += g.Count
	}
	if r.OpenGaps == nil {
		n += unlisted(r)
	}
	return n
}

// unlisted counts the details that the run found missing and its result does not list.
func unlisted(r *run.Result) int64 { return max(r.GapsFound-int64(len(r.Gaps)), 0) }

// openGaps are the details that wait at the end of the run, by stream and reason.
// A result of before they were counted has those of its own run alone.
func openGaps(r *run.Result) []run.OpenGaps {
	if r.OpenGaps != nil {
		return r.OpenGaps
	}
	var open []run.OpenGaps
	for _, g := range r.Gaps {
		at := slices.IndexFunc(open, func(o run.OpenGaps) bool { return o.Stream == g.Stream && o.Reason == g.Reason && o.Class == g.Class })
		if at < 0 {
			at, open = len(open), append(open, run.OpenGaps{Stream: g.Stream, Reason: g.Reason, Class: g.Class})
		}
		open[at].Count++
	}
	return open
}

// Known counts known gaps.
func Known(list []run.KnownGap) int64 {
	var n int64
	for _, g := range list {
		if g.Kind != run.KindScope {
			n += max(g.Count, 1)
		}
	}
	return n
}

// LeftOut counts what the time range of the run's scope left out.
func LeftOut(r *run.Result) int64 {
	var n int64
	for _, g := range r.KnownGaps {
		if g.Kind == run.KindScope {
			n += g.Count
		}
	}
	return n
}

// Rejected counts the records that were left out.
func Rejected(r *run.Result) int64 {
	var n int64
	for _, c := range r.Records {
		n += c.Rejected
	}
	return n
}

// GapLine says in one line, not cleaned, what was not collected and why.
func GapLine(g run.KnownGap) string {
	line := g.Reason
	if g.Stream != "" {
		line = g.Stream + ": " + line
	}
	if g.Count > 1 && g.Kind != run.KindUnexplained && g.Kind != run.KindScope { // whose words have the count
		line += " (" + output.Count(g.Count) + " times)"
	}
	message := strings.TrimSpace(g.Message)
	if g.Kind == run.KindRejected && strings.HasPrefix(message, "fails ") {
		message = "the record " + message // the whole record: its path is empty
	}
	if message != "" {
		line += ", " + message
	}
	return line
}

// LongestName is how much of a file's name is shown, in runes: a rollout of Codex has 95.
const LongestName = 120

// GapNames lists what a gap's diagnostics name, no more than most, not
// cleaned: "a.ics, b.ics and 3 more". It returns "" when they name nothing.
// Diagnostics are a guest's: what has another shape is passed over.
func GapNames(g run.KnownGap, most int) string {
	all, total := g.Named()
	if len(all) == 0 {
		return ""
	}
	shown := all[:min(len(all), most)]
	for i := range shown {
		shown[i] = output.CutName(shown[i], LongestName)
	}
	text := strings.Join(shown, ", ")
	if rest := total - int64(len(shown)); rest > 0 {
		text += " and " + output.Count(rest) + " more"
	}
	return text
}

// mostLogLines is how much of a guest's own words stands below an error.
const mostLogLines = 5

// LogEnd returns the lines of a guest's standard error that say most: from
// where it panics, without the trace of its stack, else the last ones. They are
// cleaned and cut.
func LogEnd(log string) []string {
	var all []string
	panicked := -1
	for line := range strings.Lines(log) {
		line = output.Clean(strings.TrimRight(line, "\r\n"))
		if strings.TrimSpace(line) == "" {
			continue
		}
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			panicked = len(all)
		}
		if panicked >= 0 && strings.HasPrefix(line, "goroutine ") {
			break
		}
		all = append(all, output.Cut(line, 200))
	}
	if panicked >= 0 {
		all = all[panicked:]
		return all[:min(len(all), mostLogLines)]
	}
	return all[max(len(all)-mostLogLines, 0):]
}
