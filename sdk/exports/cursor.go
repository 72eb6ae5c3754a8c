package exports

import (
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// cursorVersion changes with the meaning of a cursor, which is then forgotten, so that what an
// older connector did not understand is looked at again.
const cursorVersion = 6

// state is what a stream's cursor knows of one source.
type state struct {
	files.Stamp

	entries int64 // that were read; -1: all
	begun   int64 // how many runs began it that did not read it to its end
	books   Books
	why     string // the problem for which it was not read to its end, though nothing more can be read of it
}

func (e *Each) readCursors() {
	e.states, e.gone = make(map[string]map[string]state), make(map[string]bool)
	there, open := make(map[string]*Source, len(e.folder.Sources)), make(map[string]bool)
	for i := range e.folder.Sources {
		s := &e.folder.Sources[i]
		there[s.Name] = s
		if p, ok := PartOf(s.Name); ok {
			open[p.Of] = true
		}
	}
	for _, stream := range e.h.Streams() {
		known := make(map[string]state)
		e.states[stream] = known
		cursor := e.h.Cursor(stream)
		if cursor.Get("v").Int() != cursorVersion {
			continue
		}
		remember := func(name string) { // a part that its owner took out was read all the same
			if p, ok := PartOf(name); ok && open[p.Of] && there[name] == nil {
				e.gone[name] = true
			}
		}
		for it := cursor.Get("gone").Children(); it.Next(); {
			remember(it.Value().Str())
		}
		for it := cursor.Get("sources").Children(); it.Next(); {
			name, v := it.Name().Str(), it.Value()
			st := state{files.Stamp{Size: v.Get("size").Int(), MTimeMS: v.Get("mtime_ms").Int(), CTimeMS: v.Get("ctime_ms").Int()}, v.Get("entries").Int(), v.Get("begun").Int(), Books{Kinds: ReadTally(v.Get("kinds")), Problems: ReadFindings(v.Get("problems")), fates: readFates(v.Get("fates"))}, v.Get("why").Str()}
			if s := there[name]; s != nil && st.Same(s.Stamp) {
				files.Learn(&st.Stamp, s.Stamp)
				known[name] = st
			}
			if st.entries < 0 {
				remember(name)
			}
		}
	}
}

// cursor is the stream's cursor as JSON.
func (e *Each) cursor(stream string) []byte {
	b := append(jsonappend.Int(jsonappend.Name([]byte{'{'}, "v"), cursorVersion), `,"sources":{`...)
	for i := range e.folder.Sources {
		name := e.folder.Sources[i].Name
		st, ok := e.states[stream][name]
		if !ok {
			continue
		}
		b = append(jsonappend.Name(b, name), '{')
		b = jsonappend.Int(jsonappend.Name(b, "size"), st.Size)
		b = jsonappend.Int(jsonappend.Name(b, "mtime_ms"), st.MTimeMS)
		if st.CTimeMS != 0 {
			b = jsonappend.Int(jsonappend.Name(b, "ctime_ms"), st.CTimeMS)
		}
		b = jsonappend.Int(jsonappend.Name(b, "entries"), st.entries)
		if st.begun > 0 {
			b = jsonappend.Int(jsonappend.Name(b, "begun"), st.begun)
		}
		if st.why != "" {
			b = jsonappend.String(jsonappend.Name(b, "why"), st.why)
		}
		b = st.books.Kinds.AppendJSON(jsonappend.Name(b, "kinds"))
		b = st.books.Problems.AppendJSON(jsonappend.Name(b, "problems"))
		b = append(st.books.fates.appendJSON(jsonappend.Name(b, "fates")), '}')
	}
	b = append(b, '}')
	if len(e.gone) > 0 {
		b = jsonappend.Strings(jsonappend.Name(b, "gone"), Sorted(e.gone))
	}
	return append(b, '}')
}
