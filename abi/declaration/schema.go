package declaration

import (
	"bytes"
	"encoding/json"
	"slices"
)

// property is the part of a field's JSON Schema that says its type.
type property struct {
	Type   json.RawMessage `json:"type"`
	Format string          `json:"format"`
	AnyOf  []property      `json:"anyOf"` //nolint:tagliatelle // JSON Schema's own
	OneOf  []property      `json:"oneOf"` //nolint:tagliatelle // JSON Schema's own
}

// readFields returns the properties of a JSON Schema, in its order.
func readFields(schema []byte) []Field {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(s.Properties))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var fields []Field
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return fields
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return fields
		}
		var p property
		if json.Unmarshal(raw, &p) != nil {
			p = property{} // true, say: any value
		}
		fields = append(fields, Field{Name: name, Type: p.kind(), Required: slices.Contains(s.Required, name)})
	}
	return fields
}

// kind is the one type that values have besides null.
func (p *property) kind() Type {
	var words []string
	var one string
	if json.Unmarshal(p.Type, &one) == nil {
		words = []string{one}
	} else if json.Unmarshal(p.Type, &words) != nil {
		return p.either()
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "null" })
	if len(words) != 1 {
		return Other
	}
	switch {
	case words[0] == "string" && p.Format == string(Date):
		return Date
	case words[0] == "string" && p.Format == string(DateTime):
		return DateTime
	case words[0] == "string":
		return Text
	case words[0] == "integer", words[0] == "number":
		return Number
	case words[0] == "boolean":
		return Boolean
	}
	return Other
}

// either is the type of a schema that allows one type or null.
func (p *property) either() Type {
	found := Other
	for _, choice := range slices.Concat(p.AnyOf, p.OneOf) {
		if string(choice.Type) == `"null"` {
			continue
		}
		if found != Other {
			return Other
		}
		found = choice.kind()
	}
	return found
}
