package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// activityMembers are those of an activity: https://github.com/purarue/google_takeout_parser,
// models.py, and exports of Gemini's activities.
var activityMembers = names("header|title|titleUrl|description|time|products|subtitles|details|activityControls|locationInfos|imageFile|audioFiles|" +
	"safeHtmlItem|attachedFiles|attachments")

// maxStrange bounds how many unknown members of one entry are named.
const maxStrange = 4

// stranger is an entry of a list that is not known: its number, and its members that are not.
type stranger struct {
	item  int64
	names []string
}

// unknownMembers lists the members of an entry that are not known. It returns nil for an object that has
// known ones alone.
func unknownMembers(v jsonvalue.Value, known map[string]bool) []string {
	if v.Kind() != jsonvalue.Object {
		return []string{"an entry that is no object"}
	}
	var list []string
	for it := v.Children(); len(list) < maxStrange && it.Next(); {
		if name := it.Name().View(); !has(known, name) {
			list = append(list, strings.Clone(name))
		}
	}
	return list
}

// has reports whether a set has a name, in any spelling. The usual one costs no copy.
func has(known map[string]bool, name string) bool { return known[name] || known[strings.ToLower(name)] }

// siblings counts the members of an object that are not known and stand beside those that are, with what stands in
// front of their names.
func (r *run) siblings(stream, front string, v jsonvalue.Value, known map[string]bool) {
	if v.Kind() != jsonvalue.Object {
		return
	}
	for it := v.Children(); it.Next(); {
		if name := it.Name().View(); !has(known, name) {
			r.Items(stream).Unknown(front + name)
		}
	}
}

// strange keeps back the entry at hand, and tells of its members that are not known.
func (r *run) strange(stream string, members []string) {
	if len(members) == 0 {
		members = []string{"an entry without a known form"}
	}
	items := r.Items(stream)
	items.KeptBack++
	for _, name := range members {
		items.Unknown(name)
	}
	r.Books.Miss(stream, problemStrange, 1, r.file, r.entry()+", "+strings.Join(members, ", "))
}

// typed tells of known members that have another type than they are known with, and so give no field.
func (r *run) typed(stream string, v jsonvalue.Value, kind jsonvalue.Kind, members ...string) {
	for _, name := range members {
		if m := v.Get(name); m.Exists() && m.Kind() != kind && !m.IsNull() {
			r.Items(stream).Unknown(name + " of another type")
		}
	}
}

// strangers keeps back entries that stand in front of the first activity of a list.
func (r *run) strangers(list []stranger) {
	at := r.item
	for _, s := range list {
		r.item = s.item
		r.strange(streamSearches, s.names)
	}
	r.item = at
}
