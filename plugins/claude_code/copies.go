package main

import (
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
// Files that start with the same uuid are a family. Memory is used only for a member
// that sorts behind others, while it is read: for the hashes of their uuids.

// joinFamily looks for copies once the transcript's first uuid is known.
func (c *collection) joinFamily(t *transcript) {
	c.join(t)
	c.copies = c.uuidsBefore(t)
}

// join files the transcript under its first uuid. A transcript that is read again is
// filed again; its old entry, no longer valid, is skipped.
func (c *collection) join(t *transcript) {
	if t.root != "" && !t.subagent {
		c.families[t.root] = append(c.families[t.root], t)
	}
}

// copiesIn returns the uuids that t must leave to other transcripts.
func (c *collection) copiesIn(t *transcript, plan filecursor.Plan) map[uint64]struct{} {
	if plan != filecursor.Append || t.root == "" {
		return nil // nothing to read, or joinFamily does it
	}
	return c.uuidsBefore(t)
}

// uuidsBefore collects the uuids of the family's members that sort before t.
func (c *collection) uuidsBefore(t *transcript) map[uint64]struct{} {
	var uuids map[uint64]struct{}
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
			uuids = make(map[uint64]struct{})
		}
		c.collectUUIDs(other, uuids)
	}
	return uuids
}

// collectUUIDs reads a transcript for nothing but its uuids. A file that cannot
// be read claims nothing.
func (c *collection) collectUUIDs(t *transcript, into map[uint64]struct{}) {
	var sc filecursor.Scanner
	sc.MaxLine = maxLine
	if _, err := sc.Open(c.projects.fsys, c.projects.path(t.key), filecursor.Cursor{}); err != nil {
		return
	}
	var p parser
	for sc.Next() {
		claim := func(e *event, ok bool) {
			if ok && e.kind != lineOther && usableID(e.uuid) {
				into[hash64(e.uuid)] = struct{}{}
			}
		}
		e, ok := p.whole(sc.Line())
		if claim(e, ok); ok {
			continue
		}
		for s := jsonraw.NewSalvage(sc.Line(), isLine); s.Next(); {
			claim(p.parse(s.Object()))
		}
	}
	_, _ = sc.Close() // the lines read so far are all there are
}

// isCopy reports whether the line belongs to another transcript.
func (c *collection) isCopy(e *event) bool {
	if len(c.copies) == 0 || !usableID(e.uuid) {
		return false
	}
	_, ok := c.copies[hash64(e.uuid)]
	return ok
}

func hash64(b []byte) uint64 { return fingerprint.Text(fingerprint.Start, b) }
