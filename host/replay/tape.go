package replay

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Tape is a recording that was read once and follows the format. It is not safe for
// concurrent use.
type Tape struct {
	path   string
	file   *os.File
	most   int64
	header Header
}

// Open reads the recording at path, at most that many bytes (0: MaxBytes), and checks
// its format from the first line to its end. The error is an *abi.Error.
func Open(path string, most int64) (*Tape, error) {
	if most <= 0 {
		most = MaxBytes
	}
	// An update replaces the file and not a link to it.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, invalid("it is not a regular file")
	}
	if err == nil && info.Size() > most {
		return nil, invalid(fmt.Sprintf("it has more than %d bytes", most))
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path) //nolint:gosec // the owner chose the file
	}
	if err != nil {
		return nil, unreadable(err)
	}
	t := &Tape{path: path, file: f, most: most}
	if t.header, err = check(io.LimitReader(f, most)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

// Header returns the recording's first line.
func (t *Tape) Header() Header { return t.header }

// Close closes the file.
func (t *Tape) Close() error { return t.file.Close() }

// rewind returns a cursor on the first event.
func (t *Tape) rewind() (*cursor, error) {
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return nil, unreadable(err)
	}
	c := newCursor(io.LimitReader(t.file, t.most))
	_, err := c.header()
	return c, err
}

// check reads a complete recording.
func check(r io.Reader) (Header, error) {
	c := newCursor(r)
	h, err := c.header()
	for err == nil {
		_, err = c.next()
	}
	if errors.Is(err, io.EOF) {
		return h, nil
	}
	return Header{}, err
}

// cursor reads a recording event by event. It keeps nothing of the earlier events in
// memory except the unanswered requests.
type cursor struct {
	from     *bufio.Reader
	line     []byte
	number   int
	requests int
	open     map[int]bool // unanswered requests; at most abi.MaxInFlight
	last     string       // kind of the last event
	refused  bool         // the last message was refused: the guest ends
}

func newCursor(r io.Reader) *cursor {
	return &cursor{from: bufio.NewReaderSize(r, 64<<10), open: map[int]bool{}}
}

// read reads the next line with its end into c.line.
func (c *cursor) read() error {
	c.number++
	if cap(c.line) > 1<<20 {
		c.line = nil
	}
	c.line = c.line[:0]
	for {
		part, err := c.from.ReadSlice('\n')
		if len(c.line)+len(part) > maxLine {
			return c.broken("it is too long")
		}
		c.line = append(c.line, part...)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, io.EOF):
			if c.number == 1 {
				return c.broken("it is no header")
			}
			return incomplete("it ends with line " + strconv.Itoa(c.number-1))
		case !errors.Is(err, bufio.ErrBufferFull):
			return unreadable(err)
		}
	}
}

func (c *cursor) header() (Header, error) {
	var h Header
	if err := c.read(); err != nil {
		return h, err
	}
	if !decode(c.line, &h) {
		return h, c.broken("it is no header")
	}
	if why := h.check(); why != "" {
		return h, c.broken(why)
	}
	return h, nil
}

// next returns the next event, and io.EOF after the end.
func (c *cursor) next() (event, error) {
	if c.last == kindEnd {
		if _, err := c.from.ReadByte(); !errors.Is(err, io.EOF) {
			return event{}, invalid("something follows its end")
		}
		return event{}, io.EOF
	}
	var e event
	if err := c.read(); err != nil {
		return e, err
	}
	if !decode(c.line, &e) || !e.wellFormed() {
		return e, c.broken("it is no event as this host writes them")
	}
	if why := c.orderProblem(&e); why != "" {
		return e, c.broken(why)
	}
	if e.Kind != kindAnswer {
		c.last = e.Kind
	}
	return e, nil
}

// orderProblem returns why e is not allowed at its position; "" if it is.
func (c *cursor) orderProblem(e *event) string {
	if c.refused && e.Kind != kindAnswer && e.Kind != kindEnd {
		return "it follows a message that was refused"
	}
	switch e.Kind {
	case kindSubmit:
		if c.requests++; e.Request != c.requests {
			return "its request is not the next one"
		}
		if c.open[e.Request] = true; len(c.open) > abi.MaxInFlight {
			return "more requests are unanswered than can be"
		}
	case kindAnswer:
		if !c.open[e.Request] {
			return "it answers no request that is unanswered"
		}
		delete(c.open, e.Request)
	case kindRefused:
		if c.last == kindLog || c.last == kindRefused || c.last == "" || (c.last == kindSubmit) != (e.Request > 0) {
			return "it refuses nothing"
		}
		if e.Request == 0 {
			c.refused = true
		} else if e.Request != c.requests || !c.open[e.Request] {
			return "it refuses another request than the last"
		}
		delete(c.open, e.Request)
	}
	return ""
}

func (c *cursor) broken(why string) error {
	return invalid("line " + strconv.Itoa(c.number) + ": " + why)
}

func invalid(detail string) error {
	return abi.NewError(CodeInvalid, "this is not a recording", "make one with: pdpp-host run CONNECTOR --record FILE").WithDetail(detail)
}

func unreadable(err error) error {
	return abi.NewError(CodeInvalid, "the recording cannot be read", "check that it is there and that you may read it").
		WithDetail(err.Error()).Wrap(err)
}
