package shape

import (
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Types is a set of the schema's types.
type Types uint8

// The types. An integer is a number, too.
const (
	Null Types = 1 << iota
	String
	Boolean
	Integer
	Number
	Array
	Object

	// Any is the set of a property that names no type.
	Any = Null | String | Boolean | Integer | Number | Array | Object
)

var names = []struct {
	name  string
	types Types
}{
	{"null", Null},
	{"string", String},
	{"boolean", Boolean},
	{"integer", Integer},
	{"number", Integer | Number},
	{"array", Array},
	{"object", Object},
}

// Field is what a schema says of one property.
type Field struct {
	Name  string
	Label string // the name as JSON, with a colon behind it
	Types Types
	Items Types   // of an array's elements
	Time  string  // a text has this layout of package time; "": any text
	Of    []Field // of an array's elements that are objects: their properties
	Plain bool    // of the caller's: the field is neither part of a key nor filtered

	free, freeItems uint16 // the kinds of values that fit whatever they are, as bits
}

// Takes reports whether every value of a kind fits. Fits decides about the others.
func (f *Field) Takes(kind jsonvalue.Kind) bool { return f.free>>kind&1 != 0 }

// TakesItem is Takes for an element of the field's array.
func (f *Field) TakesItem(kind jsonvalue.Kind) bool { return f.freeItems>>kind&1 != 0 }

// freely sets the kinds of values that fit whatever they are.
func (f *Field) freely() {
	for _, one := range [...]struct {
		types Types
		kinds []jsonvalue.Kind
		free  bool
	}{
		{Null, []jsonvalue.Kind{jsonvalue.Null}, true},
		{String, []jsonvalue.Kind{jsonvalue.String}, f.Time == ""},
		{Boolean, []jsonvalue.Kind{jsonvalue.True, jsonvalue.False}, true},
		{Number, []jsonvalue.Kind{jsonvalue.Number}, true},
		{Array, []jsonvalue.Kind{jsonvalue.Array}, f.Items == Any},
		{Object, []jsonvalue.Kind{jsonvalue.Object}, true},
	} {
		for _, kind := range one.kinds {
			if f.Types&one.types != 0 && one.free {
				f.free |= 1 << kind
			}
			if f.Items&one.types != 0 {
				f.freeItems |= 1 << kind
			}
		}
	}
}

// layouts are those of the formats that are checked.
var layouts = map[string]string{"date-time": time.RFC3339, "date": time.DateOnly}

// Fields returns the properties of a schema, in its order.
func Fields(schema jsonvalue.Value) []Field {
	var list []Field
	for it := schema.Get("properties").Children(); it.Next(); {
		p := it.Value()
		f := Field{
			Name: it.Name().Str(), Label: string(append(jsonappend.String(nil, it.Name().Str()), ':')), Types: types(p.Get("type")), Items: types(p.Get("items").Get("type")),
			Time: layouts[p.Get("format").Str()], Of: Fields(p.Get("items")),
		}
		f.freely()
		list = append(list, f)
	}
	return list
}

// types reads the keyword type, a name or a list of names.
func types(v jsonvalue.Value) (set Types) {
	for _, one := range names {
		if v.TextIs(one.name) {
			return one.types
		}
	}
	for it := v.Children(); it.Next(); {
		set |= types(it.Value())
	}
	if set == 0 {
		return Any
	}
	return set
}

// Of returns the types that a value has.
func Of(v jsonvalue.Value) Types {
	switch v.Kind() {
	case jsonvalue.String:
		return String
	case jsonvalue.True, jsonvalue.False:
		return Boolean
	case jsonvalue.Number:
		return Integer | Number
	case jsonvalue.Array:
		return Array
	case jsonvalue.Object:
		return Object
	case jsonvalue.Null:
	}
	return Null
}

// In reports whether a value has one of the types. A number that is not whole is no
// integer.
func (set Types) In(v jsonvalue.Value) bool {
	switch set & Of(v) {
	case 0:
		return false
	case Integer:
		_, ok := v.IntOK()
		return ok
	}
	return true
}

// Fits reports whether the field takes the value; a missing one counts as null.
func (f *Field) Fits(v jsonvalue.Value) bool {
	switch v.Kind() {
	case jsonvalue.Null:
		return f.Types&Null != 0
	case jsonvalue.String:
		return f.Types&String != 0 && (f.Time == "" || f.isTime(v))
	case jsonvalue.True, jsonvalue.False:
		return f.Types&Boolean != 0
	case jsonvalue.Number:
		return f.Types&Number != 0 || f.Types.In(v)
	case jsonvalue.Array:
		return f.Types&Array != 0 && (f.Items == Any || f.itemsFit(v))
	case jsonvalue.Object:
		return f.Types&Object != 0
	}
	return false
}

func (f *Field) itemsFit(list jsonvalue.Value) bool {
	for it := list.Children(); it.Next(); {
		if !f.Items.In(it.Value()) {
			return false
		}
	}
	return true
}

func (f *Field) isTime(v jsonvalue.Value) bool {
	_, err := time.Parse(f.Time, v.View())
	return err == nil
}
