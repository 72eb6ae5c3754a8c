package read

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
)

// Operator compares a field with a value.
type Operator string

// The operators. All but Equal need a field that is declared for them.
const (
	Equal   Operator = "eq"
	AtLeast Operator = "gte"
	Above   Operator = "gt"
	AtMost  Operator = "lte"
	Below   Operator = "lt"
)

// Bounds are the operators of a field that is declared for them.
var Bounds = []Operator{AtLeast, Above, AtMost, Below}

// Filter is one condition on the records of a list (RD-17).
type Filter struct {
	Field string
	Op    Operator
	Value string // read by the field's type
}

// condition is a filter that was read for one source.
type condition struct {
	field string
	typ   declaration.Type
	op    Operator
	order []byte
}

// holds reports whether a record keeps to the condition. One without a value never does.
func (c *condition) holds(value []byte) bool {
	order := field.Order(c.typ, value)
	if field.IsMissing(order) {
		return false
	}
	switch d := compare(order, c.order); c.op {
	case AtLeast:
		return d >= 0
	case Above:
		return d > 0
	case AtMost:
		return d <= 0
	case Below:
		return d < 0
	default:
		return d == 0
	}
}

// conditions reads filters for a source. has is false when it lacks a field of one.
func conditions(p *plan.Plan, filters []Filter) (all []condition, has bool, err error) {
	for _, f := range filters {
		declared := p.Field(f.Field)
		if declared == nil {
			return nil, false, nil
		}
		switch f.Op {
		case Equal:
		case AtLeast, Above, AtMost, Below:
			if !slices.Contains(p.Range, f.Field) {
				return nil, true, invalid("the field "+f.Field+" is not declared for bounds", "compare it for equality, or name another field")
			}
		default:
			return nil, true, invalid("a filter's operator is one of eq, gte, gt, lte, lt", "")
		}
		if declared.Type == declaration.Other {
			return nil, true, invalid("the field "+f.Field+" has no single plain type", "name another field")
		}
		order, ok := field.OrderTyped(declared.Type, f.Value)
		if !ok {
			return nil, true, invalid("the filter of "+f.Field+" is no "+string(declared.Type), "write it as the records have it")
		}
		all = append(all, condition{f.Field, declared.Type, f.Op, order})
	}
	return all, true, nil
}

// fieldsOf are the fields that some filters compare.
func fieldsOf(filters []Filter) (names []string) {
	for _, f := range filters {
		names = append(names, f.Field)
	}
	return names
}

// edges are the bounds that a scope's time and conditions on the cursor field set to a walk; nil:
// none. They may let more pass than the two.
func (s *source) edges(all []condition) (from, to []byte) {
	if s.bounded() && s.scope.Time.Field == s.plan.CursorField && s.plan.TypeOf(s.plan.CursorField).IsTime() {
		since, until, fits := s.scope.Time.span()
		if !fits {
			return field.Missing(), field.Missing()
		}
		from, to = plan.Cut(since), plan.Cut(until)
		if s.scope.Time.Until != nil {
			to = append(slices.Clone(to), 0)
		}
	}
	for i := range all {
		c := &all[i]
		if c.field != s.plan.CursorField {
			continue
		}
		edge := plan.Cut(c.order)
		if c.op != AtMost && c.op != Below && (from == nil || compare(edge, from) > 0) {
			from = edge
		}
		if above := append(slices.Clone(edge), 0); c.op != AtLeast && c.op != Above && (to == nil || compare(above, to) < 0) {
			to = above
		}
	}
	return from, to
}
