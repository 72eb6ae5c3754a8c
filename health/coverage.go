package health

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RunEvidence is the coverage evidence of the latest run that ended.
type RunEvidence struct {
	Status    Word       `json:"status"` // succeeded, failed, cancelled, abandoned
	KnownGaps []KnownGap `json:"known_gaps"`
	// Missed are the streams that an unsuccessful run failed to collect. nil: unknown.
	Missed []string `json:"missed,omitempty"`
}

// KnownGap is one thing that a run reported as not collected.
type KnownGap struct {
	Kind           Word   `json:"kind"`
	Stream         string `json:"stream"`
	Severity       Word   `json:"severity"` // informational recoverable transient actionable
	Reason         Word   `json:"reason"`
	RecoveryAction Word   `json:"recovery_action"`
	// About is a digest of the reason of a skip, with which the host's books say of which files it
	// tells. "": it tells of no file that they know.
	About string `json:"about,omitempty"`
	// Mark is a digest of everything that a run said of a gap that a later run is to fill,
	// so that the next run's is known again. "": it is not followed.
	Mark string `json:"mark,omitempty"`
	// Beside: records of the stream come in all the same, and what is missing of them is the
	// connector's fault.
	Beside bool `json:"beside,omitempty"`
	// Says is what a run said of a gap that its owner clears, with the first of what it names, in one line of
	// at most MostSays bytes, where few enough of its gaps have it: see stored.KeepGaps.
	Says string `json:"says,omitempty"`
	// Runs is how many runs in a row brought it back unchanged, up to CameBack.
	Runs int `json:"runs,omitempty"`
}

// CameBack is from how many runs in a row a gap that comes back unchanged needs its owner:
// what two runs did not fetch, nobody may promise of the third.
const CameBack = 2

// Stays reports whether so many runs brought the gap back that no run is known to fill it.
func (g *KnownGap) Stays() bool { return g.Runs >= CameBack }

// Remedy returns what mends the gap.
func (g *KnownGap) Remedy() abi.Remedy {
	if g.OwnerClears() {
		return abi.RemedyOwner
	}
	return abi.RemedyOf(abi.Reason(g.Reason), string(g.RecoveryAction))
}

// ManifestStream is a manifest's statement about one stream's coverage.
type ManifestStream struct {
	Name           string       `json:"name"`
	Required       *bool        `json:"required"`        // nil: true, unless the stream is declared as not collected
	CoveragePolicy CoverageAxis `json:"coverage_policy"` // collect, or an accepted label
}

// IsRequired is the one place that interprets an absent answer: a stream that the
// manifest declares as not collected is required only if the manifest also says so
// (RT-11).
func (m *ManifestStream) IsRequired() bool {
	if m.Required == nil {
		return !m.CoveragePolicy.Accepted()
	}
	return *m.Required
}

// weight is the effect of a known gap on coverage.
type weight int

const (
	weighsNothing weight = iota
	weighsBeside
	weighsRetryable
	weighsTerminal
)

// Weighs reports whether the gap makes its stream incomplete.
func (g *KnownGap) Weighs() bool { return g.weightOf() != weighsNothing }

// Fault reports whether the gap is the fault of the connector's code beside records that come in.
func (g *KnownGap) Fault() bool { return g.weightOf() == weighsBeside }

// weightOf derives the weight from a gap's severity and its recovery. A gap that the
// owner can clear is not terminal; a gap with unreadable fields is.
func (g *KnownGap) weightOf() weight {
	switch {
	case g.Severity == "informational", g.Severity == "recoverable":
		return weighsNothing
	case g.RecoveryAction == "retry_by_runtime", g.Severity == "transient", g.OwnerClears():
		return weighsRetryable
	case g.Beside:
		return weighsBeside
	}
	return weighsTerminal
}

