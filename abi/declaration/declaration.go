package declaration

import (
	"encoding/json"
	"slices"
)

// Type is how the values of a field are read and compared.
type Type string

// The types. A field of another one, or of several, is Other: it has no order.
const (
	Text     Type = "text"
	Number   Type = "number"
	Boolean  Type = "boolean"
	Date     Type = "date"
	DateTime Type = "date-time"
	Other    Type = ""
)

// Field is a top-level field of a stream's records.
type Field struct {
	Name     string
	Type     Type
	Required bool
}

// Stream is the declaration of one stream.
type Stream struct {
	Name             string
	Semantics        string
	CursorField      string   // "": records have no order but their keys'
	ConsentTimeField string   // "": a record has no time of its own
	Fields           []Field  // in the schema's order
	Lexical          []string // the fields that a search looks at
	Range            []string // the fields that a filter may compare with a bound
}

// Field returns the field of that name; nil: there is none.
func (s *Stream) Field(name string) *Field {
	if i := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name }); i >= 0 {
		return &s.Fields[i]
	}
	return nil
}

// TypeOf returns the type of a field, Other when there is no such field.
func (s *Stream) TypeOf(name string) Type {
	if f := s.Field(name); f != nil {
		return f.Type
	}
	return Other
}

// document is the part of a manifest that is read here.
type document struct {
	Streams []struct {
		Name             string          `json:"name"`
		Semantics        string          `json:"semantics"`
		CursorField      string          `json:"cursor_field"`
		ConsentTimeField string          `json:"consent_time_field"`
		Schema           json.RawMessage `json:"schema"`
		Query            struct {
			Search struct {
				LexicalFields []string `json:"lexical_fields"`
			} `json:"search"`
			RangeFilters map[string]json.RawMessage `json:"range_filters"`
		} `json:"query"`
	} `json:"streams"`
}

// Read returns the streams of a manifest. One that cannot be read has none.
func Read(manifest []byte) []Stream {
	var d document
	if json.Unmarshal(manifest, &d) != nil {
		return nil
	}
	out := make([]Stream, 0, len(d.Streams))
	for i := range d.Streams {
		s := &d.Streams[i]
		one := Stream{Name: s.Name, Semantics: s.Semantics, CursorField: s.CursorField, ConsentTimeField: s.ConsentTimeField, Fields: readFields(s.Schema)}
		for _, name := range s.Query.Search.LexicalFields {
			if one.Field(name) != nil && !slices.Contains(one.Lexical, name) {
				one.Lexical = append(one.Lexical, name)
			}
		}
		for name := range s.Query.RangeFilters {
			if t := one.TypeOf(name); t == Number || t == Date || t == DateTime {
				one.Range = append(one.Range, name)
			}
		}
		slices.Sort(one.Range)
		out = append(out, one)
	}
	return out
}
