package main

import (
	"unicode/utf8"
	"unsafe"

	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// raw is the text of one value of a line.
type raw = jsonraw.Value

// maxField bounds the text of a field that is not content, in characters.
const maxField = 4096

// text returns the text of a JSON string, "" for any other kind. It may share the
// memory of the line: it is valid until the next line is read.
func text(v raw) string {
	in := v.Inside()
	for _, b := range in {
		if b == '\\' || b >= utf8.RuneSelf {
			c := jsonraw.Clipper{Left: maxField}
			c.Text(v)
			return string(c.Buf)
		}
	}
	in = in[:min(len(in), maxField)]
	return view(in)
}

// view is b as a string that shares its memory, for an argument that is used at
// once.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // the string is used up before b changes
}
