package exports

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// sliceBytes is how much of an archive is read between two checkpoints at least.
const sliceBytes = 64 << 20

// cursorVersion changes with the meaning of a cursor, which is then forgotten.
const cursorVersion = 1

// Each reads every archive of a folder once, in the order of the names, for each stream in
// scope. The streams' cursors know an archive by name, size and time, and the place in one
// that was not read to its end.
type Each struct {
	// Wanted are the streams that need the archive at hand: it is new to their cursors.
	Wanted map[string]bool
	// Files and Problems count what the archive at hand has; Read adds to them.
	Files, Problems Tally
	// Read reads the entry at hand. An error of a reader is counted, and ends the entry; any
	// other one ends the run.
	Read func(a *archive.Reader) error

	h      *sdk.Host
	folder *Folder
	states map[string]map[string]state // by stream and archive
	failed Tally                       // problems of archives that were not read to their end

	unreadable error // of the archive at hand: its file failed, and may not fail again
}

// state is what a stream's cursor knows of one archive.
type state struct {
	size, mtimeMS   int64
	entries         int64 // that were read; -1: all
	files, problems Tally
}

// Run reads the archives.
func (e *Each) Run(h *sdk.Host, folder *Folder) error {
	e.h, e.folder, e.failed = h, folder, make(Tally)
	e.readCursors()
	for _, f := range folder.Files {
		if err := e.archive(f); err != nil {
			return err
		}
	}
	for _, stream := range h.Streams() { // the cursors forget archives that are gone
		if err := h.State(stream, e.cursor(stream)); err != nil {
			return err
		}
	}
	return nil
}

// Totals returns the counts of all archives that are there, of earlier runs, too.
func (e *Each) Totals() (files, problems Tally) {
	files, problems = make(Tally), make(Tally)
	problems.Add(e.failed)
	for _, st := range e.states[e.h.Streams()[0]] { // each stream's has them all
		files.Add(st.files)
		problems.Add(st.problems)
	}
	return files, problems
}

func (e *Each) readCursors() {
	e.states = make(map[string]map[string]state)
	for _, stream := range e.h.Streams() {
		known := make(map[string]state)
		e.states[stream] = known
		cursor := e.h.Cursor(stream)
		if cursor.Get("v").Int() != cursorVersion {
			continue
		}
		there := make(map[string]archive.File, len(e.folder.Files))
		for _, f := range e.folder.Files {
			there[f.Name] = f
		}
		for it := cursor.Get("archives").Children(); it.Next(); {
			name, v := it.Name().Str(), it.Value()
			st := state{v.Get("size").Int(), v.Get("mtime_ms").Int(), v.Get("entries").Int(), ReadTally(v.Get("files")), ReadTally(v.Get("problems"))}
			if f, ok := there[name]; ok && f.Size == st.size && f.MTimeMS == st.mtimeMS {
				known[name] = st
			}
		}
	}
}

// cursor is the stream's cursor as JSON.
func (e *Each) cursor(stream string) []byte {
	b := append(jsonappend.Int(jsonappend.Name([]byte{'{'}, "v"), cursorVersion), `,"archives":{`...)
	for _, f := range e.folder.Files {
		st, ok := e.states[stream][f.Name]
		if !ok {
			continue
		}
		b = append(jsonappend.Name(b, f.Name), '{')
		b = jsonappend.Int(jsonappend.Name(b, "size"), st.size)
		b = jsonappend.Int(jsonappend.Name(b, "mtime_ms"), st.mtimeMS)
		b = jsonappend.Int(jsonappend.Name(b, "entries"), st.entries)
		b = st.files.AppendJSON(jsonappend.Name(b, "files"))
		b = append(st.problems.AppendJSON(jsonappend.Name(b, "problems")), '}')
	}
	return append(b, "}}"...)
}

// begin finds the streams that need the archive, and how many of its entries all of them
// have.
func (e *Each) begin(f archive.File) (skip int64) {
	e.Wanted, e.Files, e.Problems, e.unreadable = make(map[string]bool), make(Tally), make(Tally), nil
	var from state
	for stream, known := range e.states {
		st := known[f.Name]
		if st.entries < 0 {
			continue
		}
		if len(e.Wanted) == 0 || st.entries < from.entries {
			from = st
		}
		e.Wanted[stream] = true
	}
	e.Files.Add(from.files)
	e.Problems.Add(from.problems)
	return from.entries
}

func (e *Each) archive(f archive.File) error {
	skip := e.begin(f)
	if len(e.Wanted) == 0 {
		return nil
	}
	a, err := archive.Open(e.folder.Root, f.Name, archive.Limits{})
	if err != nil {
		e.failed[ProblemOf(err)]++
		return nil
	}
	defer a.Close()
	var index, since int64
	for a.Next() {
		done, size := a.Progress()
		if index++; index <= skip {
			since = done
			continue
		}
		if err := e.entry(a); err != nil {
			return err
		}
		if err := e.h.Progress("reading "+f.Name, done, size, "bytes"); err != nil {
			return err
		}
		if e.h.Stopping() {
			return sdk.ErrStopped
		}
		if done, _ = a.Progress(); done-since >= sliceBytes {
			since = done
			if err := e.slice(f, index); err != nil {
				return err
			}
		}
	}
	err = a.Err()
	if err == nil {
		err = e.unreadable
	}
	if err != nil {
		for stream := range e.Wanted {
			delete(e.states[stream], f.Name)
		}
		e.failed.Add(e.Problems)
		e.failed[ProblemOf(err)]++
		return nil
	}
	return e.slice(f, -1)
}

func (e *Each) entry(a *archive.Reader) error {
	switch err := e.Read(a); ProblemOf(err) {
	case "":
		return err
	case Unreadable:
		e.unreadable = err
	default:
		e.Problems[ProblemOf(err)]++
	}
	return nil
}

// slice closes a slice of the archive: its first entries, or all of it (-1).
func (e *Each) slice(f archive.File, entries int64) error {
	for _, stream := range e.h.Streams() {
		if !e.Wanted[stream] {
			continue
		}
		st := state{f.Size, f.MTimeMS, entries, make(Tally), make(Tally)}
		st.files.Add(e.Files)
		st.problems.Add(e.Problems)
		e.states[stream][f.Name] = st
		if err := e.h.Slice(stream, f.Name+" "+strconv.FormatInt(entries, 10), e.cursor(stream)); err != nil {
			return err
		}
	}
	return nil
}

// Elements calls fn for each value that next finds, until one of them fails or the run is to
// stop.
func Elements(h *sdk.Host, next func() bool, fn func() error) error {
	for next() {
		if h.Stopping() {
			return sdk.ErrStopped
		}
		if err := fn(); err != nil {
			return err
		}
	}
	return nil
}
