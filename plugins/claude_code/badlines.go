package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// badLines counts the unusable lines of one transcript, and keeps the numbers of the
// first ones. The cursor carries it: a line is read once, but as long as it
// is missing every run has to report it.
type badLines struct {
	count int64
	at    []int64
}

// maxPlaces bounds the places that are kept of one transcript.
const maxPlaces = 3

func (b *badLines) add(line int64) {
	b.count++
	if len(b.at) < maxPlaces {
		// A copy, because a restored transcript continues with its earlier list.
		b.at = append(b.at[:len(b.at):len(b.at)], line)
	}
}

// members are the count, and the places unless the transcript is condensed.
func (b *badLines) members(m *cursor.Members, count, at string, condensed bool) {
	if m.Int(count, &b.count); !condensed {
		m.Ints(at, &b.at, maxPlaces)
	}
}

// noteLines reports the missing lines, including those of earlier runs.
func (c *collection) noteLines() {
	for _, t := range c.files.list {
		path := c.projects.shown(t.key)
		if t.strange && t.present {
			c.note(notUnderstood, path)
			c.books.Unknown(c.projects.root, c.projects.path(t.key))
			continue
		}
		switch {
		case t.present && t.Size == 0 && c.isSettled(t):
			c.note(emptyFiles, path)
		case c.isCut(t):
			c.note(cutLines, path)
		case t.torn():
			c.note(tornLines, path)
		}
		c.noteBad(invalidLines, path, &t.invalid)
		c.noteBad(longLines, path, &t.tooLong)
		for _, kind := range t.unknown {
			c.note(unknownTypes, path+", "+kind)
		}
		c.accountBad(t)
		c.cutEver += t.cut
	}
}

// accountBad tells the host of a transcript that has lines which no record holds, or not whole.
func (c *collection) accountBad(t *transcript) {
	switch {
	case !t.present:
	case t.invalid.count > 0:
		c.books.Damaged(c.projects.root, c.projects.path(t.key), invalidLines.Reason)
	case t.tooLong.count > 0:
		c.books.Known(c.projects.root, c.projects.path(t.key), longLines.Reason)
	case len(t.unknown) > 0:
		c.books.Known(c.projects.root, c.projects.path(t.key), unknownTypes.Reason)
	case c.isCut(t):
		c.books.Damaged(c.projects.root, c.projects.path(t.key), cutLines.Reason)
	case t.cut > 0:
		c.books.Beginning(c.projects.root, c.projects.path(t.key), ruleMessages)
	}
}

func (c *collection) noteBad(p *problem, path string, lines *badLines) {
	if lines.count <= 0 {
		return
	}
	if len(lines.at) == 0 {
		c.problems.Add(&p.Kind, int(lines.count), path, "") // a condensed cursor has no places
		return
	}
	c.problems.Add(&p.Kind, int(lines.count), "", "")
	for _, line := range lines.at {
		c.problems.Add(&p.Kind, 0, problems.Line(path, line), "")
	}
}
