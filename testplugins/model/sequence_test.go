package model

import (
	"fmt"
	"slices"
	"strings"
)

// The streams: riders ride the cursor of notes.
const (
	notes  = "notes"
	riders = "riders"
)

// keys are those of both streams. The last one is a part of the detail "a".
var keys = []string{"a", "b", "c", "d", "e", "f", "g", "a:1"}

// call is one thing that a guest does.
type call struct {
	do     string
	stream string
	part   string   // of open, met, whole, missing
	keys   []string // of met; else one
	n      int      // the content of a record; the number of a cursor
	by     string   // of open: the run that began the list, see label, or "" if this run begins it
}

func (c *call) key() string { return c.keys[0] }

func (c *call) String() string {
	parts := []string{c.do}
	if c.stream != "" {
		parts = append(parts, c.stream)
	}
	switch c.do {
	case doOpen, doMet, doWhole, doMissing:
		parts = append(parts, fmt.Sprintf("part %q", c.part))
	}
	if len(c.keys) > 0 {
		parts = append(parts, strings.Join(c.keys, ","))
	}
	if c.n != 0 {
		parts = append(parts, fmt.Sprint(c.n))
	}
	if c.by != "" {
		parts = append(parts, "begun by "+c.by)
	}
	return strings.Join(parts, " ")
}

// The calls of a guest, and what stands for one of several.
const (
	doEmit      = "emit"
	doDelete    = "delete"   // a tombstone
	doReject    = "reject"   // a record that fails its schema
	doKeptBack  = "keptback" // a SKIP_RESULT of the SDK's, for a record that it did not send
	doGap       = "gap"
	doOddGap    = "oddgap"  // whose key no record can have
	doBacklog   = "backlog" // a gap for many records
	doAttempted = "attempted"
	doRecovered = "recovered"
	doOpen      = "open"
	doMet       = "met"
	doOddMet    = "oddmet" // a key that no record can have
	doWhole     = "whole"
	doMissing   = "missing"
	doState     = "state"
	doHalf      = "half"  // a slice that is not complete
	doSlice     = "slice" // a slice that is
	doFail      = "fail"  // the stream could not be collected
	doStop      = "stop"  // the owner interrupts
)

// How a run ends.
const (
	endSucceeded = "succeeded"
	endFailed    = "failed"
	endCertified = "failed, and says of which streams" // the error code stream_collection_failed
	endCancelled = "cancelled"
	endTrap      = "trap"
	endKilled    = "the host is killed"
)

// plan is one run.
type plan struct {
	label    string // as open's by names it
	days     int    // since the run before
	full     bool
	force    bool     // gaps that are not due are served as well
	accepts  bool     // the owner accepts deletions
	since    bool     // the scope has a time_range
	boundary bool     // as that of every run of the connection, so that cursors commit
	resource string   // the only key of notes that the scope has; "": any
	streams  []string // none: all
	calls    []call
	end      string
}

// narrows reports whether the scope leaves out records of a stream.
func (p *plan) narrows(name string) bool { return p.since || p.resource != "" && name == notes }

// inScope reports whether a stream is in scope.
func (p *plan) inScope(name string) bool {
	if p.resource != "" {
		return name == notes
	}
	return len(p.streams) == 0 || slices.Contains(p.streams, name)
}

func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s", p.label)
	for _, option := range []struct {
		is   bool
		word string
	}{
		{p.days > 0, fmt.Sprintf("%d days later", p.days)}, {p.full, "full refresh"}, {p.force, "forced"}, {p.accepts, "deletions accepted"},
		{p.since, "since"}, {p.boundary, "as all runs"}, {p.resource != "", "resource " + p.resource}, {len(p.streams) > 0, "only " + strings.Join(p.streams, ",")},
	} {
		if option.is {
			b.WriteString(", " + option.word)
		}
	}
	for i := range p.calls {
		b.WriteString("\n    " + p.calls[i].String())
	}
	return b.String() + "\n    end: " + p.end
}

// sequence is what one connection goes through.
type sequence struct {
	seed uint64
	runs []plan
}

func (s *sequence) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d", s.seed)
	for i := range s.runs {
		b.WriteString("\n  " + s.runs[i].String())
	}
	return b.String()
}

// shorter lists the sequences without one run, or without one call.
func (s *sequence) shorter() (all []*sequence) {
	for i := range s.runs {
		if len(s.runs) > 1 {
			all = append(all, &sequence{seed: s.seed, runs: slices.Delete(slices.Clone(s.runs), i, i+1)})
		}
	}
	for i := range s.runs {
		for j := range s.runs[i].calls {
			next := &sequence{seed: s.seed, runs: slices.Clone(s.runs)}
			next.runs[i].calls = slices.Delete(slices.Clone(s.runs[i].calls), j, j+1)
			all = append(all, next)
		}
	}
	return all
}

func (s *sequence) size() (n int) {
	for i := range s.runs {
		n += len(s.runs[i].calls)
	}
	return n
}
