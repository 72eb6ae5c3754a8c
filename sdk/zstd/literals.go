package zstd

// literalsHead is the head of the literals section of a block (RFC 8878, section 3.1.1.3.1).
type literalsHead struct {
	kind             byte // 0 as they are, 1 one byte repeated, 2 with new codes, 3 with those before
	size, compressed int
	head             int // length of the head itself
	streams          int
}

func readLiteralsHead(src []byte) (l literalsHead, ok bool) {
	if len(src) == 0 {
		return l, false
	}
	l.kind, l.streams = src[0]&3, 1
	format := src[0] >> 2 & 3
	if l.kind < 2 {
		l.head = [...]int{1, 2, 1, 3}[format]
	} else {
		l.head = [...]int{3, 3, 4, 5}[format]
	}
	if len(src) < l.head {
		return l, false
	}
	v := uint64(0)
	for i := range l.head {
		v |= uint64(src[i]) << (8 * i)
	}
	switch {
	case l.kind < 2 && l.head == 1:
		l.size = int(v >> 3)
	case l.kind < 2:
		l.size = int(v >> 4)
	default:
		width := [...]uint{10, 10, 14, 18}[format]
		l.size, l.compressed = int(v>>4&(1<<width-1)), int(v>>(4+width)&(1<<width-1))
		if format != 0 {
			l.streams = 4
		}
	}
	return l, true
}

// literals unpacks the literals of a block into r.literals and returns the rest of the block.
func (r *Reader) readLiterals(src []byte) (rest []byte, f *fault) {
	l, ok := readLiteralsHead(src)
	if !ok {
		return nil, damaged("the block ends in the head of its literals")
	}
	src = src[l.head:]
	if l.size > r.blockMax() {
		return nil, damaged("the literals are more than a block may have")
	}
	switch l.kind {
	case 0:
		if len(src) < l.size {
			return nil, damaged("the block ends in its literals")
		}
		r.literals = append(r.literals[:0], src[:l.size]...)
		return src[l.size:], nil
	case 1:
		if len(src) < 1 {
			return nil, damaged("the block ends in its literals")
		}
		r.literals = sized(r.literals, l.size)
		for i := range r.literals {
			r.literals[i] = src[0]
		}
		return src[1:], nil
	}
	if len(src) < l.compressed {
		return nil, damaged("the block ends in its literals")
	}
	r.literals = sized(r.literals, l.size)
	return src[l.compressed:], r.unpackLiterals(src[:l.compressed], &l)
}

func (r *Reader) unpackLiterals(src []byte, l *literalsHead) *fault {
	if l.kind == 2 {
		n, f := r.codes.read(src, &r.weights)
		if f != nil {
			return f
		}
		src = src[n:]
	}
	if !r.codes.known {
		return damaged("the literals use codes that were never described")
	}
	if l.streams == 1 {
		return r.codes.decode(r.literals, src)
	}
	const jumps = 6
	if len(src) < jumps {
		return damaged("the block ends in its literals")
	}
	each := (l.size + 3) / 4
	if 3*each > l.size {
		return damaged("there are too few literals for four streams")
	}
	dst, sizes := r.literals, src[:jumps]
	src = src[jumps:]
	for i := range 3 {
		n := int(sizes[2*i]) | int(sizes[2*i+1])<<8
		if n > len(src) {
			return damaged("a stream of literals is longer than its block")
		}
		if f := r.codes.decode(dst[:each], src[:n]); f != nil {
			return f
		}
		dst, src = dst[each:], src[n:]
	}
	return r.codes.decode(dst, src)
}

// sized returns b with n bytes, of any content.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n, maxBlock)
	}
	return b[:n]
}
