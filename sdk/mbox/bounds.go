package mbox

import "bytes"

// field is the field of a header that is being read.
type field struct {
	start int   // in the header
	over  bool  // the rest of it is left out
	cuts  []int // where the fields start that were cut
}

// take takes a line of the header, or a part of one. A field that is too long is cut behind a word or an
// address, and those behind it are read.
func (r *Reader) take(begins bool) {
	f := &r.field
	if begins && r.line[0] != ' ' && r.line[0] != '\t' {
		f.start, f.over = len(r.header), false
	}
	if f.over {
		return
	}
	room := min(FieldBytes-(len(r.header)-f.start), HeaderBytes-len(r.header))
	if len(r.line) <= room {
		r.header = append(r.header, r.line...)
		return
	}
	f.over = true
	r.header = append(r.header, r.line[:room]...)
	r.header = r.header[:f.start+bytes.LastIndexAny(r.header[f.start:], ", \t\n")+1]
	if len(r.header) == f.start {
		r.dropped = true
		return
	}
	r.header[len(r.header)-1] = '\n'
	f.cuts = append(f.cuts, f.start)
}
