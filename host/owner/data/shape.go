package data

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Field is a field that a stream's schema declares. Its name is a connector's text.
type Field struct {
	Name     string
	Equal    bool // a filter may compare it for equality
	Ranged   bool // and with a bound
	Searched bool // a search looks at it
}

// Shape is what can be asked of a stream.
type Shape struct {
	Connection  string // its name
	Stream      string
	Description string  // in its connector's words
	Cursor      string  // the field that orders it; "": its keys do
	Fields      []Field // in the schema's order; nil: the accepted manifest declares none
}

// ShapeOf says what can be asked of a stream.
func ShapeOf(ctx context.Context, o *owner.Owner, connection, stream string) (*Shape, error) {
	from, err := o.OpenStream(ctx, connection, stream)
	if err != nil {
		return nil, err
	}
	of := from.Shape()
	s := &Shape{Connection: from.Connection, Stream: stream, Cursor: of.CursorField}
	if declared := from.Declared(); declared != nil {
		s.Description = declared.Description
	}
	for _, f := range of.Fields {
		plain := f.Type != declaration.Other
		s.Fields = append(s.Fields, Field{f.Name, plain, plain && slices.Contains(of.Range, f.Name), slices.Contains(of.Lexical, f.Name)})
	}
	return s, nil
}

// Searched reports whether a search looks at any field.
func (s *Shape) Searched() bool {
	return slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Searched })
}
