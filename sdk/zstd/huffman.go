package zstd

import "math/bits"

// maxHuffmanLog is how long a Huffman code of literals may be, in bits.
const maxHuffmanLog = 11

// code is what the next bits of a Huffman stream mean.
type code struct{ symbol, bits uint8 }

// huffman is a table of Huffman codes, by the next log bits.
type huffman struct {
	codes [1 << maxHuffmanLog]code
	log   uint
	known bool
}

// read reads the description of the codes and returns its length in bytes.
func (h *huffman) read(src []byte, weights *table) (int, *fault) {
	h.known = false
	if len(src) == 0 {
		return 0, damaged("the literals end in the description of their codes")
	}
	var w [maxWeightSymbol + 1]uint8
	var n, used int
	head := int(src[0])
	if head < 128 {
		if used = 1 + head; used > len(src) {
			return 0, damaged("the literals end in the description of their codes")
		}
		var f *fault
		if n, f = readWeights(&w, src[1:used], weights); f != nil {
			return 0, f
		}
	} else {
		n = head - 127
		if used = 1 + (n+1)/2; used > len(src) {
			return 0, damaged("the literals end in the description of their codes")
		}
		for i := range n {
			w[i] = src[1+i/2] >> (4 * (1 - i&1)) & 15
		}
	}
	return used, h.build(&w, n)
}

// readWeights reads weights that are compressed by FSE, with two states in turn.
func readWeights(w *[maxWeightSymbol + 1]uint8, src []byte, t *table) (int, *fault) {
	used, f := readTable(t, src, maxWeightSymbol, maxWeightLog)
	if f != nil {
		return 0, f
	}
	var in backward
	if !in.open(src[used:]) {
		return 0, damaged("the weights of the codes have no end")
	}
	states := [2]uint32{in.read(t.log), in.read(t.log)}
	if in.over {
		return 0, damaged("the weights of the codes are cut off")
	}
	for n := 0; n < maxWeightSymbol-1; {
		c := &t.cells[states[n&1]]
		w[n] = c.symbol
		n++
		if in.left() < int(c.bits) {
			w[n] = t.cells[states[n&1]].symbol
			return n + 1, nil
		}
		states[(n-1)&1] = uint32(c.base) + in.read(uint(c.bits))
	}
	return 0, damaged("there are more weights than codes")
}

// build makes the codes of n weights; that of the last symbol is what the others leave.
func (h *huffman) build(w *[maxWeightSymbol + 1]uint8, n int) *fault {
	sum := 0
	for _, weight := range w[:n] {
		if weight > maxHuffmanLog {
			return damaged("a code is longer than allowed")
		}
		if weight > 0 {
			sum += 1 << (weight - 1)
		}
	}
	log := bits.Len(uint(sum))
	if sum == 0 || log > maxHuffmanLog {
		return damaged("the codes of the literals do not add up")
	}
	rest := 1<<log - sum
	if rest&(rest-1) != 0 {
		return damaged("the codes of the literals do not add up")
	}
	w[n] = uint8(bits.Len(uint(rest)))
	n++
	// The longest codes come first, and those of one length by their symbols.
	var starts [maxHuffmanLog + 2]int
	for _, weight := range w[:n] {
		if weight > 0 {
			starts[weight+1] += 1 << (weight - 1)
		}
	}
	for i := 2; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	for s, weight := range w[:n] {
		if weight == 0 {
			continue
		}
		c := code{uint8(s), uint8(log + 1 - int(weight))}
		at := starts[weight]
		starts[weight] += 1 << (weight - 1)
		for i := at; i < starts[weight]; i++ {
			h.codes[i] = c
		}
	}
	h.log, h.known = uint(log), true
	return nil
}

// decode fills dst from one stream.
func (h *huffman) decode(dst, src []byte) *fault {
	var in backward
	if !in.open(src) {
		return damaged("a stream of literals has no end")
	}
	mask := uint64(1)<<h.log - 1
	i := 0
	for i < len(dst) {
		in.fill()
		for in.n >= h.log && i < len(dst) {
			c := h.codes[in.acc>>(in.n-h.log)&mask]
			in.n -= uint(c.bits)
			dst[i] = c.symbol
			i++
		}
		if i == len(dst) || len(in.src) > 0 {
			continue
		}
		// The last codes, with zeros behind the beginning.
		c := h.codes[in.acc<<(h.log-in.n)&mask]
		if uint(c.bits) > in.n {
			return damaged("a stream of literals is cut off")
		}
		in.n -= uint(c.bits)
		dst[i] = c.symbol
		i++
	}
	if !in.ended() {
		return damaged("a stream of literals is longer than its literals")
	}
	return nil
}
