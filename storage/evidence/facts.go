package evidence

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// How one fact changes a document. The same functions bring a document up to
// date and make one again, so that both are the same (Invariant 7).

func storedRun(row *tables.RunRow) *stored.Run {
	r := &stored.Run{
		ID: row.RunID, Status: health.Word(row.Status), StartedUS: row.StartedUS, EndedUS: row.FinishedUS, Device: tables.DeviceOf(row.Holder),
		Refused: row.Refused(),
	}
	failure := tables.FailureOf(row)
	r.Submitted = failure.Submitted && row.Status != tables.StatusCancelled
	if row.Status == tables.StatusRunning || row.Status == tables.StatusSucceeded {
		return r
	}
	r.Reason = stored.RunReason(abi.Reason(row.Reason), failure.Code, failure.RecoveryHint)
	r.OwnerActs = ownerActs(row, &failure)
	r.Renewed = failure.Cause == abi.CauseRenewedRefused
	if row.Status != tables.StatusCancelled {
		r.Cause = stored.RunCause(abi.Reason(row.Reason), abi.Code(failure.Code), failure.Cause, failure.Place)
	}
	if r.Missed = Certified(row); r.Missed == nil && json.Unmarshal([]byte(row.Streams), &r.Missed) != nil || len(r.Missed) == 0 {
		r.Missed = nil
	}
	return r
}

// ownerActs reports whether a run failed over something that only its owner can put right, by the
// connector's word. A code of the host's, which has a dot, has an action of its own, but for an address that
// the host does not ask; so have a credential and a browser.
func ownerActs(row *tables.RunRow, failure *tables.RunError) bool {
	return row.Status == tables.StatusFailed && row.Reason == string(abi.ReasonConnectorReportedFailed) &&
		failure.RecoveryHint == "manual_action_required" && !failure.Submitted &&
		(!strings.Contains(failure.Code, ".") || strings.HasPrefix(failure.Code, "egress.")) &&
		!health.CredentialShaped(health.Normalise(health.Word(failure.Code))) && !strings.Contains(failure.Code, "browser")
}

// Certified returns the streams of which a failed run said that it failed to
// collect them, and no others; nil when it said no such thing.
func Certified(row *tables.RunRow) (streams []string) {
	if row.Status != tables.StatusFailed || tables.FailureOf(row).Code != string(abi.ReasonStreamCollectionFailed) {
		return nil
	}
	gaps, _ := KnownGaps(row)
	for _, g := range gaps {
		if g.Kind == "truncated" {
			return nil // there may be more of them
		}
		if g.Kind == skipResult && g.Stream != "" && g.Reason == health.Word(abi.ReasonStreamCollectionFailed) {
			streams = append(streams, g.Stream)
		}
	}
	return streams
}

// Settles reports whether a run that ended says how the connection is. A cancelled run does
// not: the run before it does.
func Settles(row *tables.RunRow) bool {
	return row.Status != tables.StatusRunning && row.Status != tables.StatusCancelled
}

// BeginRun keeps a run that has not ended. It ends whatever held the connection.
func BeginRun(f *stored.Facts, row *tables.RunRow) {
	f.Latest, f.Hold, f.Asking, f.AskingUntilUS, f.Surface = storedRun(row), nil, "", 0, nil
}

// EndRun keeps the end of a run.
func EndRun(f *stored.Facts, row *tables.RunRow) {
	run := storedRun(row)
	f.Latest, f.Asking, f.AskingUntilUS, f.Surface = run, "", 0, nil
	if !Settles(row) {
		return
	}
	if f.Settled != nil && f.Settled.Device != run.Device {
		// Another device's collection and gaps say nothing about this one's.
		f.CollectedUS, f.ButFilesUS, f.Failed, f.KnownGaps, f.Asked, f.Rejected, f.Fault, f.Repeat = nil, nil, nil, nil, nil, nil, nil, nil
	}
	f.Settled = run
	f.Fault = f.Fault.After(run.Status, abi.Reason(row.Reason), tables.FailureOf(row).Code, row.ModuleSHA256)
	f.Repeat = f.Repeat.After(run.Status, abi.Reason(row.Reason), failureMark(row))
	if r := run.Rejection(); r != nil {
		f.Rejected = r // a run that was killed says nothing of it, and neither does another failure
	}
	asked := WholeStreams(row)
	if !rememberGaps(f, row, asked) {
		for _, stream := range asked { // what it is like now, nobody knows
			delete(f.CollectedUS, stream)
			delete(f.ButFilesUS, stream)
		}
	}
	failed := Certified(row)
	named := failed != nil
	if row.Status == tables.StatusFailed {
		left := asked
		if named {
			left = slices.DeleteFunc(slices.Clone(asked), func(s string) bool { return !slices.Contains(failed, s) })
		}
		f.Failed = union(f.Failed, left)
	}
	if row.Status == tables.StatusSucceeded {
		f.Succeeded, f.Rejected = run, nil
	}
	if row.Status == tables.StatusSucceeded || named {
		collected := slices.DeleteFunc(CollectedBy(row, asked), func(s string) bool { return slices.Contains(failed, s) })
		for _, stream := range collected {
			if f.CollectedUS == nil {
				f.CollectedUS = map[string]int64{}
			}
			f.CollectedUS[stream] = row.FinishedUS
			f.Rejected = nil // it got in
		}
		for _, stream := range collectedBy(row, asked, true) {
			if slices.Contains(collected, stream) || slices.Contains(failed, stream) {
				delete(f.ButFilesUS, stream)
				continue
			}
			if f.ButFilesUS == nil {
				f.ButFilesUS = map[string]int64{}
			}
			f.ButFilesUS[stream] = row.FinishedUS
		}
		f.Failed = slices.DeleteFunc(f.Failed, func(s string) bool { return slices.Contains(collected, s) })
	}
	if len(f.Failed) == 0 {
		f.Failed = nil
	}
}

