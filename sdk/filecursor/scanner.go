package filecursor

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// Plan is the way to read a file, given its cursor.
type Plan uint8

// The plans.
const (
	// Skip: size and times equal the cursor's. Nothing is read.
	Skip Plan = iota
	// Append: the file still starts with the delivered part. Only the lines behind it,
	// which may be none, are delivered.
	Append
	// Rebuild: the file is new, or no longer starts with the delivered part. It is
	// delivered from its start.
	Rebuild
)

// String returns the plan's name.
func (p Plan) String() string {
	switch p {
	case Skip:
		return "skip"
	case Append:
		return "append"
	case Rebuild:
		return "rebuild"
	}
	return "unknown"
}

// The defaults of Scanner, in bytes.
const (
	DefaultMaxLine = 16 << 20
	DefaultBuffer  = 128 << 10
)

// maxIdle is how many reads in a row may return no bytes.
const maxIdle = 100

// ErrNotRegular is the error of Open for a folder or a device.
var ErrNotRegular = errors.New("not a regular file")

// Scanner walks the complete lines of one file after the other, with one
// buffer. The zero Scanner is ready:
//
//	plan, err := sc.Open(root, path, files.Cursor(path))
//	for sc.Next() {
//		use(sc.Line(), sc.Offset())
//	}
//	result, err := sc.Close()
type Scanner struct {
	MaxLine int // the longest line delivered, in bytes without its LF; 0: DefaultMaxLine
	Buffer  int // where the buffer starts, in bytes; 0: DefaultBuffer
	// Whole reports whether the bytes behind the last LF are a complete line. A nil Whole reports false.
	Whole func(line []byte) bool

	fsys  fs.FS
	path  string
	prior Cursor
	plan  Plan
	file  fs.File
	info  fs.FileInfo // at the opening
	err   error

	buf    []byte
	base   int64 // offset in the file of buf[0]
	r, w   int   // the window: read, not delivered yet
	look   int   // up to where the window has no LF
	hashed int   // up to where buf is in sum
	sum    sha256.Digest
	begun  int64 // where the last line starts
	line   []byte
	lines  int64
	feeds  int64 // LFs in front of what is delivered next
	number int64 // of the current line
	skips  []Oversized
	cut    *[sha256.Size]byte // the hash up to base when sum is beyond it
	idle   int                // reads in a row that gave nothing
	short  bool               // the file ended before the size it was opened with

	unhashed bool // see OpenAt
	ended    bool // every complete line was delivered
}

// Oversized is a line above MaxLine. It was neither delivered nor buffered.
type Oversized struct {
	Offset int64 // of its first byte
	Length int64 // without its LF
	Line   int64 // its number, see LineNumber
}

// Open decides how to read the file and, unless the plan is Skip, prepares the lines.
// It reads the delivered part of a changed file to compare its hash. prior is the zero
// Cursor for a file never seen. Call Close whatever the plan, but not after an error.
func (s *Scanner) Open(fsys fs.FS, path string, prior Cursor) (Plan, error) {
	s.restart(fsys, path, prior)
	info, err := fs.Stat(fsys, path)
	switch {
	case err != nil:
		return Skip, err
	case !info.Mode().IsRegular():
		return Skip, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	case prior.Same(files.StampOf(info)):
		Learn(&s.prior, files.StampOf(info))
		s.info, s.ended = info, true
		return Skip, nil
	}
	if s.plan, err = s.begin(); err != nil {
		s.drop()
		return Skip, err
	}
	return s.plan, nil
}

// restart closes the file before, and keeps the buffer.
func (s *Scanner) restart(fsys fs.FS, path string, prior Cursor) {
	if s.file != nil {
		_ = s.file.Close()
	}
	*s = Scanner{
		MaxLine: s.MaxLine, Buffer: s.Buffer, Whole: s.Whole, buf: s.buf, skips: s.skips[:0],
		fsys: fsys, path: path, prior: prior,
	}
	if s.MaxLine <= 0 {
		s.MaxLine = DefaultMaxLine
	}
	if s.Buffer <= 0 {
		s.Buffer = DefaultBuffer
	}
	if s.buf == nil {
		s.buf = make([]byte, min(s.Buffer, s.MaxLine+1))
	}
}

// begin opens the file and reads up to the first byte to deliver.
func (s *Scanner) begin() (Plan, error) {
	if err := s.open(); err != nil {
		return Skip, err
	}
	if !s.prior.known || s.prior.Offset > s.info.Size() {
		return Rebuild, nil
	}
	same, last, err := s.prefixIs(s.file, s.prior.Offset, s.prior.PrefixSHA256)
	if err != nil {
		return Skip, err
	}
	if same && (last == '\n' || s.Whole != nil) {
		s.base, s.begun = s.prior.Offset, s.prior.Offset
		goesOn := false
		if last != '\n' && s.prior.Offset < s.info.Size() {
			goesOn, err = s.behind()
		}
		if err != nil || !goesOn {
			return Append, err
		}
		s.base, s.begun = 0, 0
	}
	if err := s.file.Close(); err != nil {
		return Skip, err
	}
	s.feeds = 0
	return Rebuild, s.open()
}

