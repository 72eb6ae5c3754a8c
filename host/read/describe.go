package read

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
)

// Described is one stream of a connection with as much of its declaration as the scope shows.
type Described struct {
	declaration.Stream

	Leads        []plan.Lead // a client follows none
	Source       declaration.Source
	ConnectionID string
	Connection   string // its name
	Connector    string
}

// Describe returns what is declared of the streams that a scope shows, by connection and name
// (RD-11, RD-12). A field that is not granted is named nowhere in it (Invariant 9).
func (r *Reader) Describe(ctx context.Context, scope *Scope, o Overview) ([]Described, error) {
	sources, err := r.shown(ctx, scope, o)
	all := make([]Described, len(sources))
	for i := range sources {
		s := &sources[i]
		all[i] = Described{Stream: s.plan.Stream, Source: s.plan.Source, ConnectionID: s.ConnectionID, Connection: s.Connection, Connector: s.Connector}
		if all[i].Leads = s.plan.Leads; s.scope != nil {
			all[i].Stream, all[i].Leads = s.declaration(), nil
		}
	}
	return all, err
}

// declaration is the part of a stream's declaration that a client sees.
func (s *source) declaration() declaration.Stream {
	d := s.plan.Stream
	only := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !s.grants(name) })
	}
	d.Fields = slices.DeleteFunc(slices.Clone(d.Fields), func(f declaration.Field) bool { return !s.grants(f.Name) })
	if !s.grants(d.CursorField) {
		d.CursorField = ""
	}
	if !s.grants(d.ConsentTimeField) {
		d.ConsentTimeField = ""
	}
	d.Lexical, d.PrimaryKey, d.Range, d.Views = only(d.Lexical), only(d.PrimaryKey), nil, nil
	d.Relations, d.Expand = nil, nil
	a := &d.Aggregates
	for _, names := range []*[]string{&a.Sum, &a.Min, &a.Max, &a.Distinct, &a.GroupBy, &a.GroupByTime} {
		*names = only(*names)
	}
	d.Schema = schemaOf(d.Schema, s.grants)
	return d
}

// schemaOf cuts a schema down to some fields. Every keyword that may name another one is left
// out with it (RD-11.2).
func schemaOf(schema []byte, grants func(string) bool) []byte {
	properties, required := field.Get(schema, "properties"), []string{}
	_ = json.Unmarshal(field.Get(schema, "required"), &required) // of another form, it names nothing
	required = slices.DeleteFunc(required, func(name string) bool { return !grants(name) })
	names, err := json.Marshal(required)
	if err != nil { // of strings, it never is
		return nil
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":`)
	b.Write(field.Project(nil, properties, grants))
	b.WriteString(`,"required":`)
	b.Write(names)
	b.WriteByte('}')
	return b.Bytes()
}
