// Package jsonvalue reads JSON that a connector did not write: one line of a
// file, one answer of a service.
//
// Here: a parser that checks the whole text once and leaves a flat list of
// nodes over it, and Value, a place in that list. Nothing is copied and nothing
// is decoded before a caller reads it. Not here: writing (package jsonappend) and
// finding lines in files (package filecursor).
//
// The grammar is RFC 8259, strictly, with one leniency: text may contain
// invalid UTF-8 and lone surrogate escapes. Reading such text gives U+FFFD in
// their place, as encoding/json does, so that a connector always passes valid
// text on. Of members with the same name the first one counts.
//
// A Doc is reused from one text to the next:
//
//	var doc jsonvalue.Doc
//	for lines.Next() {
//		v, err := doc.Parse(lines.Line())
//		…
//		id := v.Get("message").Get("id").Str()
//	}
//
// Parser and encoder are loops, not recursions: a guest may have a stack of
// 64 KiB. Neither Doc nor Value is safe for concurrent use.
package jsonvalue
