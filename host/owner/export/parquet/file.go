package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
)

// A row group holds so much at most, and one row.
const (
	groupBytes = 16 << 20
	groupRows  = 1 << 20
)

// The format's numbers that every file has.
const (
	magic    = "PAR1"
	plain    = 0
	levelRLE = 3
	gzipped  = 2
	optional = 1
	creator  = "pdpp-host"
)

// File is a file that is being written. It is not safe for concurrent use.
type File struct {
	w       io.Writer
	columns []Column
	values  []values
	held    int // bytes
	rows    int // of this group
	all     int64
	at      int64 // where the file is written to
	groups  compact
	n       int // groups
	z       *gzip.Writer
}

// New begins a file.
func New(w io.Writer, columns []Column) (*File, error) {
	z, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	f := &File{w: w, columns: columns, values: make([]values, len(columns)), z: z}
	for i, c := range columns {
		f.values[i].kind = c.Kind
	}
	return f, f.put([]byte(magic))
}

func (f *File) put(b []byte) error {
	n, err := f.w.Write(b)
	f.at += int64(n)
	return err
}

// Row adds a row: a value of each column, or nil. Text and JSON are string or []byte, and the
// others int64, also of Instant, float64 and bool.
func (f *File) Row(row []any) error {
	for i, value := range row {
		before := len(f.values[i].b) + len(f.values[i].levels)
		f.values[i].add(value)
		f.held += len(f.values[i].b) + len(f.values[i].levels) - before
	}
	if f.rows++; f.held < groupBytes && f.rows < groupRows {
		return nil
	}
	return f.flush()
}

// flush writes the row group.
func (f *File) flush() error {
	if f.rows == 0 {
		return nil
	}
	g, total := &f.groups, int64(0)
	g.begin()
	g.list(1, typeStruct, len(f.columns))
	for i, c := range f.columns {
		page := f.values[i].page()
		var packed bytes.Buffer
		f.z.Reset(&packed)
		if _, err := f.z.Write(page); err != nil {
			return err
		}
		if err := f.z.Close(); err != nil {
			return err
		}
		begin, head := f.at, pageHead(len(page), packed.Len(), f.rows)
		if err := f.put(append(head, packed.Bytes()...)); err != nil {
			return err
		}
		size := int64(len(page) + len(head))
		total += size
		g.begin()
		g.i64(2, begin)
		g.structure(3)
		g.i32(1, c.Kind.physical())
		g.list(2, typeI32, 2)
		g.zigzag(plain)
		g.zigzag(levelRLE)
		g.list(3, typeBinary, 1)
		g.text(c.Name)
		g.i32(4, gzipped)
		g.i64(5, int64(f.rows))
		g.i64(6, size)
		g.i64(7, f.at-begin)
		g.i64(9, begin)
		g.end()
		g.end()
		f.values[i].clear()
	}
	g.i64(2, total)
	g.i64(3, int64(f.rows))
	g.end()
	f.all, f.n, f.rows, f.held = f.all+int64(f.rows), f.n+1, 0, 0
	return nil
}

func pageHead(size, packed, rows int) []byte {
	var c compact
	c.begin()
	c.i32(1, 0) // a page of data
	c.i32(2, size)
	c.i32(3, packed)
	c.structure(5)
	c.i32(1, rows)
	c.i32(2, plain)
	c.i32(3, levelRLE)
	c.i32(4, levelRLE)
	c.end()
	c.end()
	return c.b
}

// Close writes what is left and the file's end.
func (f *File) Close() error {
	if err := f.flush(); err != nil {
		return err
	}
	var c compact
	c.begin()
	c.i32(1, 1) // the version
	c.list(2, typeStruct, len(f.columns)+1)
	c.begin()
	c.binary(4, "record")
	c.i32(5, len(f.columns))
	c.end()
	for _, col := range f.columns {
		c.begin()
		c.i32(1, col.Kind.physical())
		c.i32(3, optional)
		c.binary(4, col.Name)
		if converted, logical := col.Kind.meaning(); logical > 0 {
			c.i32(6, converted)
			c.structure(10)
			c.structure(logical)
			if col.Kind == Instant {
				c.field(1, typeTrue) // it is adjusted to UTC
				c.structure(2)
				c.structure(2) // microseconds
				c.end()
				c.end()
			}
			c.end()
			c.end()
		}
		c.end()
	}
	c.i64(3, f.all)
	c.list(4, typeStruct, f.n)
	c.b = append(c.b, f.groups.b...)
	c.binary(6, creator)
	c.end()
	return f.put(append(binary.LittleEndian.AppendUint32(c.b, uint32(len(c.b))), magic...)) //nolint:gosec // of bounded columns
}

// meaning is what a kind's bytes are, in the format's old numbers and its new ones; 0: nothing
// but what they are.
func (k Kind) meaning() (converted int, logical byte) {
	switch k {
	case Text:
		return 0, 1
	case JSON:
		return 19, 12
	case Instant:
		return 10, 8
	case Int, Double, Bool:
	}
	return 0, 0
}
