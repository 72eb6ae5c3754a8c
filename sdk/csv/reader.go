package csv

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Bounds on one row.
const (
	RowBytes = 1 << 20
	Fields   = 4096 // further ones are left out
)

// The codes of faults. They are the connector's own.
const (
	// CodeTruncated: the text ends within a row.
	CodeTruncated abi.Code = "csv.truncated"
	// CodeSyntax: rows were left out because a quote in them is never closed or they have zero bytes,
	// or rows have more or fewer fields than there are columns.
	CodeSyntax abi.Code = "csv.syntax"
)

// Reader reads one text.
type Reader struct {
	lines

	names   []string
	isRow   func(row []string) bool // reports whether a first row is data; nil: it has the names
	columns map[string]int          // by name; of two with the same name the first
	row     []string
	scan    scan

	width  int // how many fields the first row has
	at     int64
	astray int // how many rows with as many fields as there are columns have yet to come behind a damaged one

	large, uneven, damaged int64
	fault                  *abi.Error // the first that Next went on behind
	faults                 int64
}

// maxFaults is how many faults of one text the error tells with their places.
const maxFaults = 3

// resume is how many rows in succession are whole before one with another number of fields is a row,
// too, and no line of a text in quotes that did not close.
const resume = 2

// New returns a reader whose first row has the names of the columns.
func New(in io.Reader) *Reader { return &Reader{lines: lines{in: in, buf: make([]byte, 64<<10)}} }

// Nameless sets what reports whether a first row is data and no names, as where a program or a hand took
// the names away. Such a row is read, and the columns have the names 1, 2 and so on.
func (r *Reader) Nameless(isRow func(row []string) bool) { r.isRow = isRow }

// Next goes on to the next row behind the names, and reports whether there is one. It
// skips empty lines.
func (r *Reader) Next() bool {
	if r.columns == nil {
		if r.begin(); !r.read() {
			return false
		}
		r.columns, r.width, r.names = make(map[string]int, len(r.row)), len(r.row), slices.Clone(r.row)
		nameless := r.isRow != nil && r.isRow(r.row)
		for i, name := range r.names {
			if nameless {
				name = strconv.Itoa(i + 1)
				r.names[i] = name
			}
			if _, twice := r.columns[name]; !twice {
				r.columns[name] = i
			}
		}
		if nameless {
			return true
		}
	}
	for r.read() {
		even := r.even()
		switch {
		case !even && r.astray > 0: // a part of the row that was damaged
			continue
		case !even && len(r.row) < r.width && r.atEnd() && !r.ended:
			r.note(CodeTruncated, "the file ends in the middle", "in line "+strconv.FormatInt(r.at, 10))
			r.damaged++
			continue
		case !even:
			r.uneven++
			r.note(CodeSyntax, "the file is no table", "line "+strconv.FormatInt(r.at, 10)+" has "+strconv.Itoa(len(r.row))+" fields, and not "+strconv.Itoa(r.width))
		}
		r.astray = max(r.astray-1, 0)
		return true
	}
	return false
}

// even reports whether the row has a field for each column. Empty ones behind them count for
// nothing.
func (r *Reader) even() bool {
	for i := r.width; i < len(r.row); i++ {
		if r.row[i] != "" {
			return false
		}
	}
	return len(r.row) >= r.width
}

// Has reports whether the first row names the column.
func (r *Reader) Has(column string) bool {
	_, ok := r.columns[column]
	return ok
}

// Columns returns the names in the first row, once Next was called.
func (r *Reader) Columns() []string { return r.names }

// Row returns the fields of the row at hand, valid until the next one.
func (r *Reader) Row() []string { return r.row }

// Get returns the row's field in the column, "" without one.
func (r *Reader) Get(column string) string {
	if i, ok := r.columns[column]; ok && i < len(r.row) {
		return r.row[i]
	}
	return ""
}

// Line returns the line in which the row at hand begins, counted from 1.
func (r *Reader) Line() int64 { return r.at }

// Large returns how many rows were above RowBytes and left out.
func (r *Reader) Large() int64 { return r.large }

// Uneven returns how many rows had more or fewer fields than there are columns.
func (r *Reader) Uneven() int64 { return r.uneven }

// Damaged returns how many rows were left out because they do not close or have zero bytes.
func (r *Reader) Damaged() int64 { return r.damaged }