// OwnerClears reports whether the owner can clear the gap.
func (g *KnownGap) OwnerClears() bool {
	if g.Stays() || g.RecoveryAction == "manual_action_required" || g.RecoveryAction == "refresh_credentials" {
		return true
	}
	code := "_" + string(Normalise(g.Reason)) + "_"
	return strings.Contains(code, "_otp_") || strings.Contains(code, "captcha") || strings.Contains(code, "manual_action")
}

// shadowed reports whether a skip's stream has a pending detail gap. The gap then
// replaces the skip, unless the skip asks for an action (HL-23.4).
func (g *KnownGap) shadowed(pending []PendingGap) bool {
	if g.Kind != "skip_result" || g.RecoveryAction != "" && g.RecoveryAction != "unknown" && g.RecoveryAction != "retry_by_runtime" {
		return false
	}
	return slices.ContainsFunc(pending, func(p PendingGap) bool { return p.Stream == g.Stream })
}

// RunCoverage derives the coverage of a connection from its latest run that ended
// (nil: none), its pending detail gaps and its manifest. Evidence about a stream that
// the manifest does not require is left out. Streams names the manifest's streams
// behind the axis, in the order of the evidence.
func RunCoverage(run *RunEvidence, pending []PendingGap, streams []ManifestStream) Coverage {
	if c, ok := declaredAbsent(streams, true); ok {
		c.RequiredButAccepted = true
		return c
	}
	terminal, retryable, beside := tally{manifest: streams}, tally{manifest: streams}, tally{manifest: streams}
	if run != nil {
		for i := range run.KnownGaps {
			g := &run.KnownGaps[i]
			switch w := g.weightOf(); {
			case w == weighsTerminal && !g.shadowed(pending):
				terminal.add(g.Stream)
			case w == weighsRetryable:
				retryable.add(g.Stream)
			case w == weighsBeside:
				beside.add(g.Stream)
			}
		}
	}
	for i := range pending {
		retryable.add(pending[i].Stream)
	}
	switch {
	case terminal.found:
		return Coverage{Axis: CoverageTerminalGap, Streams: terminal.streams}
	case retryable.found:
		return Coverage{Axis: CoverageRetryableGap, Streams: retryable.streams}
	case run == nil:
		return Coverage{Axis: CoverageUnknown}
	case run.Status != Word(RunSucceeded):
		missed := tally{manifest: streams}
		for _, stream := range run.Missed {
			missed.add(stream)
		}
		return Coverage{Axis: CoveragePartial, Streams: missed.streams}
	case beside.found:
		return Coverage{Axis: CoverageGaps, Streams: beside.streams}
	}
	if c, ok := declaredAbsent(streams, false); ok {
		return c
	}
	return Coverage{Axis: CoverageComplete}
}

// tally collects evidence of one weight. It names only streams of the manifest;
// evidence without such a stream counts for the connection.
type tally struct {
	manifest []ManifestStream
	found    bool
	streams  []string
}

func (t *tally) add(stream string) {
	i := slices.IndexFunc(t.manifest, func(m ManifestStream) bool { return m.Name == stream })
	if i >= 0 && !t.manifest[i].IsRequired() {
		return
	}
	t.found = true
	if i >= 0 && !slices.Contains(t.streams, stream) {
		t.streams = append(t.streams, stream)
	}
}

// declaredAbsent returns the label under which streams are declared as not collected,
// the first of acceptedLabels if there are several.
func declaredAbsent(streams []ManifestStream, required bool) (Coverage, bool) {
	for _, label := range acceptedLabels {
		c := Coverage{Axis: label}
		for i := range streams {
			if streams[i].IsRequired() == required && streams[i].CoveragePolicy == label {
				c.Streams = append(c.Streams, streams[i].Name)
			}
		}
		if c.Streams != nil {
			return c, true
		}
	}
	return Coverage{}, false
}

// Mark returns a digest of what a run said, by which the same is known again in the next one.
func Mark(said ...string) string {
	h := fnv.New64a()
	for _, s := range said {
		_, _ = fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
