package archive

import (
	"io"
	"io/fs"
	"time"
)

// Loose is one file of an unpacked export.
type Loose struct {
	Path          string // in the folder
	Size, MTimeMS int64
}

// loose walks files that lie in a folder as if they were an archive's entries.
type loose struct {
	fsys   fs.FS
	files  []Loose
	file   fs.File // of the entry at hand, once it was opened
	at     int     // behind the entry at hand
	passed int64
}

// OpenFiles opens files of a folder, in their order, as the entries of an archive that was
// unpacked there. A file that is an archive itself is refused as everywhere.
func OpenFiles(fsys fs.FS, files []Loose, l Limits) *Reader {
	r := &Reader{limits: l.withDefaults(), format: &loose{fsys: fsys, files: files}}
	for _, f := range files {
		r.size += f.Size
	}
	return r
}

func (l *loose) next() (Entry, int64, error) {
	l.close()
	if l.at > 0 {
		l.passed += l.files[l.at-1].Size
	}
	if l.at == len(l.files) {
		return Entry{}, 0, io.EOF
	}
	f := l.files[l.at]
	l.at++
	return Entry{Name: f.Path, Size: f.Size, Modified: time.UnixMilli(f.MTimeMS).UTC()}, f.Size, nil
}

func (l *loose) open() (io.Reader, error) {
	f := l.files[l.at-1]
	file, err := l.fsys.Open(f.Path)
	if err != nil {
		return nil, err
	}
	l.file = file
	return io.LimitReader(file, f.Size), nil // a file that grows meanwhile is read again
}

func (l *loose) done() int64 { return l.passed }

func (l *loose) close() {
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}
