package zstd

import "io"

// The first four bytes of frames. Those of frames to pass over end in any digit.
const (
	magic     = 0xfd2fb528
	magicSkip = 0x184d2a50
)

// DefaultWindow is how much content a Reader has in memory when nothing else is set: what RFC
// 8878, section 3.1.1.1.2, recommends, and the window of the encoders' strongest ordinary level.
const DefaultWindow = 8 << 20

// Reader unpacks the frames of an input, one after the other. Set Window, if at all, before
// Reset.
type Reader struct {
	Window int64 // how much content stays in memory at most, in bytes; 0: DefaultWindow

	in     io.Reader
	at     int64 // bytes read of the input
	begun  int64 // where the block or frame begins that is read now
	err    error
	inside bool // a frame
	final  bool // the last block of the frame was unpacked
	any    bool // a frame was seen

	window  uint64 // of the frame
	content int64  // size that the frame declares, -1 without
	sum     bool   // the frame ends in a checksum
	size    int64  // unpacked of the frame
	hash    xxhash

	buf    []byte // the window, and behind it the block
	given  int    // up to where buf was given, or belongs to a block before
	packed []byte // of one block

	literals                  []byte
	codes                     huffman
	weights                   table
	lengths, offsets, matches field
	last                      [3]uint32 // the distances of the last matches
}

// NewReader returns a Reader of in.
func NewReader(in io.Reader) *Reader {
	r := &Reader{}
	r.Reset(in)
	return r
}

// Reset begins another input, with the memory of the one before.
func (r *Reader) Reset(in io.Reader) {
	window := r.Window
	if window <= 0 {
		window = DefaultWindow
	}
	*r = Reader{
		Window: window, in: in, buf: r.buf[:0], packed: r.packed, literals: r.literals[:0], weights: r.weights,
		lengths: field{table: r.lengths.table, maxSymbol: maxLiteralSymbol, maxLog: maxLiteralLog, counts: literalCounts, log: 6},
		offsets: field{table: r.offsets.table, maxSymbol: maxOffsetSymbol, maxLog: maxOffsetLog, counts: offsetCounts, log: 5},
		matches: field{table: r.matches.table, maxSymbol: maxMatchSymbol, maxLog: maxMatchLog, counts: matchCounts, log: 6},
	}
}

// Read implements io.Reader. At the end of the last frame it returns io.EOF, at a damaged place
// an *Error; everything in front of it was given.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.given == len(r.buf) {
		if r.err != nil {
			return 0, r.err
		}
		r.step()
	}
	n := copy(p, r.buf[r.given:])
	r.given += n
	return n, nil
}

// step reads the head of a frame, a block, or the end of a frame.
func (r *Reader) step() {
	r.begun = r.at
	var f *fault
	switch {
	case !r.inside:
		f = r.head()
	case r.final:
		f = r.end()
	default:
		r.final, f = r.block()
		if f != nil {
			// A broken block may have given anything.
			r.buf = r.buf[:min(r.given, len(r.buf))]
			break
		}
		out := r.buf[r.given:]
		r.size += int64(len(out))
		if r.sum {
			r.hash.write(out)
		}
		if r.content >= 0 && r.size > r.content {
			r.buf, f = r.buf[:r.given], damaged("a frame has more than it declares")
		}
	}
	if f != nil && r.err == nil {
		r.err = &Error{f.kind, r.begun, f.reason}
	}
}

// head reads the head of a frame, or passes over a frame that has no content.
func (r *Reader) head() *fault {
	first, f := r.take(4)
	if f != nil {
		if r.any && r.at == r.begun && f.kind == ErrCut { //nolint:errorlint // a kind is one of the package's own
			r.err = io.EOF
			return nil
		}
		return f
	}
	switch m := little32(first); {
	case m == magic:
	case m&^15 == magicSkip:
		r.any = true
		return r.pass()
	default:
		return damaged("no frame begins there")
	}
	r.any = true
	return r.describe()
}

// pass passes over a frame that is not for a decoder.
func (r *Reader) pass() *fault {
	b, f := r.take(4)
	if f != nil {
		return f
	}
	for left := int64(little32(b)); left > 0; {
		n := min(left, maxBlock)
		if _, f := r.take(int(n)); f != nil {
			return f
		}
		left -= n
	}
	return nil
}

// describe reads the head of a frame behind its first four bytes (RFC 8878, section 3.1.1.1).
func (r *Reader) describe() *fault {
	b, f := r.take(1)
	if f != nil {
		return f
	}
	d := b[0]
	single := d&(1<<5) != 0
	if d&(1<<3) != 0 {
		return damaged("the head of a frame has a bit that means nothing")
	}
	r.sum = d&(1<<2) != 0
	dictionary := [...]int{0, 1, 2, 4}[d&3]
	size := [...]int{0, 2, 4, 8}[d>>6]
	if single && size == 0 {
		size = 1
	}
	r.window = 0
	if !single {
		if b, f = r.take(1); f != nil {
			return f
		}
		base := uint64(1) << (10 + b[0]>>3)
		r.window = base + base/8*uint64(b[0]&7)
	}
	id, f := r.number(dictionary)
	if f != nil {
		return f
	}
	content, f := r.number(size)
	switch {
	case f != nil:
		return f
	case id != 0:
		return &fault{ErrUnsupported, "it was compressed with a dictionary"}
	case size == 2:
		content += 256
	}
	if r.content = -1; size > 0 {
		if content > 1<<62 {
			return damaged("a frame declares a size that there is not")
		}
		r.content = int64(content)
	}
	if single {
		r.window = content
	}
	r.begin()
	return nil
}

// number reads a number of so many bytes, the lowest first.
func (r *Reader) number(size int) (v uint64, f *fault) {
	b, f := r.take(size)
	for i := range b {
		v |= uint64(b[i]) << (8 * i)
	}
	return v, f
}

// begin forgets the frame before.
func (r *Reader) begin() {
	r.inside, r.final, r.size, r.last = true, false, 0, [3]uint32{1, 4, 8}
	r.buf, r.given = r.buf[:0], 0
	r.codes.known, r.lengths.known, r.offsets.known, r.matches.known = false, false, false, false
	r.hash.reset()
}

// end compares what a frame says of itself.
func (r *Reader) end() *fault {
	r.inside = false
	if r.content >= 0 && r.size != r.content {
		return damaged("a frame has less than it declares")
	}
	if !r.sum {
		return nil
	}
	b, f := r.take(4)
	if f != nil {
		return f
	}
	if little32(b) != uint32(r.hash.sum()) {
		return &fault{ErrChecksum, "the frame that ends there"}
	}
	return nil
}
