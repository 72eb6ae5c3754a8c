package filecursor

import (
	"slices"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Files maps paths to cursors, each with other data that the connector keeps of its
// file. The zero Files is empty and ready.
type Files struct {
	entries map[string]*entry
	paths   []string // sorted; nil: to be made
	encoded int      // size of the last encoding, in bytes
	read    int64    // since Due was true
}

type entry struct {
	cursor Cursor
	extra  []byte
	seen   bool
}

const nameExtra = "extra"

// ParseFiles reads the output of Files.AppendJSON, a part of a committed cursor. A
// value that is not an object gives an empty Files, and an entry that is not a cursor
// is a file never seen.
func ParseFiles(v jsonvalue.Value) *Files {
	f := &Files{entries: make(map[string]*entry)}
	for it := v.Children(); it.Next(); {
		if v.Kind() != jsonvalue.Object {
			break
		}
		e := &entry{cursor: ParseCursor(it.Value())}
		if extra := it.Value().Get(nameExtra); !extra.IsNull() {
			e.extra = extra.AppendJSON(nil)
		}
		f.entries[it.Name().Str()] = e
	}
	return f
}

// Cursor returns the cursor of a file, the zero Cursor for one never seen, and
// notes that the file is still there.
func (f *Files) Cursor(path string) Cursor {
	e := f.entries[path]
	if e == nil {
		return Cursor{}
	}
	e.seen = true
	return e.cursor
}

// Extra returns the other data kept of a file, JSON as it was Set; nil without.
func (f *Files) Extra(path string) []byte {
	if e := f.entries[path]; e != nil {
		return e.extra
	}
	return nil
}

// Set keeps a cursor and, beside it, extra: one JSON value of the connector's
// own (counts, a session's id), nil for none. It copies extra.
func (f *Files) Set(path string, c Cursor, extra []byte) {
	e := f.entries[path]
	if e == nil {
		if f.entries == nil {
			f.entries = make(map[string]*entry)
		}
		e = &entry{}
		f.entries[path] = e
		f.paths = nil
	}
	e.cursor, e.seen = c, true
	e.extra = append(e.extra[:0], extra...)
}

// Vanished lists, sorted, the files for which this run called neither Cursor nor Set.
// Call it after a whole walk, never after an error or a stop: a file that was not
// visited has not vanished.
func (f *Files) Vanished() []string {
	var gone []string
	for _, path := range f.sorted() {
		if !f.entries[path].seen {
			gone = append(gone, path)
		}
	}
	return gone
}

// Remove forgets a file.
func (f *Files) Remove(path string) {
	if _, ok := f.entries[path]; ok {
		delete(f.entries, path)
		f.paths = nil
	}
}

// Len returns how many files are known.
func (f *Files) Len() int { return len(f.entries) }

func (f *Files) sorted() []string {
	if f.paths == nil {
		f.paths = make([]string, 0, len(f.entries))
		for path := range f.entries {
			f.paths = append(f.paths, path)
		}
		slices.Sort(f.paths)
	}
	return f.paths
}

// AppendJSON appends an object from path to cursor, by path: the same files
// give the same bytes. The connector puts it into its own cursor:
//
//	cursor = append(cursor[:0], `{"files":`...)
//	cursor = append(files.AppendJSON(cursor), '}')
func (f *Files) AppendJSON(dst []byte) []byte {
	from := len(dst)
	dst = append(dst, '{')
	for _, path := range f.sorted() {
		if !utf8.ValidString(path) {
			continue // no fs.FS opens it, and two such names could become one
		}
		e := f.entries[path]
		dst = append(jsonappend.Name(dst, path), '{')
		if e.cursor.known {
			dst = e.cursor.appendMembers(dst)
		}
		if len(e.extra) > 0 {
			dst = append(jsonappend.Name(dst, nameExtra), e.extra...)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, '}')
	f.encoded = len(dst) - from
	return dst
}

// CheckpointEvery is how many bytes are read between two checkpoints at least.
const CheckpointEvery = 16 << 20

// encodeShare is how many bytes are read for each byte of cursor encoded. A
// cursor over ten thousand files is two megabytes: one for each file would cost
// more than reading them.
const encodeShare = 16

// Due adds bytes read (Result.Bytes) and reports whether it is time for a
// checkpoint, a slice in the sense of Host.Slice: after 16 MiB, later when the
// cursor itself is large. True starts the count anew.
func (f *Files) Due(bytes int64) bool {
	f.read += bytes
	if f.read < max(CheckpointEvery, encodeShare*int64(f.encoded)) {
		return false
	}
	f.read = 0
	return true
}
