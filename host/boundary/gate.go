package boundary

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/schema"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// Gate checks every message of one run's guest. It is not safe for concurrent use.
// Once a method has returned an error the run is over; the Gate remains usable but its
// answers are meaningless.
type Gate struct {
	manifest *abi.Manifest
	streams  []streamGate // by index in the scope
	roots    []string     // names of the granted folders
	record   Record
	tape     tape.Tape // the tape of records
	data     int       // where the data of record is on it; -1: there is none
	keyText  []byte
	movedKey []byte
	dataKey  []byte
	emitted  []byte
	scratch  []byte
}

// streamGate holds the rules for one stream's records.
type streamGate struct {
	name          string
	schema        *schema.Schema
	primaryKey    []string
	appendOnly    bool
	resources     map[string]bool // canonical key texts; empty: no filter
	resourceField string          // the opt-in of RT-05's extension; "": strict
	timeField     string          // "": no time range
	since, until  instant
	fields        map[string]bool // empty: every field
}

// Grant names the folders that the guest was granted: it can speak of files in no other.
func (g *Gate) Grant(roots ...string) { g.roots = roots }

// New returns the Gate of one run. The manifest has passed manifest.Parse. A schema
// that does not compile is an *abi.Error manifest.invalid; a scope that does not fit
// the manifest is stream.unknown or usage.invalid.
func New(m *abi.Manifest, scope abi.Scope) (*Gate, error) {
	g := &Gate{manifest: m, tape: tape.Tape{Depth: abi.MaxNesting}}
	for _, sc := range scope.Streams {
		decl := m.Stream(sc.Name)
		if decl == nil {
			return nil, abi.NewError(abi.CodeStreamUnknown, "the connector has no stream "+quote(sc.Name),
				"name streams of the manifest")
		}
		s, err := newStreamGate(decl, sc)
		if err != nil {
			return nil, err
		}
		g.streams = append(g.streams, s)
	}
	return g, nil
}

func newStreamGate(decl *abi.Stream, sc abi.StreamScope) (streamGate, error) {
	compiled, err := schema.Compile(decl.Schema, false)
	if err != nil {
		return streamGate{}, invalidSchemas([]string{"streams." + decl.Name + ".schema" + err.Error()})
	}
	s := streamGate{
		name:       decl.Name,
		schema:     compiled,
		primaryKey: decl.PrimaryKey,
		appendOnly: decl.AppendOnly(),
	}
	if len(sc.Resources) > 0 {
		s.resources = map[string]bool{}
		for _, r := range sc.Resources {
			s.resources[canonicalResource(r, len(decl.PrimaryKey) > 1)] = true
		}
		if decl.Selection.ResourceFieldScope {
			s.resourceField = decl.Selection.ResourceField
		}
	}
	if err := s.setTimeRange(decl, sc.TimeRange); err != nil {
		return streamGate{}, err
	}
	if len(sc.Fields) > 0 {
		s.fields = map[string]bool{}
		for _, list := range [][]string{sc.Fields, decl.PrimaryKey, compiled.Required()} {
			for _, name := range list {
				s.fields[name] = true
			}
		}
		if s.timeField != "" {
			s.fields[s.timeField] = true
		}
	}
	return s, nil
}

func (s *streamGate) setTimeRange(decl *abi.Stream, r *abi.TimeRange) error {
	if r == nil || r.Since == "" && r.Until == "" {
		return nil
	}
	if decl.ConsentTimeField == "" {
		return abi.NewError(abi.CodeUsage, "stream "+decl.Name+" has no consent_time_field, so a time range cannot be applied",
			"leave the time range out for this stream")
	}
	s.timeField = decl.ConsentTimeField
	s.since, s.until = earliest, latest
	for _, side := range []struct {
		text string
		at   *instant
	}{{r.Since, &s.since}, {r.Until, &s.until}} {
		if side.text == "" {
			continue
		}
		at, ok := parseInstant([]byte(side.text))
		if !ok {
			return abi.NewError(abi.CodeUsage, "the time range of stream "+decl.Name+" is not RFC 3339",
				"write times like 2026-01-31T00:00:00Z")
		}
		*side.at = at
	}
	return nil
}
