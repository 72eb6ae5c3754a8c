package parquet

import (
	"encoding/binary"
	"math"
)

// Kind is what the values of a column are.
type Kind int

// The kinds.
const (
	Text Kind = iota
	JSON      // a text that is JSON
	Int       // 64 bits
	Double
	Bool
	Instant // microseconds since 1970, in UTC
)

// Column is a column of a file. Each of its values may be missing.
type Column struct {
	Name string
	Kind Kind
}

// The format's numbers for a kind.
func (k Kind) physical() int {
	return [...]int{Text: 6, JSON: 6, Int: 2, Double: 5, Bool: 0, Instant: 2}[k]
}

// values are those of one column and row group.
type values struct {
	kind   Kind
	b      []byte // as PLAIN encodes them, but for truths
	truths []bool
	levels []byte // runs of rows that have a value, or have none
	has    bool   // of the run that is not in levels yet
	run    uint64
}

func (v *values) mark(has bool) {
	if has != v.has {
		v.close()
		v.has = has
	}
	v.run++
}

// close ends the run.
func (v *values) close() {
	if v.run == 0 {
		return
	}
	v.levels = binary.AppendUvarint(v.levels, v.run<<1)
	level := byte(0)
	if v.has {
		level = 1
	}
	v.levels, v.run = append(v.levels, level), 0
}

// add adds the value of one row: a string, []byte, int64, float64 or bool, as the kind wants it,
// or nil for none.
func (v *values) add(value any) {
	v.mark(value != nil)
	switch x := value.(type) {
	case string:
		v.b = append(binary.LittleEndian.AppendUint32(v.b, uint32(len(x))), x...) //nolint:gosec // a record is smaller
	case []byte:
		v.b = append(binary.LittleEndian.AppendUint32(v.b, uint32(len(x))), x...) //nolint:gosec // a record is smaller
	case int64:
		v.b = binary.LittleEndian.AppendUint64(v.b, uint64(x)) //nolint:gosec // its bits
	case float64:
		v.b = binary.LittleEndian.AppendUint64(v.b, math.Float64bits(x))
	case bool:
		v.truths = append(v.truths, x)
	}
}

// page is the values as a page has them, before it is compressed.
func (v *values) page() []byte {
	v.close()
	b := append(binary.LittleEndian.AppendUint32(nil, uint32(len(v.levels))), v.levels...) //nolint:gosec // of one group
	b = append(b, v.b...)
	for i, is := range v.truths {
		if i%8 == 0 {
			b = append(b, 0)
		}
		if is {
			b[len(b)-1] |= 1 << (i % 8)
		}
	}
	return b
}

func (v *values) clear() {
	*v = values{kind: v.kind, b: v.b[:0], truths: v.truths[:0], levels: v.levels[:0]}
}
