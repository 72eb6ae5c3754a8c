package archive

import (
	"compress/flate"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// seeker reads at any place by the two calls that every guest has: TinyGo's files seek and
// read, and not all of them read at a place.
type seeker struct {
	file io.ReadSeeker
	at   int64
}

func (s *seeker) ReadAt(b []byte, at int64) (int, error) {
	if s.at != at {
		if _, err := s.file.Seek(at, io.SeekStart); err != nil {
			s.at = -1
			return 0, err
		}
	}
	n, err := io.ReadFull(s.file, b)
	s.at = at + int64(n)
	if err == io.ErrUnexpectedEOF { //nolint:errorlint // as ReadFull returns it
		err = io.EOF
	}
	return n, err
}

// window reads the part of a file between at and end in order.
type window struct {
	file    io.ReaderAt
	at, end int64 // of the bytes that next has not returned
	buf     []byte
	held    []byte // of buf
}

// windowBytes holds the longest part of a directory, a name of 65,535 bytes, and many of
// the usual ones.
const windowBytes = 128 << 10

// next returns the next n bytes, at most 65,535, which are valid until the next call.
func (w *window) next(n int) ([]byte, error) {
	if int64(n) > w.end-w.at {
		return nil, corrupt("its directory ends in the middle of an entry")
	}
	if len(w.held) < n {
		if w.buf == nil {
			w.buf = make([]byte, min(windowBytes, w.end-w.at))
		}
		size := min(int64(len(w.buf)), w.end-w.at)
		if err := readAt(w.file, w.buf[:size], w.at); err != nil {
			return nil, err
		}
		w.held = w.buf[:size]
	}
	b := w.held[:n]
	w.held = w.held[n:]
	w.at += int64(n)
	return b, nil
}

func (w *window) skip(n int) error {
	_, err := w.next(n)
	return err
}

// readAt fills b from a place that the file's size covers.
func readAt(file io.ReaderAt, b []byte, at int64) error {
	n, err := file.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == io.EOF || err == nil { //nolint:errorlint // io.EOF is never wrapped
		return truncated("it became shorter while it was read")
	}
	return err
}

// flateReader keeps one decoder with its 32 KiB for all entries.
type flateReader struct {
	decoder io.ReadCloser
	buf     []byte
	held    []byte
	content io.Reader
	failed  error
}

// open begins to unpack content.
func (f *flateReader) open(content io.Reader) io.Reader {
	if f.buf == nil {
		f.buf = make([]byte, 64<<10)
	}
	f.held, f.content, f.failed = nil, content, nil
	if f.decoder == nil {
		f.decoder = flate.NewReader(f.source())
	} else {
		_ = f.decoder.(flate.Resetter).Reset(f.source(), nil) //nolint:errcheck,forcetypeassert // as flate.NewReader promises
	}
	return f.decoder
}

// source is the packed content. It has ReadByte, without which the decoder would make a
// buffer of its own for each entry.
func (f *flateReader) source() flate.Reader { return (*packedBytes)(f) }

type packedBytes flateReader

func (p *packedBytes) fill() error {
	for len(p.held) == 0 {
		if p.failed != nil {
			return p.failed
		}
		var n int
		n, p.failed = p.content.Read(p.buf)
		p.held = p.buf[:n]
	}
	return nil
}

func (p *packedBytes) ReadByte() (byte, error) {
	if err := p.fill(); err != nil {
		return 0, err
	}
	b := p.held[0]
	p.held = p.held[1:]
	return b, nil
}

func (p *packedBytes) Read(b []byte) (int, error) {
	if err := p.fill(); err != nil {
		return 0, err
	}
	n := copy(b, p.held)
	p.held = p.held[n:]
	return n, nil
}

// packings are the first bytes of archives that this package does not read.
var packings = []struct{ head, name string }{
	{"7z\xbc\xaf", "a 7z"}, {"Rar!", "a rar"}, {"BZh", "a bzip2"}, {"\xfd7zX", "an xz"}, {"\x28\xb5\x2f\xfd", "a zstd"},
}

func notArchive(head [4]byte) *abi.Error {
	for _, p := range packings {
		if strings.HasPrefix(string(head[:]), p.head) {
			return unsupported("it is " + p.name)
		}
	}
	return &abi.Error{Code: CodeNotArchive, Message: "the file is neither a zip nor a tar.gz"}
}
