package schema

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// Limits of one schema.
const (
	MaxBytes = 256 << 10
	MaxNodes = 8 << 10 // JSON values and names
	MaxDepth = 64
)

// largeValue is the number of nodes from which a certain no of the shape is not
// explained by the library, because its report of every single failure would cost
// hundreds of bytes each.
const largeValue = 64 << 10

// Schema is one compiled schema.
type Schema struct {
	library *jsonschema.Schema
	shape   *shape // nil: only the library validates
	run     runner
	meter   *meter
	names   map[string]bool // every member name that the schema declares
	nodes   int
}

// Problem is the reason for refusing a schema: a JSON pointer into it, and the rule.
type Problem struct {
	Path string
	Rule string
}

// Error returns the path and the rule.
func (p *Problem) Error() string { return p.Path + ": " + p.Rule }

// ErrTooCostly reports that validating a value exceeded its budget of work.
var ErrTooCostly = errors.New("the schema takes too much work to validate")

// Compile reads a schema. If strict is set it also checks the keywords without effect
// on validation (title, examples, ...) against the metaschema. An error is a *Problem.
func Compile(raw []byte, strict bool) (*Schema, error) {
	doc, nodes, err := document(raw)
	if err != nil {
		return nil, err
	}
	if strict {
		if _, err := newLibrary().compile(doc); err != nil {
			return nil, err
		}
	}
	lib := newLibrary()
	lib.collect = true
	root, err := lib.compile(doc)
	if err != nil {
		return nil, err
	}
	if err := lib.bounded(); err != nil {
		return nil, err
	}
	s := &Schema{library: root, nodes: nodes, names: lib.declared(), meter: &meter{}}
	s.shape = compileShape(root)
	s.meter.install(lib)
	return s, nil
}

// document parses the text of a schema within the limits.
func document(raw []byte) (doc any, nodes int, err error) {
	if len(raw) == 0 {
		return nil, 0, &Problem{"", "is missing"}
	}
	if len(raw) > MaxBytes {
		return nil, 0, &Problem{"", fmt.Sprintf("is larger than %d KiB", MaxBytes>>10)}
	}
	t := tape.Tape{Depth: MaxDepth}
	if err := t.Scan(raw); err != nil {
		return nil, 0, &Problem{"", err.Error()}
	}
	if t.Nodes() > MaxNodes {
		return nil, 0, &Problem{"", fmt.Sprintf("holds more than %d values", MaxNodes)}
	}
	if t.Vast() {
		return nil, 0, &Problem{"", "holds a number out of range"}
	}
	return value(&t, tape.Root), t.Nodes(), nil
}

// Nodes returns the number of JSON values and names in the schema's text.
func (s *Schema) Nodes() int { return s.nodes }

// Fast reports whether the schema has a shape, so that a valid value is accepted
// without the library.
func (s *Schema) Fast() bool { return s.shape != nil }

// Failure describes the place and the reason of a value's failure. Path is a JSON
// pointer from the value; a name that the schema does not declare appears as "*",
// since it is data. For the keyword required, Path names the missing member, and for
// additionalProperties the excess one; a member of the value itself appears by name if
// the name looks like a field's. Keyword is the schema keyword.
type Failure struct {
	Path    string
	Keyword string
	// Types gives the found JSON type and the allowed ones for the keyword type; "" if
	// unknown. It never holds a value.
	Types string
}

// Check validates value i of t. It returns nil, nil for a valid value, and
// ErrTooCostly or a fault of the library if there is no answer.
func (s *Schema) Check(t *tape.Tape, i int) (*Failure, error) {
	if s.shape != nil && !t.Vast() {
		switch s.run.start(t, s.shape, i) {
		case yes:
			return nil, nil
		case no:
			if t.Nodes() > largeValue {
				return &Failure{Path: s.pointerTo(t, i, s.run.failed, s.run.missing), Keyword: s.run.keyword}, nil
			}
		}
	}
	return s.slow(t, i)
}

// Required returns the names that the schema's root requires.
func (s *Schema) Required() []string { return s.library.Required }
