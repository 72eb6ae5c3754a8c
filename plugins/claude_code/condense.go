package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// A home folder may hold tens of thousands of transcripts, and a STATE has a
// limit. Beyond most of it, the transcripts that did not change for longest are
// condensed to
//
//	[size, mtime_ms, invalid, too_long, cut]
//
// which is enough to see that they did not change. When a transcript of such a
// session does change, the condensed ones are read again, because the session's
// record needs their shares.
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
		before := len(t.append(nil))
		t.condensed, t.size, t.mtime = true, t.cursor.Size, t.cursor.MTimeMS
		size -= before - len(t.append(nil))
	}
}

func (t *transcript) appendCondensed(b []byte) []byte {
	b = append(b, '[')
	for _, n := range [...]int64{t.size, t.mtime, t.invalid.count, t.tooLong.count, t.cut} {
		b = jsonappend.Int(jsonappend.Elem(b), n)
	}
	return append(b, ']')
}

func (t *transcript) readCondensed(v jsonvalue.Value) {
	t.condensed = true
	t.size, t.mtime = v.At(0).Int(), v.At(1).Int()
	t.invalid.count, t.tooLong.count, t.cut = v.At(2).Int(), v.At(3).Int(), v.At(4).Int()
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