// WholeStreams returns the streams that a run was to collect completely. A
// narrowed run looks at a part of each, and a back-fill at what is old. nil also
// when they cannot be read.
func WholeStreams(row *tables.RunRow) []string {
	var streams []string
	if row.Narrowed || row.Bookmark == tables.BookmarkBackfill || json.Unmarshal([]byte(row.Streams), &streams) != nil {
		return nil
	}
	return streams
}

// rememberGaps keeps what the run says is missing, and what is known to be
// missing of what it did not look at (Invariant 8). A run that was killed said
// nothing, and neither did one that was refused, or whose gaps cannot be read.
func rememberGaps(f *stored.Facts, row *tables.RunRow, asked []string) (readable bool) {
	said, ok := KnownGaps(row)
	f.Unreadable = without(f.Unreadable, UnreadableKnownGaps)
	if !ok {
		f.Unreadable = append(f.Unreadable, UnreadableKnownGaps)
	}
	answered := func(stream string) bool {
		switch {
		case row.Status == tables.StatusAbandoned, row.Refused(), !ok:
			return false
		case stream != "":
			return slices.Contains(asked, stream)
		}
		// No run is asked again for a stream that the new module no longer collects.
		return !slices.ContainsFunc(f.Asked, func(s string) bool { return !slices.Contains(asked, s) && f.Collectable(s) })
	}
	for i := range said {
		said[i].Runs = runsWith(f.KnownGaps, &said[i])
	}
	before := slices.DeleteFunc(f.KnownGaps, func(g health.KnownGap) bool { return answered(g.Stream) })
	if !slices.ContainsFunc(before, ofNoStream) {
		f.Asked = nil
	}
	if tables.DeviceOf(row.Holder) == "" {
		// The store follows these itself. Of a device's it knows what its runs say.
		said = slices.DeleteFunc(said, func(g health.KnownGap) bool {
			return g.Kind == "rejected_record" || g.Kind == "rejected_earlier" || g.Kind == "unexplained_input"
		})
	}
	said = stored.KeepGaps(said)
	if slices.ContainsFunc(said, ofNoStream) {
		f.Asked = union(f.Asked, asked)
	}
	f.KnownGaps = stored.KeepGaps(append(said, before...))
	return ok
}

// runsWith returns how many runs in a row brought a gap back, with the one that says it now.
func runsWith(before []health.KnownGap, g *health.KnownGap) int {
	if g.Mark == "" {
		return 0
	}
	for i := range before {
		if before[i].Mark == g.Mark {
			return min(before[i].Runs+1, health.CameBack)
		}
	}
	return 1
}

// failureMark returns a digest of how a run failed. A text may name what differs from run to
// run, such as a request's number, so that it counts only behind a code that says nothing.
func failureMark(row *tables.RunRow) string {
	failure := tables.FailureOf(row)
	switch failure.Code {
	case "", "connector.failed", "connector_failed", string(abi.ReasonStreamCollectionFailed):
		return health.SaidMark(failure.Message, row.Reason, failure.Code)
	}
	return health.Mark(row.Reason, failure.Code)
}

func ofNoStream(g health.KnownGap) bool { return g.Stream == "" }

