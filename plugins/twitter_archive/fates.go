package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// fate is what became of the files of one source. The cursor has those of the archive, so that a
// run which reads nothing anew says the same.
type fate struct {
	books exports.Books
	why   string // the problem for which the source was not read to its end
}

// fateOf returns the fate of a source.
func (r *run) fateOf(s *exports.Source) *fate {
	f := r.fates[s.Name]
	if f == nil {
		f = &fate{books: exports.NewBooks()}
		r.fates[s.Name] = f
	}
	return f
}

// appendFates appends those of the archives' sources, for a cursor.
func (r *run) appendFates(b []byte) []byte {
	b = append(b, '{')
	for _, s := range r.sources() {
		f := r.fateOf(s)
		b = append(jsonappend.Name(b, s.Name), '{')
		b = jsonappend.String(jsonappend.Name(b, "why"), f.why)
		b = append(f.books.AppendFates(jsonappend.Name(b, "fates")), '}')
	}
	return append(b, '}')
}

// remember takes the fates from a cursor.
func (r *run) remember(v jsonvalue.Value) {
	for _, s := range r.sources() {
		f := r.fateOf(s)
		f.why = v.Get(s.Name).Get("why").Str()
		f.books.ReadFates(v.Get(s.Name).Get("fates"))
	}
}

// problemOf returns what the archive's reader says is wrong with the file, as an error that is nil
// if nothing is.
func problemOf(f *exports.File) error {
	if f.Problem == nil {
		return nil
	}
	return f.Problem
}

// sources are those of the archives that are read.
func (r *run) sources() (list []*exports.Source) {
	for _, x := range r.exports {
		list = append(list, x.sources...)
	}
	return list
}
