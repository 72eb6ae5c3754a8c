package boundary

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// withinResources enforces RT-05: if resources are given, a record whose key is not
// among them ends the run, and the error names stream and key.
func (g *Gate) withinResources(s *streamGate, e *envelope) error {
	if len(s.resources) == 0 || s.resources[string(g.record.Key)] { // RT-05.2: an empty set filters nothing
		return nil
	}
	if s.resourceField != "" && !e.delete {
		i := g.tape.Member(e.data, s.resourceField)
		if i >= 0 && (g.tape.Kind(i) == tape.String || g.tape.Kind(i) == tape.Number) {
			g.dataKey = appendValue(g.dataKey[:0], &g.tape, i)
			if s.resources[string(g.dataKey)] {
				return nil
			}
		}
	}
	return violation(abi.CodeKeyOutsideResource,
		"stream "+quote(s.name)+" has a record with key "+quote(string(g.record.Key))+", which is outside the run's resources", // RT-05.1
		"emit only keys of START.scope.streams[].resources")
}

// withinTimeRange checks that since <= consent time < until.
func (g *Gate) withinTimeRange(s *streamGate, data int) error {
	if s.timeField == "" {
		return nil
	}
	wrong := " is not an RFC 3339 time"
	i := g.tape.Member(data, s.timeField)
	switch {
	case i < 0:
		wrong = " is missing"
	case g.tape.Kind(i) == tape.String:
		g.dataKey = appendValue(g.dataKey[:0], &g.tape, i)
		at, ok := parseInstant(g.dataKey)
		if ok && !at.before(s.since) && at.before(s.until) {
			return nil
		}
		if ok {
			wrong = " is outside the run's time range"
		}
	}
	return violation(abi.CodeOutsideTimeRange, "a record of stream "+quote(s.name)+": "+quote(s.timeField)+wrong,
		"emit only records of START.scope.streams[].time_range")
}

// withinFields checks the data's names against the scope's fields.
func (g *Gate) withinFields(s *streamGate, data int) error {
	if len(s.fields) == 0 {
		return nil
	}
	t := &g.tape
	for k, end := data+1, t.Next(data); k < end; k = t.Next(k + 1) {
		g.dataKey = appendValue(g.dataKey[:0], t, k)
		if !s.fields[string(g.dataKey)] {
			return violation(abi.CodeFieldOutOfScope, "a record of stream "+quote(s.name)+" has a field that is not in the run's scope",
				"emit only START.scope.streams[].fields")
		}
	}
	return nil
}
