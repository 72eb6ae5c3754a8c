package interact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi"
)

// maxFields bounds the number of answers in one interaction.
const maxFields = 20

// Field is one requested answer. A field without a name is only confirmed.
type Field struct {
	Name     string
	Label    string
	Secret   bool
	Required bool
	Choices  []string
	Most     int // characters; 0: unbounded
}

// mostCode is the maximum length of a one-time code. No real code is longer, while
// important passwords often are.
const mostCode = 16

// Problem returns why an answer is not valid; "" if it is.
func (f Field) Problem(text string) string {
	switch {
	case text == "" && f.Required:
		return "an answer is needed"
	case f.Most > 0 && len([]rune(text)) > f.Most:
		return fmt.Sprintf("that is longer than a one-time code, which has at most %d characters", f.Most)
	case text != "" && len(f.Choices) > 0 && !slices.Contains(f.Choices, text):
		return "choose one of: " + clean(strings.Join(f.Choices, ", "), 200)
	}
	return ""
}

func (f Field) prompt() string {
	p := clean(f.Label, 200)
	if f.Name != "" && f.Label != f.Name && f.Most == 0 {
		p = clean(f.Name, 200) + " (\"" + p + "\")"
	}
	if len(f.Choices) > 0 {
		p += " (" + clean(strings.Join(f.Choices, ", "), 200) + ")"
	}
	if f.Secret {
		p += " (not shown)"
	}
	if !f.Required && f.Name != "" {
		p += " (may be left empty)"
	}
	return p
}

// property is the part of a property's JSON Schema that can be asked for.
type property struct {
	Type      string   `json:"type"`
	Title     string   `json:"title"`
	Format    string   `json:"format"`
	WriteOnly *bool    `json:"writeOnly"`
	Secret    *bool    `json:"secret"`
	Enum      []string `json:"enum"`
}

// FieldsOf reads the interaction's schema: an object of plain properties, asked in
// their order. Its error is boundary.interaction_invalid. Without a schema the kind determines the question.
func FieldsOf(in abi.Interaction) ([]Field, error) {
	kept := in.Kind == abi.InteractionCredentials || in.Kind == abi.InteractionMissingCredentials
	if len(in.Schema) == 0 || string(bytes.TrimSpace(in.Schema)) == "null" {
		switch in.Kind {
		case abi.InteractionOTP:
			return []Field{oneTimeCode("code")}, nil
		case abi.InteractionManualAction:
			return []Field{{Label: "press Enter when it is done"}}, nil
		default:
			return []Field{{Name: "value", Label: "value", Required: true, Secret: true}}, nil
		}
	}
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(in.Schema, &schema); err != nil {
		return nil, unaskable("the schema is not an object of properties")
	}
	names, properties, err := ordered(schema.Properties)
	if err != nil || len(names) > maxFields {
		return nil, unaskable("the schema's properties cannot be read, or are more than 20")
	}
	if in.Kind == abi.InteractionOTP {
		if len(names) != 1 || properties[0].Type == "object" || properties[0].Type == "array" {
			return nil, unaskable("a one-time code is one field")
		}
		return []Field{oneTimeCode(names[0])}, nil
	}
	if len(names) == 0 {
		return []Field{{Label: "press Enter when it is done"}}, nil
	}
	required := make(map[string]bool, len(schema.Required))
	for _, r := range schema.Required {
		required[r] = true
	}
	fields := make([]Field, 0, len(names))
	for i, name := range names {
		p := properties[i]
		if p.Type == "object" || p.Type == "array" {
			return nil, unaskable("a property is not a plain value")
		}
		if !kept && len(p.Enum) == 0 {
			return nil, unaskable("a manual action has choices only")
		}
		label := p.Title
		if label == "" {
			label = name
		}
		fields = append(fields, Field{Name: name, Label: label, Secret: kept && p.secret(), Required: required[name], Choices: p.Enum})
	}
	return fields, nil
}

// oneTimeCode asks for a code in the host's words. The connector reads the answer, so
// its own words must not appear where an owner looks for what to type.
func oneTimeCode(name string) Field {
	return Field{Name: name, Label: "one-time code", Required: true, Most: mostCode}
}

// secret reports whether typing is hidden. A credential is hidden unless its schema
// says otherwise, since hiding too much costs nothing. An answer that the connector
// itself reads is never hidden: it would look like a password.
func (p property) secret() bool {
	switch {
	case p.Format == "password":
		return true
	case p.Secret != nil:
		return *p.Secret
	case p.WriteOnly != nil:
		return *p.WriteOnly
	default:
		return true
	}
}

// ordered decodes an object of properties in their order.
func ordered(raw json.RawMessage) (names []string, properties []property, err error) {
	if len(raw) == 0 {
		return nil, nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, unaskable("properties is not an object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, nil, unaskable("properties is not an object")
		}
		var p property
		if err := dec.Decode(&p); err != nil {
			return nil, nil, err
		}
		names, properties = append(names, name), append(properties, p)
		if len(names) > maxFields {
			break
		}
	}
	return names, properties, nil
}

func unaskable(problem string) error {
	return abi.NewError(abi.CodeInteractionInvalid, "the connector's question cannot be asked in fields",
		"report it to the connector's author").WithDetail(problem)
}

// clean removes control and formatting characters, so that a guest cannot move the
// cursor, colour the screen or reverse the text, and bounds the length in runes.
func clean(s string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			r = ' '
		case !unicode.IsPrint(r):
			continue
		}
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
