package csv

import (
	"io"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

// Bounds on one row.
const (
	RowBytes = 1 << 20
	Fields   = 4096 // further ones are left out
)

// CodeTruncated is the code of a text that ends inside of quotes. It is the connector's own.
const CodeTruncated abi.Code = "csv.truncated"

// Reader reads one text.
type Reader struct {
	in    io.Reader
	buf   []byte
	held  []byte
	inErr error
	begun bool // the byte order mark was looked for

	names   []string
	columns map[string]int // by name; of two with the same name the first
	row     []string
	text    []byte // of the row, field behind field
	ends    []int  // of the fields in text

	width         int // how many fields the first row has
	large, uneven int64
	rows          int64 // behind the names
	err           error
}

// New returns a reader whose first row has the names of the columns.
func New(in io.Reader) *Reader { return &Reader{in: in, buf: make([]byte, 64<<10)} }

// Next goes on to the next row behind the names, and reports whether there is one. It
// skips empty lines.
func (r *Reader) Next() bool {
	if r.columns == nil {
		if !r.read() {
			return false
		}
		r.columns, r.width, r.names = make(map[string]int, len(r.row)), len(r.row), slices.Clone(r.row)
		for i, name := range r.row {
			if _, twice := r.columns[name]; !twice {
				r.columns[name] = i
			}
		}
	}
	if !r.read() {
		return false
	}
	if r.rows++; len(r.row) != r.width {
		r.uneven++
	}
	return true
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

// Large returns how many rows were above RowBytes and left out.
func (r *Reader) Large() int64 { return r.large }

// Uneven returns how many rows had more or fewer fields than there are columns.
func (r *Reader) Uneven() int64 { return r.uneven }

// Err returns the failure that ended Next before the end of the text, nil at its end.
func (r *Reader) Err() error { return r.err }

// read reads one row into r.row.
func (r *Reader) read() bool {
	for r.err == nil {
		r.text, r.ends = r.text[:0], r.ends[:0]
		large, filled := r.fields()
		switch {
		case r.err != nil || !filled && r.inErr != nil:
			return false
		case large:
			r.large++
		case !filled: // an empty line
		default:
			r.row = r.row[:0]
			from := 0
			for _, end := range r.ends {
				r.row = append(r.row, text(r.text[from:end]))
				from = end
			}
			return true
		}
	}
	return false
}

// fields reads one line's fields into text and ends. It reports whether the row is too
// large, and whether the line has anything.
func (r *Reader) fields() (large, filled bool) {
	quoted, was := false, false // inside quotes; a quoted field has been closed
	start := 0
	add := func(c byte) {
		if len(r.text) < RowBytes {
			r.text = append(r.text, c)
		} else {
			large = true
		}
	}
	end := func() {
		if len(r.ends) < Fields {
			r.ends = append(r.ends, len(r.text))
		} else {
			r.text = r.text[:start]
		}
		start, was = len(r.text), false
	}
	for {
		c, ok := r.take()
		if !ok {
			switch {
			case r.inErr != io.EOF: //nolint:errorlint // io.EOF is never wrapped
				r.err = r.inErr
			case quoted:
				r.err = &abi.Error{Code: CodeTruncated, Message: "the file ends inside of a quoted field", Detail: "behind row " + strconv.FormatInt(r.rows, 10), Hint: "download it again"}
			case filled:
				end()
			}
			return large, filled
		}
		switch {
		case c == '\r' && r.peek() == '\n':
			continue // the line feed ends the line, and stands alone in quoted text
		case quoted && c == '"' && r.peek() == '"':
			r.held = r.held[1:]
			add('"')
		case quoted && c == '"':
			quoted, was = false, true
		case quoted:
			add(c)
		case c == '"' && len(r.text) == start && !was:
			quoted, filled = true, true
		case c == ',':
			filled = true
			end()
		case c == '\n':
			end()
			return large, filled
		default:
			filled = true
			add(c)
		}
	}
}

// peek returns the next byte without passing it, 0 at the end.
func (r *Reader) peek() byte {
	if !r.fill() {
		return 0
	}
	return r.held[0]
}

func (r *Reader) take() (byte, bool) {
	if !r.begun {
		r.begun = true
		for i := 0; i < 3 && r.fill() && r.held[0] == "\xef\xbb\xbf"[i]; i++ {
			r.held = r.held[1:]
		}
	}
	if !r.fill() {
		return 0, false
	}
	c := r.held[0]
	r.held = r.held[1:]
	return c, true
}

func (r *Reader) fill() bool {
	for len(r.held) == 0 {
		if r.inErr != nil {
			return false
		}
		var n int
		n, r.inErr = r.in.Read(r.buf)
		r.held = r.buf[:n]
	}
	return true
}

// text is a field as UTF-8.
func text(b []byte) string {
	s, _ := charset.Text(b)
	return s
}
