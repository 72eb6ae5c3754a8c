package postgres

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgconn"
)

// Rows are rows in the binary format of COPY, see the PostgreSQL manual, "COPY", "File
// Formats". A row begins with its number of fields, and each field with its length.
type Rows struct {
	fields uint16
	n      int
	buf    []byte
}

// NewRows begins rows of that many fields; size is how many bytes they may take.
func NewRows(fields uint16, size int) *Rows {
	r := &Rows{fields: fields, buf: make([]byte, 0, size+32)}
	r.buf = append(r.buf, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	return r
}

// Next begins a row.
func (r *Rows) Next() { r.n++; r.buf = binary.BigEndian.AppendUint16(r.buf, r.fields) }

// Int adds a bigint to the row.
func (r *Rows) Int(v int64) { r.buf = appendInt(r.buf, v) }

// Text adds a text to the row, NULL for nil.
func (r *Rows) Text(v []byte) { r.buf = appendBytes(r.buf, v) }

// Copy sends the rows with a statement COPY … FROM STDIN BINARY.
func (r *Rows) Copy(ctx context.Context, conn *pgconn.PgConn, statement string) error {
	if r.n == 0 {
		return nil
	}
	r.buf = append(r.buf, 0xff, 0xff)
	_, err := conn.CopyFrom(ctx, bytes.NewReader(r.buf), statement)
	return err
}

// Object ids of types (pg_type).
const (
	oidInt  = 20
	oidText = 25
	oidByte = 17
	oidTID  = 27
	oidBool = 16
	oidInt2 = 21
	oidInt4 = 23

	oidInts  = 1016
	oidTexts = 1009
	oidBytes = 1001
	oidTIDs  = 1010
)

// Array is a parameter of many values: one column of what unnest makes rows of.
type Array struct {
	oid, array uint32
	n          uint32
	buf        []byte
}

// Ints begins an array of bigint, of about n values.
func Ints(n int) *Array { return newArray(oidInt, oidInts, n*12) }

// Texts begins an array of text.
func Texts(n int) *Array { return newArray(oidText, oidTexts, n*64) }

// Bytes begins an array of bytea.
func Bytes(n int) *Array { return newArray(oidByte, oidBytes, n*36) }

// TIDs begins an array of tid, the place of a row in its table.
func TIDs(n int) *Array { return newArray(oidTID, oidTIDs, n*10) }

const arrayHeader = 20

func newArray(oid, array uint32, size int) *Array {
	return &Array{oid: oid, array: array, buf: make([]byte, arrayHeader, arrayHeader+size)}
}

// Int adds a number.
func (a *Array) Int(v int64) { a.n++; a.buf = appendInt(a.buf, v) }

// Add adds a value as it is sent, NULL for nil.
func (a *Array) Add(v []byte) { a.n++; a.buf = appendBytes(a.buf, v) }

// Len returns how many values there are.
func (a *Array) Len() int { return int(a.n) }

// binaryForm is the array as array_recv reads it: one dimension, whether it may hold a
// NULL, the type, the length, and the first index.
func (a *Array) binaryForm() []byte {
	for i, v := range []uint32{1, 1, a.oid, a.n, 1} {
		binary.BigEndian.PutUint32(a.buf[4*i:], v)
	}
	return a.buf
}

// Query runs a statement on arrays, $1 the first, and hands each row of the answer to row,
// whose fields are binary and nil for NULL. It prepares no statement that has a name.
func Query(ctx context.Context, conn *pgconn.PgConn, statement string, row func(fields [][]byte), arrays ...*Array) error {
	values, oids := make([][]byte, len(arrays)), make([]uint32, len(arrays))
	for i, a := range arrays {
		values[i], oids[i] = a.binaryForm(), a.array
	}
	r := conn.ExecParams(ctx, statement, values, oids, []int16{1}, []int16{1})
	for r.NextRow() {
		row(r.Values())
	}
	_, err := r.Close()
	return err
}

func appendInt(buf []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(buf, 0, 0, 0, 8), uint64(v)) //nolint:gosec // two's complement, as sent
}

func appendBytes(buf, v []byte) []byte {
	if v == nil {
		return append(buf, 0xff, 0xff, 0xff, 0xff)
	}
	return append(binary.BigEndian.AppendUint32(buf, uint32(len(v))), v...) //nolint:gosec // far below 4 GB
}
