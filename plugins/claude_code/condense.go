package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
)

// A home folder may hold tens of thousands of transcripts, and a STATE has a limit. Beyond
// most of it, the transcripts that did not change for longest are condensed to their size,
// their times and their counts of bad lines, which is enough to see that they did not change.
// When a transcript of such a session does change, the condensed ones are read again, because
// the session's record needs their shares.
const (
	maxCursorBytes  = abi.MaxStateBytes * 3 / 4
	condenseToBytes = abi.MaxStateBytes / 2
)

// condense makes a cursor of size bytes smaller, by condensing transcripts from which
// this run reads nothing more.
func (c *collection) condense(size, limit int) {
	whole := make([]*transcript, 0, len(c.files.list))
	for _, t := range c.files.list {
		if !t.condensed && !t.news && t.cursor.Known() {
			whole = append(whole, t)
		}
	}
	slices.SortStableFunc(whole, func(a, b *transcript) int {
		return int(min(max(a.cursor.MTimeMS-b.cursor.MTimeMS, -1), 1))
	})
	for _, t := range whole {
		if size <= limit {
			return
		}
		before := len(cursor.Append(nil, t))
		t.condensed, t.Stamp = true, t.cursor.Stamp()
		size -= before - len(cursor.Append(nil, t))
	}
}

// expand marks the condensed transcripts to read again: those that changed, and those
// of a session with another changed transcript.
func (c *collection) expand() {
	changed := map[string]bool{}
	for _, t := range c.files.list {
		if t.present && t.news {
			changed[t.project+"/"+t.session] = true
		}
	}
	for _, t := range c.files.list {
		if t.present && t.condensed && changed[t.project+"/"+t.session] {
			t.condensed, t.cursor = false, filecursor.Cursor{}
		}
	}
}