// union returns the words of both, sorted, each once; nil for none.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// CollectedBy returns the streams that a run which succeeded collected: those it was asked
// for, but for what it said it skipped and what its cursor was held back of. A stream skipped
// for information alone was not there to be collected. A skip that asks for nobody weighs
// nothing on the coverage and proves nothing of it: it may have been all there was (Invariant
// 8). So does one without the evidence that its coverage_strategy names. A stream whose outcome
// cannot be read was not collected.
func CollectedBy(row *tables.RunRow, asked []string) []string { return collectedBy(row, asked, false) }

// collectedBy is CollectedBy; if but is set, a skip that an owner can settle withholds no stream.
func collectedBy(row *tables.RunRow, asked []string, but bool) []string {
	gaps, ok := KnownGaps(row)
	if !ok {
		return nil
	}
	var withheld []tables.Withheld
	if row.Withheld != "" && json.Unmarshal([]byte(row.Withheld), &withheld) != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(asked), func(stream string) bool {
		return slices.ContainsFunc(withheld, func(w tables.Withheld) bool { return w.Stream == stream }) ||
			slices.ContainsFunc(gaps, func(g health.KnownGap) bool {
				return g.Stream == stream && (g.Kind == skipResult && g.Severity != "informational" && !(but && g.Weighs() && g.About != "") || g.Kind == CoverageNotShown)
			})
	})
}

// skipResult is health's name of what a run's outcome has as a skip.
const skipResult = "skip_result"

// CoverageNotShown is the kind of the gap of a stream whose records came without the evidence that
// its coverage_strategy names.
const CoverageNotShown = "coverage_not_shown"

// KnownGaps reads what a run said it did not collect.
func KnownGaps(row *tables.RunRow) ([]health.KnownGap, bool) {
	if row.KnownGaps == "" {
		return nil, true
	}
	var list []struct {
		Kind         string  `json:"kind"`
		Stream       string  `json:"stream"`
		Severity     string  `json:"severity"`
		Reason       string  `json:"reason"`
		RecoveryHint string  `json:"recovery_hint"`
		Message      string  `json:"message"`
		Count        int64   `json:"count"`
		Diagnostics  abi.Raw `json:"diagnostics"`
	}
	if json.Unmarshal([]byte(row.KnownGaps), &list) != nil {
		return nil, false
	}
	out := make([]health.KnownGap, len(list))
	for i, g := range list {
		out[i] = health.KnownGap{
			Kind: health.Word(g.Kind), Stream: g.Stream, Severity: health.Word(g.Severity), Reason: health.Word(g.Reason),
			RecoveryAction: health.Word(g.RecoveryHint),
		}
		if g.Kind == "skip" {
			out[i].Kind, out[i].About = skipResult, health.Mark(g.Reason)
		}
		if out[i].Weighs() && out[i].OwnerClears() {
			names, total := tables.NamedIn(g.Diagnostics)
			out[i].Says = health.LeftWords(g.Message, names, total)
		}
		if out[i].Weighs() && out[i].Remedy() == abi.RemedyTime && !abi.Reason(g.Reason).GoesOn() {
			out[i].Mark = health.SaidMark(g.Message, g.Kind, g.Stream, g.Reason, strconv.FormatInt(g.Count, 10), string(g.Diagnostics))
		}
	}
	return out, true
}

// countGap adds n to the counters that a gap belongs to.
func countGap(f *stored.Facts, g *tables.GapRow, n int64) {
	pressure := abi.Reason(g.Reason).IsSourcePressure()
	if g.Status == tables.GapRecovered {
		if pressure {
			f.Gaps.Recovered += n
		}
		if f.Settled != nil && f.Drained != nil && g.RecoveredRunID == f.Settled.ID {
			*f.Drained += n
		}
	}
	if !g.Open() && !g.Gone() {
		return
	}
	i, found := slices.BinarySearchFunc(f.Gaps.Streams, g.Stream, func(s stored.StreamGaps, name string) int {
		return strings.Compare(s.Stream, name)
	})
	if !found {
		f.Gaps.Streams = slices.Insert(f.Gaps.Streams, i, stored.StreamGaps{Stream: g.Stream})
	}
	s := &f.Gaps.Streams[i]
	switch {
	case g.Gone():
		s.Gone += n
	case pressure:
		s.Pressure += n
	default:
		s.Other += n
	}
	if abi.Reason(g.Class) == abi.ReasonKeepsFailing {
		s.Failing += n
	}
	if s.Pressure == 0 && s.Other == 0 && s.Gone == 0 {
		f.Gaps.Streams = slices.Delete(f.Gaps.Streams, i, i+1)
	}
	if len(f.Gaps.Streams) == 0 {
		f.Gaps.Streams = nil
	}
}

func without(words []health.Word, gone health.Word) []health.Word {
	var out []health.Word
	for _, w := range words {
		if w != gone {
			out = append(out, w)
		}
	}
	return out
}
