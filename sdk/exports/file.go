package exports

import (
	"io"
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

// File is one file of an export. It is a reader of its bytes.
type File struct {
	archive.Entry

	// Place is where it lies, as its owner is told.
	Place string

	in   io.Reader
	text *charset.Reader
}

// NewFile returns the entry at hand of a source.
func NewFile(source string, a *archive.Reader) *File {
	f := &File{Entry: a.Entry(), in: a}
	f.Place = f.Name
	if source != "" {
		f.Place = source + ": " + f.Name
	}
	return f
}

// Read reads its bytes.
func (f *File) Read(p []byte) (int, error) { return f.in.Read(p) }

// Text returns a reader of it as UTF-8, always the same one. It takes the bytes that Read would.
func (f *File) Text() io.Reader {
	if f.text == nil {
		f.text = charset.New(f.in)
	}
	return f.text
}

// Base returns the last part of the name.
func (f *File) Base() string { return path.Base(f.Name) }

// Ending returns the ending of the name in lower case, with its dot.
func (f *File) Ending() string { return strings.ToLower(path.Ext(f.Name)) }

// Hidden reports whether a name is that of a file which a system or a program keeps for itself.
func Hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "__MACOSX" || strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	base := path.Base(name)
	return strings.EqualFold(base, "Thumbs.db") || strings.EqualFold(base, "desktop.ini")
}
