package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// maxProperties bounds a page's properties; Notion's own limit is 500.
const maxProperties = 1000

// values returns a page's property values by name, each as simple as possible: text, a
// number, a list of names. The title has its own field.
func (d *draft) values(v jsonvalue.Value) []byte {
	b, seen := []byte{'{'}, make(map[string]bool)
	for it := v.Children(); it.Next(); {
		name, p := it.Name().Str(), it.Value()
		if p.Get("type").TextIs("title") || seen[name] {
			continue
		}
		if len(seen) == maxProperties {
			d.cut = true
			break
		}
		seen[name] = true
		b = d.appendProperty(jsonappend.Name(b, name), p, false)
		d.cut = d.cut || p.Get("has_more").Bool()
	}
	return append(b, '}')
}

// appendProperty appends the value of one property. inner marks one of a rollup's
// values, which are never rollups.
func (d *draft) appendProperty(b []byte, p jsonvalue.Value, inner bool) []byte {
	kind := p.Get("type").Str()
	v := p.Get(kind)
	if v.IsNull() && kind != "" {
		return jsonappend.Null(b)
	}
	switch kind {
	case "title", "rich_text":
		return jsonappend.String(b, string(appendPlain(nil, v)))
	case "number", "checkbox", "url", "email", "phone_number", "created_time", "last_edited_time":
		return d.appendScalar(b, v)
	case "date":
		return d.appendMembers(b, v, "start", "end", "time_zone")
	case "place":
		return d.appendMembers(b, v, "name", "address", "lat", "lon")
	case "select", "status":
		return d.appendScalar(b, v.Get("name"))
	case "multi_select", "files":
		return d.appendEach(b, v, "name")
	case "people", "relation":
		return d.appendEach(b, v, "id")
	case "created_by", "last_edited_by":
		return d.appendScalar(b, v.Get("id"))
	case "verification":
		return d.appendScalar(b, v.Get("state"))
	case "button":
		return jsonappend.Null(b)
	case "unique_id":
		return d.appendUniqueID(b, v)
	case "formula", "rollup":
		return d.appendComputed(b, v, inner)
	}
	if kind == "" {
		kind = "(none)"
	}
	d.tally.Note(property, kind)
	return jsonappend.Null(b)
}

// appendComputed appends the value of a formula or of a rollup.
func (d *draft) appendComputed(b []byte, v jsonvalue.Value, inner bool) []byte {
	kind := v.Get("type").Str()
	value := v.Get(kind)
	switch {
	case value.IsNull(), kind == "incomplete", kind == "unsupported":
		return jsonappend.Null(b)
	case kind == "date":
		return d.appendMembers(b, value, "start", "end", "time_zone")
	case kind != "array" || inner:
		return d.appendScalar(b, value)
	}
	b = append(b, '[')
	for it := value.Children(); it.Next(); {
		b = d.appendProperty(jsonappend.Elem(b), it.Value(), true)
	}
	return append(b, ']')
}

// appendScalar appends a text, a number, a boolean or null. Any other value is
// undocumented and could nest deeper than a record may, so it is counted and left out.
func (d *draft) appendScalar(b []byte, v jsonvalue.Value) []byte {
	if k := v.Kind(); k == jsonvalue.Array || k == jsonvalue.Object {
		d.tally.Note(property, "(nested)")
		return jsonappend.Null(b)
	}
	return v.AppendJSON(b)
}

// appendMembers appends an object of some members of v.
func (d *draft) appendMembers(b []byte, v jsonvalue.Value, names ...string) []byte {
	b = append(b, '{')
	for _, name := range names {
		b = d.appendScalar(jsonappend.Name(b, name), v.Get(name))
	}
	return append(b, '}')
}

// appendEach appends one text of each element of an array.
func (d *draft) appendEach(b []byte, v jsonvalue.Value, member string) []byte {
	b = append(b, '[')
	for it := v.Children(); it.Next(); {
		b = d.appendScalar(jsonappend.Elem(b), it.Value().Get(member))
	}
	return append(b, ']')
}

// appendUniqueID appends an id as Notion shows it: TASK-12, or 12.
func (d *draft) appendUniqueID(b []byte, v jsonvalue.Value) []byte {
	prefix, number := v.Get("prefix").Str(), v.Get("number")
	if prefix == "" || number.Kind() != jsonvalue.Number {
		return d.appendScalar(b, number)
	}
	return jsonappend.String(b, prefix+"-"+string(number.Raw()))
}