func (s *Scanner) open() (err error) {
	s.sum.Reset()
	if s.file, err = s.fsys.Open(s.path); err != nil {
		s.file = nil
		return err
	}
	s.info, err = s.file.Stat()
	return err
}

// prefixIs reads n bytes of f into sum, and reports whether f has them and they hash to want, and the last
// of them, an LF for none.
func (s *Scanner) prefixIs(f fs.File, n int64, want [sha256.Size]byte) (same bool, last byte, err error) {
	last = '\n'
	for n > 0 {
		got, err := f.Read(s.buf[:min(int64(len(s.buf)), n)])
		if got > 0 {
			s.sum.Write(s.buf[:got])
			s.feeds += int64(bytes.Count(s.buf[:got], []byte{'\n'}))
			last = s.buf[got-1]
			n -= int64(got)
		}
		if err == io.EOF && n > 0 { //nolint:errorlint // readers return io.EOF itself
			return false, last, nil
		}
		if err != nil && err != io.EOF { //nolint:errorlint // as above
			return false, last, err
		}
	}
	return s.sum.Sum() == want, last, nil
}

// Next goes to the next complete line and reports whether there is one.
func (s *Scanner) Next() bool {
	if s.file == nil || s.err != nil || s.ended {
		return false
	}
	for {
		if i := bytes.IndexByte(s.buf[s.look:s.w], '\n'); i >= 0 {
			end := s.look + i
			s.line, s.begun = s.buf[s.r:end:end], s.base+int64(s.r)
			s.r, s.look = end+1, end+1
			s.feeds++
			s.number = s.feeds
			if len(s.line) > s.MaxLine {
				s.skips = append(s.skips, Oversized{s.begun, int64(len(s.line)), s.number})
				continue
			}
			s.lines++
			s.unmark()
			return true
		}
		s.look = s.w
		if s.w-s.r > s.MaxLine {
			if !s.passOver() {
				return false
			}
			continue
		}
		if !s.fill() {
			return s.last()
		}
	}
}

// fill reads more into the window, and reports false at the end or on an error.
func (s *Scanner) fill() bool {
	s.compact()
	if s.w == len(s.buf) {
		grown := make([]byte, min(2*len(s.buf), s.MaxLine+1))
		copy(grown, s.buf[:s.w])
		s.buf = grown
	}
	// Bytes appended since the opening belong to the next run, which notices them by
	// size and modification time.
	left := s.info.Size() - s.base - int64(s.w)
	if left <= 0 {
		s.ended = true
		return false
	}
	n, err := s.file.Read(s.buf[s.w:min(int64(len(s.buf)), int64(s.w)+left)])
	s.w += max(n, 0)
	switch {
	case n > 0:
		s.idle = 0
		return true
	case err == nil && s.idle < maxIdle:
		s.idle++
		return true
	case err == nil:
		s.err = io.ErrNoProgress
	case err == io.EOF: //nolint:errorlint // readers return io.EOF itself
		s.ended, s.short = true, true
	default:
		s.err = err
	}
	return false
}

// compact hashes the delivered lines and moves the window to the front.
func (s *Scanner) compact() {
	s.hash()
	s.base += int64(s.r)
	s.w = copy(s.buf, s.buf[s.r:s.w])
	s.look -= s.r
	s.r, s.hashed, s.line = 0, 0, nil
}

// hash brings sum up to the last delivered line.
func (s *Scanner) hash() {
	if s.unhashed {
		return
	}
	s.sum.Write(s.buf[s.hashed:s.r])
	s.hashed = s.r
}

// Line returns the current line without its LF (a CR before it stays). It is
// good until the next call of Next or Open.
func (s *Scanner) Line() []byte { return s.line }

// Offset returns where the current line starts in the file, in bytes.
func (s *Scanner) Offset() int64 { return s.begun }

// LineNumber returns the number of the current line in the file, counted from 1; after OpenAt, counted from
// the offset.
func (s *Scanner) LineNumber() int64 { return s.number }

// Position returns how many bytes of the file are behind the current line: for
// progress, of Size.
func (s *Scanner) Position() int64 { return s.base + int64(s.r) }

// Size returns the file's size at the opening.
func (s *Scanner) Size() int64 {
	if s.info == nil {
		return 0
	}
	return s.info.Size()
}

// Err returns the error that ended Next, nil at the end of the lines.
func (s *Scanner) Err() error { return s.err }

// Cursor returns a cursor behind the current line, for a checkpoint in the
// middle of a large file. It does not know whether the file was rewritten
// meanwhile; if it was, the next run finds out by the hash and rebuilds.
func (s *Scanner) Cursor() Cursor {
	if s.file == nil {
		return s.prior
	}
	c := Cursor{Offset: s.Position(), known: true}
	Learn(&c, files.StampOf(s.info))
	c.Size, c.MTimeMS = c.Offset, s.info.ModTime().UnixMilli()
	if s.cut != nil {
		c.PrefixSHA256 = *s.cut
		return c
	}
	s.hash()
	c.PrefixSHA256 = s.sum.Sum()
	return c
}
