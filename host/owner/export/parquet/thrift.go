package parquet

import "encoding/binary"

// The types of Thrift's compact protocol that the format's metadata has.
const (
	typeTrue   = 1 // the value of a truth is its type
	typeI32    = 5
	typeI64    = 6
	typeBinary = 8
	typeList   = 9
	typeStruct = 12
)

// compact writes Thrift's compact protocol. A struct's fields come in the order of their ids.
type compact struct {
	b    []byte
	last []byte // the id of the last field, of each open struct
}

func (c *compact) varint(n uint64) { c.b = binary.AppendUvarint(c.b, n) }

func (c *compact) zigzag(n int64) { c.b = binary.AppendVarint(c.b, n) }

func (c *compact) begin() { c.last = append(c.last, 0) }

func (c *compact) end() {
	c.b = append(c.b, 0)
	c.last = c.last[:len(c.last)-1]
}

func (c *compact) field(id, kind byte) {
	at := &c.last[len(c.last)-1]
	c.b = append(c.b, (id-*at)<<4|kind) // ids are never 16 apart
	*at = id
}

func (c *compact) i32(id byte, n int) { c.field(id, typeI32); c.zigzag(int64(n)) }

func (c *compact) i64(id byte, n int64) { c.field(id, typeI64); c.zigzag(n) }

func (c *compact) text(s string) {
	c.varint(uint64(len(s)))
	c.b = append(c.b, s...)
}

func (c *compact) binary(id byte, s string) { c.field(id, typeBinary); c.text(s) }

func (c *compact) structure(id byte) { c.field(id, typeStruct); c.begin() }

func (c *compact) list(id, kind byte, n int) {
	c.field(id, typeList)
	if n < 15 {
		c.b = append(c.b, byte(n)<<4|kind)
		return
	}
	c.b = append(c.b, 0xf0|kind)
	c.varint(uint64(n))
}
