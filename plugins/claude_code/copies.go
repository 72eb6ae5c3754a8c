package main

import (
	"strconv"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// A conversation that is resumed or forked starts as a copy of the lines so far, in a
// new file, with the same uuids. Where the copies keep their session id, they make the
// same records and nothing has to be decided. Where they get the new id, two files
// claim one key. The line then belongs to the file whose key sorts first, in every run,
// whichever existed first, so the stored records do not depend on the order in which
// runs met the files.
//
// One uuid with other content is no copy: the first keeps the uuid for its key, and the others have a
// sum of their content behind it.
//
// Files that start with the same uuid are a family. Memory is used only for a member
// that sorts behind others, while it is read: for the hashes of their uuids and
// contents.

// joinFamily looks for copies once the transcript's first uuid is known. Those that sort behind it leave their copies to
// it from now on: what they count is counted anew.
func (c *collection) joinFamily(t *transcript) {
	c.join(t)
	c.copies = c.uuidsBefore(t)
	if t.subagent {
		return
	}
	for _, other := range c.families[t.root] {
		if other.key > t.key && other.root == t.root && other.present && other.cursor.Known() {
			other.cursor, other.news = filecursor.Cursor{}, true
		}
	}
}

// join files the transcript under its first uuid. A transcript that is read again is
// filed again; its old entry, no longer valid, is skipped.
func (c *collection) join(t *transcript) {
	if t.root != "" && !t.subagent {
		c.families[t.root] = append(c.families[t.root], t)
	}
}

// copiesIn returns the uuids that t must leave to other transcripts.
func (c *collection) copiesIn(t *transcript, plan filecursor.Plan) map[uint64]uint64 {
	if plan != filecursor.Append || t.root == "" {
		return nil // nothing to read, or joinFamily does it
	}
	return c.uuidsBefore(t)
}

// uuidsBefore collects the uuids of the family's members that sort before t.
func (c *collection) uuidsBefore(t *transcript) map[uint64]uint64 {
	var uuids map[uint64]uint64
	if t.subagent {
		return nil
	}
	read := map[*transcript]bool{}
	for _, other := range c.families[t.root] {
		if other.key >= t.key || other.root != t.root || !other.present || read[other] {
			continue
		}
		read[other] = true
		if uuids == nil {
			uuids = make(map[uint64]uint64)
		}
		c.collectUUIDs(other, uuids)
	}
	return uuids
}

// collectUUIDs reads a transcript for nothing but its uuids. A file that cannot
// be read claims nothing.
func (c *collection) collectUUIDs(t *transcript, into map[uint64]uint64) {
	c.eachEvent(t, func(p *parser, _ int64, _ []byte) {
		if usableID(p.ev.uuid) {
			if id := hash64(p.ev.uuid); into[id] == 0 {
				into[id] = p.sum()
			}
		}
	})
}

// eachEvent reads a transcript from its start, and gives what makes records to do, with the byte at which its line
// begins.
func (c *collection) eachEvent(t *transcript, do func(p *parser, at int64, line []byte)) {
	var sc filecursor.Scanner
	sc.MaxLine, sc.Whole = maxLine, isWhole
	if _, err := sc.Open(c.projects.fsys, c.projects.path(t.key), filecursor.Cursor{}); err != nil {
		return
	}
	var p parser
	for sc.Next() {
		give := func(e *event, ok bool, line []byte) {
			if ok && e.kind != lineOther {
				do(&p, sc.Offset(), line)
			}
		}
		line, _ := asUTF8(sc.Line())
		e, ok := p.whole(line)
		if give(e, ok, line); ok {
			continue
		}
		for s := jsonraw.NewSalvage(line, isLine); s.Next(); {
			e, ok := p.parse(s.Object())
			give(e, ok, s.Object())
		}
	}
	_, _ = sc.Close() // the lines read so far are all there are
}

// keyOfAnother returns the key of a message without a uuid that was there before in the same transcript, "" for the
// first of its kind, whose key has nothing but its hash.
func (c *collection) keyOfAnother(t *transcript, e *event, session string, line []byte) string {
	if c.alike == nil {
		c.alike = map[uint64]int{}
		if c.begun > 0 { // those that an earlier run read
			c.eachEvent(t, func(p *parser, at int64, line []byte) {
				if at < c.begun && p.ev.kind == lineMessage && !usableID(p.ev.uuid) {
					c.alike[hash64(line)]++
				}
			})
		}
	}
	id := hash64(line)
	if c.alike[id]++; c.alike[id] == 1 {
		return ""
	}
	return hashID(text(e.typ), session, line) + ":" + strconv.Itoa(c.alike[id])
}

// keyOf returns the key of a line, "" where it has no uuid. copied says that another line has the same
// content and key: one of a transcript that this one leaves it to, or an earlier one of its own.
func (c *collection) keyOf(e *event) (key string, copied bool) {
	if !usableID(e.uuid) {
		return "", false
	}
	id, sum := hash64(e.uuid), c.parser.sum()
	first, known := c.copies[id]
	if !known {
		first, known = c.seen[id]
	}
	switch {
	case !known:
		if c.seen == nil {
			c.seen = map[uint64]uint64{}
		}
		c.seen[id] = sum
		return text(e.uuid), false
	case first == sum:
		return "", true
	}
	return text(e.uuid) + ":" + strconv.FormatUint(c.parser.keySum(), 16), false
}

// sum returns a hash of what a line says, never 0: of its text and not of where and when it was written,
// which a copy may have otherwise.
func (p *parser) sum() uint64 { return p.sumOf(p.text.Buf, p.text.Over) }

// keyCharacters is how much of a text counts one by one in a key: what a record had of it when keys got a sum.
const keyCharacters = 5000

// keySum is the sum that is in a key: of a long text it has the beginning and the length.
func (p *parser) keySum() uint64 {
	begun, n := p.text.Buf, 0
	for at := range view(begun) {
		if n == keyCharacters {
			rest := begun[at:]
			return p.sumOf(begun[:at], int64(utf8.RuneCount(rest))+p.text.Over)
		}
		n++
	}
	return p.sumOf(begun, p.text.Over)
}

func (p *parser) sumOf(said []byte, over int64) uint64 {
	e := &p.ev
	sum := fingerprint.Text(fingerprint.Start, p.form)
	for _, part := range [...][]byte{said, e.typ, e.role, e.attachment, e.snapshot, e.prompt, e.mode, e.entered} {
		sum = fingerprint.Step(fingerprint.Text(sum, part), 0)
	}
	return fingerprint.Mix(fingerprint.Step(sum, uint64(over))) | 1
}

func hash64(b []byte) uint64 { return fingerprint.Text(fingerprint.Start, b) }
