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

// IsTime reports whether values of the type are moments.
func (t Type) IsTime() bool { return t == Date || t == DateTime }

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
	PrimaryKey       []string // the fields that a key is made of
	Views            []View
	Relations        []Relation
	Expand           []Expand // the relations that a read may follow
	Aggregates       Aggregates
	Schema           json.RawMessage // of its records, as JSON Schema
	WholeRecords     bool            // its fields cannot be chosen
	EveryRecord      bool            // its records cannot be chosen by their keys
}

// Aggregates are the fields that records may be summed up by.
type Aggregates struct {
	Sum         []string `json:"sum,omitempty"`
	Min         []string `json:"min,omitempty"`
	Max         []string `json:"max,omitempty"`
	Distinct    []string `json:"count_distinct,omitempty"`
	GroupBy     []string `json:"group_by,omitempty"`
	GroupByTime []string `json:"group_by_time,omitempty"`
}

// View is a set of fields with a name.
type View struct {
	ID     string   `json:"id"`
	Fields []string `json:"fields"`
}

// Relation leads from the records of a stream to those of another one.
type Relation struct {
	Name        string `json:"name"`
	Stream      string `json:"stream"`
	ForeignKey  string `json:"foreign_key"`
	Cardinality string `json:"cardinality"` // has_one, has_many
}

// Expand declares that a read may follow a relation, and how many records it shows of one to many.
type Expand struct {
	Name    string `json:"name"`
	Default int    `json:"default_limit"` // 0: it does not say
	Max     int    `json:"max_limit"`     // 0: it does not say
}

// Source is what a manifest says of itself.
type Source struct {
	ID      string `json:"connector_id"` // a URI
	Key     string `json:"connector_key"`
	Name    string `json:"display_name"`
	Version string `json:"version"`
}

// SourceOf returns what a manifest says of itself; the zero Source: nothing that can be read.
func SourceOf(manifest []byte) (s Source) {
	if json.Unmarshal(manifest, &s) != nil {
		return Source{}
	}
	return s
}

// Preset returns the streams of the preset that a manifest has by that id, in the form of a
// request; nil: there is none.
func Preset(manifest []byte, id string) json.RawMessage {
	var d struct {
		Presets []struct {
			ID      string          `json:"id"`
			Streams json.RawMessage `json:"streams"`
		} `json:"selection_presets"`
	}
	if json.Unmarshal(manifest, &d) != nil {
		return nil
	}
	for i := range d.Presets {
		if d.Presets[i].ID == id {
			return d.Presets[i].Streams
		}
	}
	return nil
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
		PrimaryKey       []string        `json:"primary_key"`
		Views            []View          `json:"views"`
		Relations        json.RawMessage `json:"relationships"`
		Selection        struct {
			Fields    *bool `json:"fields"`
			Resources *bool `json:"resources"`
		} `json:"selection"`
		Query struct {
			Search struct {
				LexicalFields []string `json:"lexical_fields"`
			} `json:"search"`
			RangeFilters map[string]json.RawMessage `json:"range_filters"`
			Aggregates   json.RawMessage            `json:"aggregations"`
			Expand       json.RawMessage            `json:"expand"`
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
		one := Stream{Name: s.Name, Semantics: s.Semantics, CursorField: s.CursorField, ConsentTimeField: s.ConsentTimeField, Fields: readFields(s.Schema), PrimaryKey: s.PrimaryKey, Views: s.Views, Schema: s.Schema}
		if json.Unmarshal(s.Relations, &one.Relations) != nil {
			one.Relations = nil
		}
		if json.Unmarshal(s.Query.Expand, &one.Expand) != nil {
			one.Expand = nil
		}
		one.WholeRecords, one.EveryRecord = isFalse(s.Selection.Fields), isFalse(s.Selection.Resources)
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
		if json.Unmarshal(s.Query.Aggregates, &one.Aggregates) != nil {
			one.Aggregates = Aggregates{}
		}
		out = append(out, one)
	}
	return out
}

func isFalse(b *bool) bool { return b != nil && !*b }
