package zstd

// The first value and the number of further bits of the codes of lengths (RFC 8878, section
// 3.1.1.3.2.1.1).
var (
	literalBase = [maxLiteralSymbol + 1]uint32{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024,
		2048, 4096, 8192, 16384, 32768, 65536,
	}
	literalBits = [maxLiteralSymbol + 1]uint8{
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	}
	matchBase = [maxMatchSymbol + 1]uint32{
		3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
		34, 35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539,
	}
	matchBits = [maxMatchSymbol + 1]uint8{
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	}
)

// The tables that need no description (RFC 8878, section 3.1.1.3.2.2).
var (
	literalCounts = []int16{
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
	}
	offsetCounts = []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}
	matchCounts  = []int16{
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
	}
)

// field is one of the three values of a sequence: its table, and since when it has one.
type field struct {
	table             table
	known             bool
	maxSymbol, maxLog int
	counts            []int16 // of the table without a description
	log               uint    // of that
}

// read reads the field's table, as mode says, and returns the rest.
func (c *field) read(mode byte, src []byte) ([]byte, *fault) {
	switch mode {
	case 0:
		c.known = true
		return src, c.table.build(c.counts, c.log)
	case 1:
		if len(src) == 0 || int(src[0]) > c.maxSymbol {
			return nil, damaged("a table's one symbol is not there")
		}
		c.table.one(src[0])
		c.known = true
		return src[1:], nil
	case 2:
		n, f := readTable(&c.table, src, c.maxSymbol, c.maxLog)
		if f != nil {
			return nil, f
		}
		c.known = true
		return src[n:], nil
	}
	if !c.known {
		return nil, damaged("a table is used again that was never described")
	}
	return src, nil
}

// sequencesHead reads how many sequences there are and their tables, and returns their bits.
func (r *Reader) sequencesHead(src []byte) (count int, rest []byte, f *fault) {
	short := damaged("the block ends in the head of its sequences")
	if len(src) == 0 {
		return 0, nil, short
	}
	head := 1
	switch b := int(src[0]); {
	case b < 128:
		count = b
	case b < 255:
		if head = 2; len(src) < head {
			return 0, nil, short
		}
		count = (b-128)<<8 + int(src[1])
	default:
		if head = 3; len(src) < head {
			return 0, nil, short
		}
		count = int(src[1]) + int(src[2])<<8 + 0x7f00
	}
	src = src[head:]
	if count == 0 {
		return 0, src, nil
	}
	if len(src) == 0 {
		return 0, nil, short
	}
	modes := src[0]
	if modes&3 != 0 {
		return 0, nil, damaged("the head of the sequences has bits that mean nothing")
	}
	src = src[1:]
	for i, c := range [...]*field{&r.lengths, &r.offsets, &r.matches} {
		if src, f = c.read(modes>>(6-2*i)&3, src); f != nil {
			return 0, nil, f
		}
	}
	return count, src, nil
}

// sequences carries out the sequences of a block behind r.buf.
func (r *Reader) sequences(src []byte) *fault {
	count, src, f := r.sequencesHead(src)
	if f != nil {
		return f
	}
	if count == 0 {
		if len(src) > 0 {
			return damaged("something follows a block's last literals")
		}
		return r.literal(len(r.literals))
	}
	var in backward
	if !in.open(src) {
		return damaged("the sequences have no end")
	}
	ll, of, ml := r.lengths.table.cells, r.offsets.table.cells, r.matches.table.cells
	lengthState, offsetState, matchState := in.read(r.lengths.table.log), in.read(r.offsets.table.log), in.read(r.matches.table.log)
	for i := range count {
		l, o, m := ll[lengthState], of[offsetState], ml[matchState]
		offset := uint32(1)<<o.symbol + in.read(uint(o.symbol))
		match := matchBase[m.symbol] + in.read(uint(matchBits[m.symbol]))
		length := literalBase[l.symbol] + in.read(uint(literalBits[l.symbol]))
		if in.over {
			return damaged("the sequences are cut off")
		}
		if i < count-1 {
			lengthState = uint32(l.base) + in.read(uint(l.bits))
			matchState = uint32(m.base) + in.read(uint(m.bits))
			offsetState = uint32(o.base) + in.read(uint(o.bits))
		}
		if f := r.literal(int(length)); f != nil {
			return f
		}
		if f := r.match(r.distance(offset, length == 0), int(match)); f != nil {
			return f
		}
	}
	if !in.ended() {
		return damaged("the sequences end elsewhere than their bits")
	}
	return r.literal(len(r.literals))
}

// distance turns an offset into how far back a match is: the first three mean one of the last
// distances (RFC 8878, section 3.1.1.5).
func (r *Reader) distance(offset uint32, noLiterals bool) uint32 {
	d := &r.last
	if offset > 3 {
		d[0], d[1], d[2] = offset-3, d[0], d[1]
		return d[0]
	}
	if noLiterals {
		offset++
	}
	switch offset {
	case 1:
	case 2:
		d[0], d[1] = d[1], d[0]
	case 3:
		d[0], d[1], d[2] = d[2], d[0], d[1]
	default:
		d[0], d[1], d[2] = d[0]-1, d[0], d[1]
	}
	return d[0]
}

// literal appends the next n literals.
func (r *Reader) literal(n int) *fault {
	if n > len(r.literals) {
		return damaged("a sequence wants more literals than there are")
	}
	if f := r.room(n); f != nil {
		return f
	}
	r.buf = append(r.buf, r.literals[:n]...)
	r.literals = r.literals[n:]
	return nil
}

// match appends n bytes from so far back. They may overlap with what is appended.
func (r *Reader) match(distance uint32, n int) *fault {
	switch {
	case distance == 0, uint64(distance) > r.window, int64(distance) > r.size+int64(len(r.buf)-r.given):
		return damaged("a match begins before the window")
	case uint64(distance) > uint64(len(r.buf)):
		return &fault{ErrUnsupported, "a match begins further back than the memory reaches"}
	}
	if f := r.room(n); f != nil {
		return f
	}
	from := len(r.buf) - int(distance)
	for n > 0 {
		k := min(n, len(r.buf)-from)
		r.buf = append(r.buf, r.buf[from:from+k]...)
		n -= k
	}
	return nil
}

// room reports whether the block may have n more bytes.
func (r *Reader) room(n int) *fault {
	if len(r.buf)-r.given+n > r.blockMax() {
		return damaged("a block has more than it may have")
	}
	return nil
}
