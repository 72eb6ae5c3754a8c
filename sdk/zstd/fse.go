package zstd

import "math/bits"

// The largest symbols and accuracies of the four kinds of tables (RFC 8878, section 3.1.1.3.2).
const (
	maxLiteralSymbol, maxLiteralLog = 35, 9
	maxOffsetSymbol, maxOffsetLog   = 31, 8
	maxMatchSymbol, maxMatchLog     = 52, 9
	maxWeightSymbol, maxWeightLog   = 255, 6
)

// cell is one state of a table: the symbol, and how the next state is made.
type cell struct {
	base   uint16
	symbol uint8
	bits   uint8
}

// table is an FSE table. Its cells are 1<<log; a table of one symbol has one cell and log 0.
type table struct {
	cells []cell
	log   uint
}

// readTable reads the description of a table into t and returns its length in bytes.
func readTable(t *table, src []byte, maxSymbol, maxLog int) (int, *fault) {
	in := forward{src: src}
	log := in.read(4) + 5
	if log > maxLog {
		return 0, damaged("a table is more accurate than allowed")
	}
	var counts [maxWeightSymbol + 1]int16
	left, threshold, width := 1<<log+1, 1<<log, log+1
	symbol := 0
	for left > 1 && symbol <= maxSymbol && in.at <= 8*len(src) {
		short := 2*threshold - 1 - left
		v := in.peek(width)
		count := v & (threshold - 1)
		if count < short {
			in.at += width - 1
		} else {
			in.at += width
			if count = v; count >= threshold {
				count -= short
			}
		}
		count-- // -1 is a probability below one
		counts[symbol] = int16(count)
		symbol++
		left -= max(count, -count)
		for count == 0 {
			skip := in.read(2)
			if symbol += skip; skip < 3 {
				break
			}
			if symbol > maxSymbol {
				break
			}
		}
		for left < threshold && threshold > 1 {
			width--
			threshold >>= 1
		}
	}
	n := in.bytes()
	if left != 1 || symbol > maxSymbol+1 || n < 0 {
		return 0, damaged("the description of a table does not add up")
	}
	return n, t.build(counts[:symbol], uint(log))
}

// build makes the cells (RFC 8878, section 4.1.1).
func (t *table) build(counts []int16, log uint) *fault {
	size := 1 << log
	if cap(t.cells) < size {
		t.cells = make([]cell, 1<<maxLiteralLog)
	}
	t.cells, t.log = t.cells[:size], log
	var next [maxWeightSymbol + 1]uint16
	high := size - 1
	for s, n := range counts {
		next[s] = uint16(n)
		if n < 0 {
			t.cells[high].symbol = uint8(s)
			next[s] = 1
			high--
		}
	}
	step, mask, at := size>>1+size>>3+3, size-1, 0
	for s, n := range counts {
		for range n {
			t.cells[at].symbol = uint8(s)
			at = (at + step) & mask
			for at > high {
				at = (at + step) & mask
			}
		}
	}
	if at != 0 {
		return damaged("a table has more symbols than room")
	}
	for i := range t.cells {
		c := &t.cells[i]
		n := next[c.symbol]
		next[c.symbol]++
		width := log + 1 - uint(bits.Len16(n))
		c.bits = uint8(width)
		c.base = n<<width - uint16(size)
	}
	return nil
}

// one makes t a table that always gives the same symbol.
func (t *table) one(symbol byte) {
	if cap(t.cells) < 1 {
		t.cells = make([]cell, 1<<maxLiteralLog)
	}
	t.cells, t.log = t.cells[:1], 0
	t.cells[0] = cell{symbol: symbol}
}
