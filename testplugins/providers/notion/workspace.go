package notion

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"
)

// object is a page or a data source.
type object struct {
	kind, id, title  string
	parent           map[string]any
	created, edited  time.Time
	trashed          bool
	shared, hidden   bool
	database         string         // that holds a data source
	properties       map[string]any // of a page: values; of a data source: columns
	overrides        map[string]any // members of the rendered object
	createdBy, edits int
}

// AddPage adds a page to the workspace and returns its id. Properties are
// values as the API gives them, by name; the title is added to them.
func (p *Provider) AddPage(title string, properties map[string]any) string {
	return p.add("page", title, map[string]any{"type": "workspace", "workspace": true}, properties)
}

// AddRow adds a page to a data source.
func (p *Provider) AddRow(source, title string, properties map[string]any) string {
	return p.add("page", title, map[string]any{"type": "data_source_id", "data_source_id": source, "database_id": DatabaseOf(source)}, properties)
}

// DatabaseOf is the id of the database that was added with a data source.
func DatabaseOf(source string) string { return "db" + source[2:] }

// AddSource adds a data source to the database of another one, as an owner may since September
// 2025, and returns its id.
func (p *Provider) AddSource(beside, title string, columns map[string]any) string {
	id := p.add("data_source", title, p.objects[beside].parent, columns)
	p.change(id, false, func(o *object) { o.database = DatabaseOf(beside) })
	return id
}

// AddDatabase adds a database of one data source below a page, and returns the data source's id;
// columns are property objects by name. An empty page puts it at the top of the workspace.
func (p *Provider) AddDatabase(page, title string, columns map[string]any) string {
	parent := map[string]any{"type": "workspace", "workspace": true}
	if page != "" {
		parent = map[string]any{"type": "page_id", "page_id": page}
	}
	id := p.add("data_source", title, parent, columns)
	p.change(id, false, func(o *object) { o.database = DatabaseOf(id) })
	return id
}

func (p *Provider) add(kind, title string, parent, properties map[string]any) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.created++
	now := p.o.Now()
	o := &object{
		kind: kind, id: fmt.Sprintf("%08x-0000-4000-8000-%012x", p.created*2654435761%(1<<32), p.created), title: title,
		parent: parent, created: now, edited: now, shared: true, properties: properties,
	}
	p.objects[o.id] = o
	return o.id
}

// Edit gives an object another title, now.
func (p *Provider) Edit(id, title string) {
	p.change(id, true, func(o *object) { o.title = title })
}

// SetProperty sets a property, now.
func (p *Provider) SetProperty(id, name string, value any) {
	p.change(id, true, func(o *object) {
		if o.properties == nil {
			o.properties = make(map[string]any)
		}
		o.properties[name] = value
	})
}

// Trash moves an object to the trash, Restore takes it out again.
func (p *Provider) Trash(id string) { p.change(id, true, func(o *object) { o.trashed = true }) }

// Restore takes an object out of the trash.
func (p *Provider) Restore(id string) { p.change(id, true, func(o *object) { o.trashed = false }) }

// Unshare takes an object away from the integration: it is no longer found.
func (p *Provider) Unshare(id string) { p.change(id, false, func(o *object) { o.shared = false }) }

// Hide takes an object out of the search index, as for one not indexed yet; it
// can still be retrieved. Show puts it back.
func (p *Provider) Hide(id string) { p.change(id, false, func(o *object) { o.hidden = true }) }

// Show puts an object into the search index.
func (p *Provider) Show(id string) { p.change(id, false, func(o *object) { o.hidden = false }) }

// Override replaces a member of the object as it is rendered, for answers that
// no document describes; nil takes the override away.
func (p *Provider) Override(id, member string, value any) {
	p.change(id, false, func(o *object) {
		if o.overrides == nil {
			o.overrides = make(map[string]any)
		}
		if o.overrides[member] = value; value == nil {
			delete(o.overrides, member)
		}
	})
}

func (p *Provider) change(id string, edit bool, f func(*object)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.objects[id]
	if o == nil {
		panic("no object " + id) // a mistake of the test
	}
	f(o)
	if edit {
		o.edited = p.o.Now()
		o.edits++
	}
}

func (p *Provider) retrieve(kind, id string) (int, any) {
	o := p.objects[id]
	if o == nil || !o.shared || o.kind != kind {
		return refuse(http.StatusNotFound, "object_not_found", "Could not find "+kind+" with ID: "+id+
			". Make sure the relevant pages and databases are shared with your integration.")
	}
	return http.StatusOK, p.render(o)
}

// minute is the resolution of last_edited_time and created_time.
func minute(t time.Time) time.Time { return t.UTC().Truncate(time.Minute) }

func stamp(t time.Time) string { return minute(t).Format("2006-01-02T15:04:05.000Z") }

// Text makes a rich text array.
func Text(text string) []any {
	return []any{map[string]any{
		"type": "text", "text": map[string]any{"content": text, "link": nil}, "plain_text": text, "href": nil,
		"annotations": map[string]any{
			"bold": false, "italic": false, "strikethrough": false, "underline": false, "code": false, "color": "default",
		},
	}}
}

// render makes the object as the API shows it.
func (p *Provider) render(o *object) json.RawMessage {
	user := func(n int) map[string]any {
		return map[string]any{"object": "user", "id": fmt.Sprintf("%08x-1111-4111-8111-111111111111", n)}
	}
	m := map[string]any{
		"object": o.kind, "id": o.id, "created_time": stamp(o.created), "last_edited_time": stamp(o.edited),
		"created_by": user(o.createdBy), "last_edited_by": user(o.edits), "cover": nil,
		"icon":   map[string]any{"type": "emoji", "emoji": "\U0001F4D3"},
		"parent": o.parent, "archived": o.trashed, "in_trash": o.trashed,
		"url": "https://www.notion.so/" + strings.ReplaceAll(o.id, "-", ""), "public_url": nil,
	}
	properties := maps.Clone(o.properties)
	if properties == nil {
		properties = make(map[string]any)
	}
	switch {
	case o.kind == "data_source":
		m["title"], m["description"], m["is_inline"] = Text(o.title), Text("About "+o.title), false
		m["parent"], m["database_parent"] = map[string]any{"type": "database_id", "database_id": o.database}, o.parent
		properties["Name"] = map[string]any{"id": "title", "name": "Name", "type": "title", "title": map[string]any{}}
	default:
		properties["Name"] = map[string]any{"id": "title", "type": "title", "title": Text(o.title)}
	}
	if p.o.InTrash {
		delete(m, "archived")
	}
	m["properties"] = properties
	maps.Copy(m, o.overrides)
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // a mistake of the test: a value that is no JSON
	}
	return b
}
