package schema

import (
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The budget of one validation, in units of about a tenth of a microsecond: a base,
// plus an amount for each byte, so that a record's cost is bounded by its size
// whatever its schema is.
const (
	budgetBase = 256 << 10
	budgetByte = 8
)

// meter charges the budget. References and combinators can make the library's work
// exponential in the size of a schema, and the library accepts no context. But it
// checks a schema's format before it descends. A format of ours on every schema
// therefore sees every step, and can end the validation with a panic that this package
// recovers.
type meter struct {
	left int
}

// spent is the meter's panic value.
type spent struct{}

func (m *meter) spend(n int) {
	if m.left -= n; m.left < 0 {
		panic(spent{})
	}
}

// install puts the meter on every schema of l.
func (m *meter) install(l *library) {
	chain := 0
	for _, s := range l.schemas {
		if len(inPlaceOf(s)) > 0 {
			chain++
		}
	}
	for _, s := range l.schemas {
		c := newCharge(s, chain)
		format := s.Format
		if format == nil {
			format = &jsonschema.Format{Name: unformatted, Validate: func(any) error { return nil }}
		}
		s.Format = &jsonschema.Format{Name: format.Name, Validate: func(v any) error {
			m.spend(c.costOf(v))
			return format.Validate(v)
		}}
	}
}

// unformatted names the format of schemas that have none.
const unformatted = ""

// charge is the maximum cost of one visit of a schema, without the visits that it
// leads to.
type charge struct {
	visit   int // each time
	member  int // for each member or element
	pattern int // for each 8 bytes of a string, or of a member's name
	names   int // the same for every member's name
	unique  bool
}

// enter returns the work of the library on a schema before it checks the format.
func enter(s *jsonschema.Schema) int {
	if s == nil {
		return 0
	}
	n := 1
	if s.Const != nil {
		n += size(*s.Const)
	}
	if s.Enum != nil {
		for _, v := range s.Enum.Values {
			n += size(v)
		}
	}
	return n
}

func newCharge(s *jsonschema.Schema, chain int) charge {
	c := charge{visit: 1 + chain/8 + len(s.Required)/4 + enter(s), unique: s.UniqueItems}
	for _, sub := range inPlaceOf(s) {
		c.visit += enter(sub)
	}
	if s.DynamicRef != nil {
		c.visit += chain * MaxDepth / 8 // the library searches the scope to the root
	}
	for _, required := range s.DependentRequired {
		c.visit += 1 + len(required)/4
	}
	most := 0
	for _, sub := range s.Properties {
		most = max(most, enter(sub))
	}
	c.member = 1 + most + enter(s.PropertyNames) + enter(s.UnevaluatedProperties) +
		enter(s.Items2020) + enter(s.Contains) + enter(s.UnevaluatedItems)
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		c.member += enter(sub)
	}
	for _, sub := range s.PrefixItems {
		c.visit += enter(sub)
	}
	for re, sub := range s.PatternProperties {
		c.member += enter(sub)
		c.names += programSize(re)
	}
	if s.Pattern != nil {
		c.pattern = programSize(s.Pattern)
	}
	return c
}

func programSize(re jsonschema.Regexp) int {
	if p, ok := re.(*program); ok {
		return p.size
	}
	return maxProgram
}

func (c *charge) costOf(v any) int {
	switch v := v.(type) {
	case string:
		return c.visit + (1+len(v)/8)*(1+c.pattern)
	case json.Number:
		return c.visit + len(v)/8
	case []any:
		n := c.visit + len(v)*c.member
		switch {
		case !c.unique || len(v) < 2:
		case len(v) <= 20: // the library compares each with each
			n += 20 * size(v)
		default: // the library hashes them
			n += 4 * size(v)
		}
		return n
	case map[string]any:
		n := c.visit + len(v)*c.member
		if c.names > 0 {
			for name := range v {
				n += (1 + len(name)/8) * c.names
			}
		}
		return n
	default:
		return c.visit
	}
}