// Err returns the failure that ended Next before the end of the text, or else the first fault that
// Next went on behind, nil when there was neither. Its detail has the places of the first few faults, and how many
// more there are.
func (r *Reader) Err() error {
	if r.err != nil || r.fault == nil {
		return r.err
	}
	if r.faults <= maxFaults {
		return r.fault
	}
	all := *r.fault
	all.Detail += "; and " + strconv.FormatInt(r.faults-maxFaults, 10) + " more"
	return &all
}

func (r *Reader) note(code abi.Code, message, detail string) {
	r.faults++
	switch {
	case r.fault == nil:
		r.fault = &abi.Error{Code: code, Message: message, Detail: detail, Hint: "download it again"}
	case r.faults > maxFaults:
	case code == CodeTruncated && r.fault.Code != code:
		r.fault.Detail += "; the end " + detail
	default:
		r.fault.Detail += "; " + detail
	}
}

// read reads one row into r.row. A damaged one costs its first line: those behind it may be rows.
func (r *Reader) read() bool {
	for {
		r.at = r.number
		if !r.line() {
			return false
		}
		switch r.scan.begin(r.separator, r.bare); r.fields() {
		case tooLarge:
			r.large++
		case broken:
			r.unread()
			r.damaged, r.astray = r.damaged+1, resume
			code, what := CodeSyntax, "the row in line "
			if r.atEnd() {
				code, what = CodeTruncated, "in line "
			}
			r.note(code, "a row does not close", what+strconv.FormatInt(r.at, 10))
		case whole:
			if r.scan.filled {
				r.row = r.scan.list(r.row[:0])
				return true
			}
		}
		if r.err != nil {
			return false
		}
	}
}

// The outcomes of a row.
const (
	whole = iota
	tooLarge
	broken // a quote is never closed, or the row has zero bytes
)

// fields reads the lines of one row. The first one is at hand.
func (r *Reader) fields() int {
	for {
		switch {
		case r.cut && r.first == 0:
			return tooLarge
		case r.cut:
			return broken
		}
		done, ok := r.scan.take(r.raw[r.last:])
		switch {
		case !ok && r.lax():
			return whole
		case !ok:
			return broken
		case done:
			return whole
		case len(r.raw) > RowBytes && !r.followed():
			return r.pass()
		case len(r.raw) > RowBytes || r.work > maxWork || !r.more():
			if r.err == nil && r.lax() {
				return whole
			}
			return broken
		}
	}
}

// followed reports whether the lines behind the first one of the row at hand are rows, as behind a
// quote that does not close. Those of a long text are none.
func (r *Reader) followed() bool {
	const lookedAt = 32
	rows, lines := 0, 0
	for b := r.raw[r.first:]; len(b) > 0 && lines < lookedAt; lines++ {
		end := bytes.IndexByte(b, '\n') + 1
		if cr := bytes.IndexByte(b, '\r') + 1; r.bare && cr > 0 && (end == 0 || cr < end) {
			end = cr
		}
		if end == 0 {
			end = len(b)
		}
		line := scan{separator: r.separator, bare: r.bare}
		if done, ok := line.take(b[:end]); done && ok && len(line.ends) == r.width && r.width > 1 {
			rows++
		}
		b = b[end:]
	}
	return rows*2 > lines
}

// pass passes the rest of a row that is too large.
func (r *Reader) pass() int {
	for {
		r.raw, r.first, r.last = r.raw[:0], 0, 0
		r.scan.text, r.scan.ends, r.scan.start = r.scan.text[:0], r.scan.ends[:0], 0
		if !r.more() || r.cut {
			return broken
		}
		done, ok := r.scan.take(r.raw)
		switch {
		case !ok:
			return broken
		case done:
			return tooLarge
		}
	}
}

// lax reads the first line again where text stands behind a quote that closes, and reports whether
// the line then has a field for each column.
func (r *Reader) lax() bool {
	again := scan{separator: r.separator, bare: r.bare, lax: true}
	again.text, again.ends = r.scan.text[:0], r.scan.ends[:0]
	done, ok := again.take(r.raw[:r.first])
	if !r.scan.stray || !done || !ok || r.columns == nil || len(again.ends) != r.width {
		return false
	}
	r.unread()
	r.scan = again
	return true
}
