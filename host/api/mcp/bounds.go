package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/host/read/field"
)

// Bounds of a result, in bytes (RD-59.3). A result names the calls that read the rest.
const (
	mostText     = 8 << 10
	mostFacts    = 7 << 10 // of it, so that there is room for data
	restLine     = 80      // for the line that says what is left out
	mostPreviews = 5
	mostValue    = 320 // characters of a value in a preview

	mostContent = 64 << 10 // the structured content
	mostBody    = 48 << 10 // of it, what the routes answered
	mostLadder  = 10 << 10 // of it, the calls that go on
	mostRow     = 8 << 10  // of what the routes answered, one record of several
	mostWindow  = 24 << 10 // a part of a text, which the text of the result holds in parts of its own
	mostPreview = 2 << 10  // one record of several, where it is cut
	mostRecord  = 6 << 10  // the fields of one record, with the calls that read on in them
)

// room is how many bytes of a result are free. A value is measured as JSON in its longest form.
type room int

// take takes the room of a value, and reports whether there was enough.
func (r *room) take(v any) bool {
	n := size(v) + 1 // with what joins it to the next
	if n > int(*r) {
		return false
	}
	*r -= room(n)
	return true
}

// size is how long a value is as JSON.
func size(v any) int {
	text, err := json.Marshal(v)
	if err != nil { // of values that were read from JSON, it never is
		return mostContent
	}
	return len(text)
}

// whole takes over what the routes answered as it is, if there is room for it.
func (a *answer) whole() bool {
	body := json.RawMessage(a.reply.Body)
	if size(body) > mostBody {
		return false
	}
	a.result["data"] = body
	return true
}

// shortened takes over as much of what the routes answered as there is room for.
func (a *answer) shortened() {
	var body any
	a.read(&body)
	left := room(mostBody)
	a.result["data"], _ = shorten(body, &left)
	a.result["shortened"] = true
}

// shorten cuts the texts of a value, and leaves out what there is no room for. It reports whether there was
// room for the value itself.
func shorten(v any, left *room) (any, bool) {
	switch is := v.(type) {
	case string:
		if cut, more := firstChars(is, mostValue); more {
			v = cut + "…"
		}
		return v, left.take(v)
	case []any:
		out, fits := []any{}, left.take(0)
		for _, one := range is {
			short, ok := shorten(one, left)
			if !ok {
				break
			}
			out = append(out, short)
		}
		return out, fits
	case map[string]any:
		out, fits := map[string]any{}, left.take(0)
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if len(name) > mostValue || !left.take(name) {
				continue
			}
			if short, ok := shorten(is[name], left); ok {
				out[name] = short
			}
		}
		return out, fits
	}
	return v, left.take(v)
}

// without is an object without some of its members.
func without(text []byte, names ...string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	_ = json.Unmarshal(text, &out) // of the routes' making
	for _, name := range names {
		delete(out, name)
	}
	return out
}

// rows takes over the rows of a page as far as there is room, each that is long with its values cut, and
// returns how many those are. The page's cursor goes on behind all of its rows, so it is left out with them.
func (a *answer) rows(all []row, previews []*preview) int {
	var raw struct {
		Data []json.RawMessage `json:"data"`
	}
	a.read(&raw)
	left, shown := room(mostBody), []any{}
	for i, one := range raw.Data {
		if size(one) > mostRow {
			r := &all[i]
			p := a.previewOf(r, previews, i)
			short := map[string]any{"cut": true, "data": p.values}
			for name, value := range without(one, "data", "expanded") {
				short[name] = value
			}
			a.step("fetch", map[string]any{"id": r.id()}, 0)
			if text, err := json.Marshal(short); err == nil {
				one = text
			}
		}
		if !left.take(one) {
			break
		}
		shown = append(shown, one)
	}
	page := map[string]any{"data": shown, "has_more": true}
	for name, value := range without(a.reply.Body, "data", "links") {
		if cursor := name == "next_cursor" || name == "next_changes_since" || name == "has_more"; cursor && len(shown) < len(all) || !left.take(value) {
			continue
		}
		page[name] = value
	}
	a.result["data"] = page
	return len(shown)
}

// previewOf returns the preview of a row, which may have been made for the text.
func (a *answer) previewOf(r *row, made []*preview, i int) *preview {
	if i < len(made) && made[i] != nil {
		return made[i]
	}
	return cutRecord(r.Data, 0, mostPreview, nil)
}

// step adds a call that goes on to those of the structured content, while there is room.
func (a *answer) step(tool string, args map[string]any, chars int) {
	is := map[string]any{"tool": tool, "arguments": args}
	if chars > 0 {
		is["total_chars"] = chars
	}
	if a.steps.take(is) {
		a.ladder = append(a.ladder, is)
	}
}

// preview is a part of a record: some of its fields, with their values cut.
type preview struct {
	values map[string]any
	from   int // fields before those
	end    int // and with those
	all    int // fields of the record
	cut    []cutValue
}

// cutValue is a value of which a part is shown.
type cutValue struct {
	field       string
	from, total int // characters
}

// cutRecord makes a preview of a record, from a field on, of so many bytes. It has one field at least. cost is
// what a value takes besides if it is cut, or nil if that is nothing.
func cutRecord(data []byte, from int, most room, cost func(cutValue) int) *preview {
	p := &preview{values: map[string]any{}, from: from, end: from}
	full := false
	field.Members(data, func(name, value []byte) bool {
		p.all++
		if full || p.all <= from {
			return true
		}
		plain := field.Name(name)
		text, isText := field.String(value)
		if !isText {
			text = string(value)
		}
		short, more := firstChars(text, mostValue)
		shown, takes := any(json.RawMessage(value)), 0
		if more {
			of := cutValue{field: plain, total: utf8.RuneCountInString(text)}
			if shown = short + "… (cut)"; isText {
				shown, of.from = short+"…", mostValue
			}
			if cost != nil {
				takes = cost(of)
			}
			p.cut = append(p.cut, of)
		}
		if takes += size(map[string]any{plain: shown}); takes > int(most) && p.end > from {
			if full = true; more {
				p.cut = p.cut[:len(p.cut)-1]
			}
			return true
		}
		most -= room(takes)
		label, _ := firstChars(plain, mostValue)
		p.values[label] = shown
		p.end++
		return true
	})
	return p
}

// firstChars returns the first characters of a text, and whether there are others.
func firstChars(text string, most int) (string, bool) {
	n := 0
	for at := range text {
		if n == most {
			return text[:at], true
		}
		n++
	}
	return text, false
}
