package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// badLines counts the unusable lines of one transcript, and keeps the offsets of the
// first ones, in bytes. The cursor carries it: a line is read once, but as long as it
// is missing every run has to report it.
type badLines struct {
	count int64
	at    []int64
}

// maxPlaces bounds the places that are kept of one transcript.
const maxPlaces = 3

func (b *badLines) add(offset int64) {
	b.count++
	if len(b.at) < maxPlaces {
		// A copy, because a restored transcript continues with its earlier list.
		b.at = append(b.at[:len(b.at):len(b.at)], offset)
	}
}

func (b *badLines) read(count, at jsonvalue.Value) {
	b.count = count.Int()
	for it := at.Children(); it.Next() && len(b.at) < maxPlaces; {
		b.at = append(b.at, it.Value().Int())
	}
}

func (b *badLines) append(to []byte, count, at string) []byte {
	to = countMember(to, count, b.count)
	if len(b.at) == 0 {
		return to
	}
	to = append(jsonappend.Name(to, at), '[')
	for _, offset := range b.at {
		to = jsonappend.Int(jsonappend.Elem(to), offset)
	}
	return append(to, ']')
}

// noteLines reports the missing lines, including those of earlier runs.
func (c *collection) noteLines() {
	for _, t := range c.files.list {
		path := c.projects.shown(t.key)
		if t.torn() {
			c.problems.note(problemTorn, path)
		}
		c.problems.noteLines(problemInvalid, path, &t.invalid)
		c.problems.noteLines(problemTooLong, path, &t.tooLong)
		c.cutEver += t.cut
	}
}

func (p *problems) noteLines(kind problem, path string, lines *badLines) {
	if lines.count <= 0 {
		return
	}
	e := &p[kind]
	e.count += lines.count
	if len(lines.at) == 0 && len(e.examples) < maxExamples {
		e.examples = append(e.examples, path) // a condensed cursor has no places
	}
	for _, offset := range lines.at {
		if len(e.examples) < maxExamples {
			e.examples = append(e.examples, path+":"+strconv.FormatInt(offset, 10))
		}
	}
}
