package sqlitefile

import (
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is the storage class of a Value.
type Kind uint8

// The kinds. Oversized is a value that lies beyond Limits.MaxRowBytes.
const (
	Null Kind = iota
	Int
	Float
	Text
	Blob
	Oversized
)

// Value is one column of one row. Its bytes are valid until the next row.
type Value struct {
	Kind Kind
	num  uint64
	b    []byte
}

// Int returns the value as an integer: 0 for other types, and a float truncated towards
// zero, clamped to the range of int64.
func (v Value) Int() int64 {
	switch v.Kind {
	case Int:
		return int64(v.num)
	case Float:
		f := math.Float64frombits(v.num)
		switch {
		case f != f:
			return 0
		case f >= math.MaxInt64:
			return math.MaxInt64
		case f <= math.MinInt64:
			return math.MinInt64
		}
		return int64(f)
	}
	return 0
}

// Float returns the value as a float, 0 for other types. A REAL column stores whole
// numbers as integers, so this accepts both.
func (v Value) Float() float64 {
	switch v.Kind {
	case Int:
		return float64(int64(v.num))
	case Float:
		return math.Float64frombits(v.num)
	}
	return 0
}

// Bytes returns a Text's UTF-8 or a Blob's bytes, nil otherwise. Text comes from the
// file as it is: it may not be valid UTF-8.
func (v Value) Bytes() []byte { return v.b }

// Row is one row of a table, reused from row to row.
type Row struct {
	Rowid   int64
	values  []Value
	columns []Column
	payload []byte
	text    []byte // decoded UTF-16
}

// Value returns column i in the order of Table.Columns, Null beyond the last.
func (r *Row) Value(i int) Value {
	if i < 0 || i >= len(r.columns) {
		return Value{}
	}
	c := &r.columns[i]
	if c.rowidAlias {
		return Value{Kind: Int, num: uint64(r.Rowid)}
	}
	if c.stored < 0 {
		return Value{} // a virtual generated column is not in the file
	}
	if c.stored >= len(r.values) {
		return c.missing // the row is older than the column
	}
	return r.values[c.stored]
}

// decode splits the payload into values (section 2.1). total is the payload's whole
// length; payload may be shorter, see Limits.MaxRowBytes.
func (r *Row) decode(total uint64, encoding int) error {
	p := r.payload
	r.values, r.text = r.values[:0], r.text[:0]
	headLen, n := varint(p)
	if n == 0 || headLen < uint64(n) || headLen > total {
		return corrupt("record header")
	}
	if headLen > uint64(len(p)) {
		return tooLarge("record header")
	}
	head := p[n:headLen]
	at := headLen // offset of the next value within the whole payload
	for len(head) > 0 {
		serial, n := varint(head)
		if n == 0 || len(r.values) >= maxColumns {
			return corrupt("record header")
		}
		head = head[n:]
		size, ok := serialSize(serial)
		if !ok || size > total-at {
			return corrupt("serial type")
		}
		if at+size > uint64(len(p)) {
			r.values = append(r.values, Value{Kind: Oversized})
		} else {
			r.values = append(r.values, r.value(serial, p[at:at+size], encoding))
		}
		at += size
	}
	return nil
}

// serialSize returns how many bytes a value of that serial type takes.
func serialSize(serial uint64) (uint64, bool) {
	switch serial {
	case 0, 8, 9:
		return 0, true
	case 1, 2, 3, 4:
		return serial, true
	case 5:
		return 6, true
	case 6, 7:
		return 8, true
	case 10, 11:
		return 0, false // internal to SQLite, never in a file
	}
	return (serial - 12) / 2, true
}

func (r *Row) value(serial uint64, b []byte, encoding int) Value {
	switch {
	case serial == 0:
		return Value{}
	case serial <= 6:
		return Value{Kind: Int, num: uint64(signed(b))}
	case serial == 7:
		f := math.Float64frombits(uint64(signed(b)))
		if f != f {
			return Value{} // SQLite reads NaN as NULL
		}
		return Value{Kind: Float, num: math.Float64bits(f)}
	case serial == 8 || serial == 9:
		return Value{Kind: Int, num: serial - 8}
	case serial%2 == 0:
		return Value{Kind: Blob, b: b}
	}
	if encoding == encUTF8 {
		return Value{Kind: Text, b: b}
	}
	from := len(r.text)
	r.text = appendUTF16(r.text, b, encoding == encUTF16BE)
	return Value{Kind: Text, b: r.text[from:len(r.text):len(r.text)]}
}

// appendUTF16 appends the UTF-8 of b, unpaired surrogates as U+FFFD and an odd
// last byte dropped.
func appendUTF16(dst, b []byte, big bool) []byte {
	lo, hi := 0, 1
	if big {
		lo, hi = 1, 0
	}
	for i := 0; i+1 < len(b); i += 2 {
		c := rune(b[i+hi])<<8 | rune(b[i+lo])
		if utf16.IsSurrogate(c) {
			pair := rune(utf8.RuneError)
			if i+3 < len(b) {
				pair = utf16.DecodeRune(c, rune(b[i+2+hi])<<8|rune(b[i+2+lo]))
			}
			if pair != utf8.RuneError {
				i += 2
			}
			c = pair
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}
