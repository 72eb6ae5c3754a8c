package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// draft is a record in the making.
type draft struct {
	*sdk.Record

	tally *problems.Tally
	cut   bool // a property has more values than the API lists
}

// page sets the fields of a page.
func (d *draft) page(v jsonvalue.Value) {
	d.Copy("id", v.Get("id"))
	d.Copy("object", v.Get("object"))
	properties := v.Get("properties")
	title := jsonvalue.Value{}
	for it := properties.Children(); it.Next(); {
		if it.Value().Get("type").TextIs("title") {
			title = it.Value().Get("title")
			break
		}
	}
	d.rich("title", title)
	d.fields(v, v.Get("parent"))
	d.Raw("properties", d.values(properties))
	d.Bool("properties_truncated", d.cut)
}

// database sets the fields of a data source. Its place is that of the database that holds it.
func (d *draft) database(v jsonvalue.Value) {
	d.Copy("id", v.Get("id"))
	d.Copy("object", v.Get("object"))
	d.Copy("database_id", v.Get("parent").Get("database_id"))
	d.rich("title", v.Get("title"))
	d.rich("description", v.Get("description"))
	d.Copy("is_inline", v.Get("is_inline"))
	d.fields(v, v.Get("database_parent"))
	d.columns(v.Get("properties"))
}

// fields sets the fields that pages and databases share.
func (d *draft) fields(v, parent jsonvalue.Value) {
	d.Copy("parent_type", parent.Get("type"))
	id := parent.Get(parent.Get("type").Str())
	if id.Kind() == jsonvalue.True { // "workspace": true
		id = jsonvalue.Value{}
	}
	d.Copy("parent_id", id)
	d.Copy("url", v.Get("url"))
	d.Copy("public_url", v.Get("public_url"))
	d.StringOrNull("icon", icon(v.Get("icon")))
	d.CopyMembers(v, "archived", "in_trash", "created_time", "last_edited_time")
	d.Copy("created_by_id", v.Get("created_by").Get("id"))
	d.Copy("last_edited_by_id", v.Get("last_edited_by").Get("id"))
}

// rich sets a field to the plain text of a rich text array.
func (d *draft) rich(name string, v jsonvalue.Value) {
	if v.Kind() != jsonvalue.Array {
		d.Copy(name, v)
		return
	}
	d.StringOrNull(name, string(appendPlain(nil, v)))
}

// appendPlain appends the plain text of a rich text array.
func appendPlain(b []byte, v jsonvalue.Value) []byte {
	for it := v.Children(); it.Next(); {
		b = it.Value().Get("plain_text").AppendText(b)
	}
	return b
}

// icon names an icon: an emoji, or the address of an outside picture. An
// uploaded one has a signed address that expires, so it is left out.
func icon(v jsonvalue.Value) string {
	switch v.Get("type").Str() {
	case "emoji":
		return v.Get("emoji").Str()
	case "external":
		return v.Get("external").Get("url").Str()
	case "custom_emoji":
		return v.Get("custom_emoji").Get("name").Str()
	}
	return ""
}

// columns sets the names of a database's columns, and their types by name.
func (d *draft) columns(v jsonvalue.Value) {
	var names []string
	types := []byte{'{'}
	for it := v.Children(); it.Next(); {
		name := it.Name().Str()
		if slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		types = jsonappend.String(jsonappend.Name(types, name), it.Value().Get("type").Str())
	}
	d.Strings("property_names", names)
	d.Raw("property_types", append(types, '}'))
}
