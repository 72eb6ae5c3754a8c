package main

import (
	"slices"
	"unicode/utf8"
	"unsafe"
)

// maxField bounds the text of a field that is not content, in characters.
const maxField = 4096

// text returns the text of a JSON string, "" for any other kind. It may share the
// memory of the line: it is valid until the next line is read.
func text(v raw) string {
	in := v.inside()
	for _, b := range in {
		if b == '\\' || b >= utf8.RuneSelf {
			c := clipper{left: maxField}
			c.value(v)
			return string(c.buf)
		}
	}
	in = in[:min(len(in), maxField)]
	return view(in)
}

// sortedKeys returns the keys of a map in order: the records of a run depend on its
// input alone.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// view is b as a string that shares its memory, for an argument that is used at
// once.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // the string is used up before b changes
}

// hexText spells bytes as lower-case hexadecimal digits. encoding/hex would do,
// but links fmt and reflection into the guest.
func hexText(b []byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}
