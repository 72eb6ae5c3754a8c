package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// page appends the fields of a page.
func (d *builder) page(v jsonvalue.Value) {
	d.text("id", v.Get("id"))
	d.text("object", v.Get("object"))
	properties := v.Get("properties")
	title := jsonvalue.Value{}
	for it := properties.Children(); it.Next(); {
		if it.Value().Get("type").TextIs("title") {
			title = it.Value().Get("title")
			break
		}
	}
	d.rich("title", title)
	d.parentFields(v)
	d.values(properties)
	d.b = jsonappend.Bool(jsonappend.Name(d.b, "properties_truncated"), d.cut)
}

// database appends the fields of a database.
func (d *builder) database(v jsonvalue.Value) {
	d.text("id", v.Get("id"))
	d.text("object", v.Get("object"))
	d.rich("title", v.Get("title"))
	d.rich("description", v.Get("description"))
	d.flag("is_inline", v.Get("is_inline"))
	d.parentFields(v)
	d.columns(v.Get("properties"))
}

// parentFields appends the fields that pages and databases share.
func (d *builder) parentFields(v jsonvalue.Value) {
	parent := v.Get("parent")
	d.text("parent_type", parent.Get("type"))
	id := parent.Get(parent.Get("type").Str())
	if id.Kind() == jsonvalue.True { // "workspace": true
		id = jsonvalue.Value{}
	}
	d.text("parent_id", id)
	d.text("url", v.Get("url"))
	d.text("public_url", v.Get("public_url"))
	d.textOrNull("icon", icon(v.Get("icon")))
	d.flag("archived", v.Get("archived"))
	d.flag("in_trash", v.Get("in_trash"))
	d.instant("created_time", v.Get("created_time"))
	d.instant("last_edited_time", v.Get("last_edited_time"))
	d.text("created_by_id", v.Get("created_by").Get("id"))
	d.text("last_edited_by_id", v.Get("last_edited_by").Get("id"))
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

// columns appends the names of a database's columns, and their types by name.
func (d *builder) columns(v jsonvalue.Value) {
	var names []string
	types := []byte{'{'}
	for it := v.Children(); it.Next(); {
		name := it.Name().Str()
		if contains(names, name) {
			continue
		}
		names = append(names, name)
		types = jsonappend.String(jsonappend.Name(types, name), it.Value().Get("type").Str())
	}
	if !v.IsNull() && v.Kind() != jsonvalue.Object {
		d.mismatched = true
	}
	d.b = jsonappend.Strings(jsonappend.Name(d.b, "property_names"), names)
	d.b = append(append(jsonappend.Name(d.b, "property_types"), types...), '}')
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}
