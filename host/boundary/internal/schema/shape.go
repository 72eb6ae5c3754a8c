package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// shape is the compiled form of a schema that uses only common keywords. It is built
// from the library's reading of the schema, never from its text, so the two cannot
// read it differently.
type shape struct {
	never  bool // the schema false
	types  types
	ref    *shape
	allOf  []*shape
	anyOf  []*shape
	values [][]literal // enum, and const as an enum of one: each must match
	words  []string    // the keyword of each of values
	format format

	members    []member
	index      map[string]int32 // name -> members
	guess      []int32          // the member last seen at each position, or -1
	required   int
	minMembers int
	maxMembers int
	closed     bool   // additionalProperties: false
	additional *shape // additionalProperties as a schema

	prefix   []*shape
	items    *shape
	minItems int
	maxItems int

	minRunes int
	maxRunes int

	bounds []bound
}

// member is a name in the schema: declared by properties, required, or both.
type member struct {
	name     string
	declared bool
	shape    *shape // nil: anything
	required bool
}

const unbounded = int(^uint(0) >> 1)

// types is a set of kinds, and of integers among the numbers.
type types uint16

const integer types = 1 << 15

func (ts types) has(k tape.Kind) bool { return ts&(1<<k) != 0 }

var typeBits = map[string]types{
	"null": 1 << tape.Null, "boolean": 1<<tape.False | 1<<tape.True, "number": 1 << tape.Number,
	"integer": integer, "string": 1 << tape.String, "array": 1 << tape.Array, "object": 1 << tape.Object,
}

// compileShape returns the shape of s, or nil if s uses any other keyword.
func compileShape(s *jsonschema.Schema) *shape {
	c := shaper{done: map[*jsonschema.Schema]*shape{}}
	sh := c.shape(s)
	if c.refused || circular(c.done) {
		return nil
	}
	return sh
}

type shaper struct {
	done    map[*jsonschema.Schema]*shape
	refused bool
}

// common reports whether the shape covers every keyword of s. A test compares this
// list with the fields of jsonschema.Schema.
func common(s *jsonschema.Schema) bool {
	return s.RecursiveRef == nil && s.DynamicRef == nil &&
		s.Not == nil && s.OneOf == nil && s.If == nil &&
		s.PropertyNames == nil && s.PatternProperties == nil && s.Dependencies == nil &&
		s.DependentRequired == nil && s.DependentSchemas == nil && s.UnevaluatedProperties == nil &&
		!s.UniqueItems && s.Contains == nil && s.Items == nil && s.AdditionalItems == nil &&
		s.UnevaluatedItems == nil && s.Pattern == nil && s.ContentEncoding == nil &&
		s.ContentMediaType == nil && s.ContentSchema == nil && s.MultipleOf == nil
}

func (c *shaper) shape(s *jsonschema.Schema) *shape {
	if s == nil || c.refused {
		return nil
	}
	if sh, ok := c.done[s]; ok {
		return sh
	}
	sh := &shape{maxMembers: unbounded, maxItems: unbounded, maxRunes: unbounded}
	c.done[s] = sh
	if s.Bool != nil {
		sh.never = !*s.Bool
		return sh
	}
	if !common(s) {
		c.refused = true
		return nil
	}
	if s.Types != nil {
		for _, name := range s.Types.ToStrings() {
			sh.types |= typeBits[name]
		}
	}
	if s.Format != nil {
		f, ok := formats[s.Format.Name]
		if !ok {
			c.refused = true
			return nil
		}
		sh.format = f
	}
	sh.ref = c.shape(s.Ref)
	sh.allOf, sh.anyOf = c.shapes(s.AllOf), c.shapes(s.AnyOf)
	sh.setValues(s)
	c.object(sh, s)
	sh.prefix, sh.items = c.shapes(s.PrefixItems), c.shape(s.Items2020)
	atLeast(&sh.minItems, s.MinItems)
	atMost(&sh.maxItems, s.MaxItems)
	atLeast(&sh.minRunes, s.MinLength)
	atMost(&sh.maxRunes, s.MaxLength)
	sh.setBounds(s)
	return sh
}

func (c *shaper) shapes(list []*jsonschema.Schema) []*shape {
	var all []*shape
	for _, s := range list {
		all = append(all, c.shape(s))
	}
	return all
}

func (c *shaper) object(sh *shape, s *jsonschema.Schema) {
	sh.index = map[string]int32{}
	at := func(name string) *member {
		i, ok := sh.index[name]
		if !ok {
			i = int32(len(sh.members))
			sh.index[name] = i
			sh.members = append(sh.members, member{name: name})
		}
		return &sh.members[i]
	}
	for name, sub := range s.Properties {
		compiled := c.shape(sub)
		m := at(name)
		m.declared, m.shape = true, compiled
	}
	for _, name := range s.Required {
		if m := at(name); !m.required {
			m.required = true
			sh.required++
		}
	}
	sh.guess = slices.Repeat([]int32{-1}, len(sh.members))
	atLeast(&sh.minMembers, s.MinProperties)
	atMost(&sh.maxMembers, s.MaxProperties)
	switch a := s.AdditionalProperties.(type) {
	case bool:
		sh.closed = !a
	case *jsonschema.Schema:
		sh.additional = c.shape(a)
	}
}

func atLeast(dst *int, n *int) {
	if n != nil {
		*dst = *n
	}
}

func atMost(dst *int, n *int) {
	if n != nil {
		*dst = *n
	}
}

// circular reports whether a shape applies itself to its own value.
func circular(all map[*jsonschema.Schema]*shape) bool {
	state := map[*shape]int{} // 1: open, 2: done
	var visit func(*shape) bool
	visit = func(sh *shape) bool {
		if sh == nil || state[sh] == 2 {
			return false
		}
		if state[sh] == 1 {
			return true
		}
		state[sh] = 1
		found := visit(sh.ref) || slices.ContainsFunc(sh.allOf, visit) || slices.ContainsFunc(sh.anyOf, visit)
		state[sh] = 2
		return found
	}
	for _, sh := range all {
		if visit(sh) {
			return true
		}
	}
	return false
}
