package rootfs

import (
	"bytes"
	"slices"
)

const (
	// maxPieces bounds the pieces of a file that are told apart. One that is read in more of
	// them, out of order, is not taken for read.
	maxPieces = 256
	// zipSlack is how far apart two pieces of a zip archive may be. Its directory, at its end,
	// repeats the names and fields that stand before each entry, so that a reader skips those.
	zipSlack = 256
)

// cover is which bytes of a file were read. Bytes that are read again count once.
type cover struct {
	pieces []piece // in order, with gaps between them that are wider than slack
	slack  int64
}

type piece struct{ from, to int64 }

// add adds the bytes that were read at an offset.
func (c *cover) add(off int64, b []byte) {
	if off == 0 && bytes.HasPrefix(b, []byte("PK\x03\x04")) {
		c.slack = zipSlack
	}
	p := piece{off, off + int64(len(b))}
	first, _ := slices.BinarySearchFunc(c.pieces, p, func(q, p piece) int {
		if q.to+c.slack < p.from {
			return -1
		}
		return 1
	})
	last := first
	for last < len(c.pieces) && c.pieces[last].from <= p.to+c.slack {
		p.from, p.to = min(p.from, c.pieces[last].from), max(p.to, c.pieces[last].to)
		last++
	}
	if first < last || len(c.pieces) < maxPieces {
		c.pieces = slices.Replace(c.pieces, first, last, p)
	}
}

// has reports whether every byte of a file of that size was read.
func (c *cover) has(size int64) bool {
	return len(c.pieces) > 0 && c.pieces[0].from == 0 && c.pieces[0].to >= size
}
