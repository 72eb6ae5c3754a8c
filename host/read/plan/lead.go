package plan

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
)

// How many records a relation to many shows of one record where its declaration does not say (RD-20.2),
// and at most whatever it says.
const (
	fewLed  = 10
	mostLed = 50
	anyLed  = 500
)

// Lead is a relation of a stream that a read may follow.
type Lead struct {
	declaration.Relation

	Default, Max int
	// Usable: the stream that it leads to is declared, with the field that tells what belongs together.
	Usable bool
	// Own: that field is the record's own, and has the key of the other one; else it is the
	// other one's, and has the record's key.
	Own bool
}

// Many reports whether the relation leads to any number of records.
func (l *Lead) Many() bool { return l.Cardinality == "has_many" }

// Lead returns the relation of that name that a read may follow; nil: there is none.
func (p *Plan) Lead(name string) *Lead {
	if i := slices.IndexFunc(p.Leads, func(l Lead) bool { return l.Name == name }); i >= 0 {
		return &p.Leads[i]
	}
	return nil
}

// leads returns the relations of a stream that a read may follow. A connector whose relation is
// to one and whose field both streams have means the other one's.
func leads(s *declaration.Stream, all []declaration.Stream) (found []Lead) {
	for _, e := range s.Expand {
		n := slices.IndexFunc(s.Relations, func(r declaration.Relation) bool { return r.Name == e.Name })
		if n < 0 || slices.ContainsFunc(found, func(l Lead) bool { return l.Name == e.Name }) {
			continue
		}
		l := Lead{Relation: s.Relations[n], Max: min(e.Max, anyLed)}
		if l.Max <= 0 {
			l.Max = mostLed
		}
		if l.Default = e.Default; l.Default <= 0 {
			l.Default = fewLed
		}
		l.Default = min(l.Default, l.Max)
		if to := slices.IndexFunc(all, func(o declaration.Stream) bool { return o.Name == l.Stream }); to >= 0 {
			theirs := all[to].Field(l.ForeignKey) != nil
			l.Own = l.Cardinality == "has_one" && !theirs && s.Field(l.ForeignKey) != nil
			l.Usable = l.Own || theirs && (l.Many() || l.Cardinality == "has_one")
		}
		found = append(found, l)
	}
	return found
}

// links returns the fields of a stream that have keys of records whose relations lead to it.
func links(s *declaration.Stream, all []declaration.Stream) (fields []string) {
	for i := range all {
		for _, l := range leads(&all[i], all) {
			if l.Stream == s.Name && l.Usable && !l.Own && !slices.Contains(fields, l.ForeignKey) {
				fields = append(fields, l.ForeignKey)
			}
		}
	}
	slices.Sort(fields)
	return fields
}
