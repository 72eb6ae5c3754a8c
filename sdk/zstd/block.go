package zstd

import (
	"errors"
	"io"
)

// maxBlock is the most that a block has, in bytes.
const maxBlock = 128 << 10

// The kinds of blocks.
const (
	blockRaw = iota
	blockRepeated
	blockCompressed
)

// blockMax returns the most that a block of this frame has.
func (r *Reader) blockMax() int { return int(min(r.window, maxBlock)) }

// block unpacks the next block behind r.buf, and reports whether it was the last of its frame.
func (r *Reader) block() (last bool, f *fault) {
	head, f := r.take(3)
	if f != nil {
		return false, f
	}
	v := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
	last = v&1 != 0
	kind, size := v>>1&3, v>>3
	if size > r.blockMax() {
		return false, damaged("a block is larger than it may be")
	}
	r.slide()
	switch kind {
	case blockRaw:
		src, f := r.take(size)
		r.buf = append(r.buf, src...)
		return last, f
	case blockRepeated:
		src, f := r.take(1)
		if f != nil {
			return false, f
		}
		for range size {
			r.buf = append(r.buf, src[0])
		}
		return last, nil
	case blockCompressed:
		src, f := r.take(size)
		if f != nil {
			return false, f
		}
		if src, f = r.readLiterals(src); f != nil {
			return false, f
		}
		kept := r.literals
		f = r.sequences(src)
		r.literals = kept[:0]
		return last, f
	}
	return false, damaged("a block is of a kind that there is not")
}

// slack is how much more than the window the memory has at least, so that the window is moved
// to its front once for many blocks.
const slack = 1 << 20

// kept returns how much of the content stays in memory, for matches.
func (r *Reader) kept() int { return int(min(r.window, uint64(r.Window))) }

// slide makes room for a block behind the window. Everything in front of it was given. The
// memory grows with the content: what a frame says of its window is no reason to allocate it.
func (r *Reader) slide() {
	if cap(r.buf)-len(r.buf) >= maxBlock {
		return
	}
	keep := min(len(r.buf), r.kept())
	from := r.buf[len(r.buf)-keep:]
	if most := r.kept() + slack; cap(r.buf) < most && (keep+maxBlock > cap(r.buf) || keep > cap(r.buf)/2) {
		r.buf = make([]byte, keep, min(most, max(2*cap(r.buf), keep+maxBlock)))
		copy(r.buf, from)
	} else {
		r.buf = r.buf[:copy(r.buf[:keep], from)]
	}
	r.given = len(r.buf)
}

// take returns the next n bytes of the input, at most maxBlock. They are good until the next
// call.
func (r *Reader) take(n int) ([]byte, *fault) {
	if cap(r.packed) < n {
		r.packed = make([]byte, n, max(n, min(2*n, maxBlock)))
	}
	p := r.packed[:n]
	got, err := io.ReadFull(r.in, p)
	r.at += int64(got)
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &fault{ErrCut, "it ends within a frame"}
	}
	return nil, &fault{err, "it could not be read"}
}
