package archive

import (
	"bytes"
	"compress/gzip"
	"io"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
)

// members reads the members of a gzip one after the other (RFC 1952, section 2.2). Each begins anew, so
// those behind a damaged one can be read. Within a member nothing behind a fault can: a block refers
// to the 32 KiB before it.
type members struct {
	in     *counted
	limits Limits
	source source
	gzip   *gzip.Reader
	start  int64 // of the member at hand
	failed error
	lost   *abi.Error // a member was damaged, and others follow
	tried  int64      // packed bytes that were unpacked to see whether a member begins there

	gaps bool // zeros stand for what is lost, so that its reader does not join what stands around it
	gap  int
}

// gapBytes is how many zeros stand for what is lost: a block that was never written, as file systems leave them.
const gapBytes = 16

func newMembers(in *counted, l Limits) *members {
	m := &members{in: in, limits: l, source: source{in: in}}
	m.gzip = new(gzip.Reader)
	m.begin()
	return m
}

// begin begins to read the member at the source's place. Zeros up to the file's end fill its last block.
func (m *members) begin() {
	m.start = m.source.at
	if !m.source.filled() {
		m.failed = io.EOF
		return
	}
	switch err := m.gzip.Reset(&m.source); {
	case err == nil:
		m.gzip.Multistream(false)
	case m.start > 0 && m.zerosFrom(m.start):
		m.failed = io.EOF
	case err == io.EOF: //nolint:errorlint // io.EOF is never wrapped
		m.failed = io.ErrUnexpectedEOF
	default:
		m.failed = err
	}
}

func (m *members) Read(p []byte) (int, error) {
	for {
		if m.gap > 0 {
			n := min(m.gap, len(p))
			clear(p[:n])
			m.gap -= n
			return n, nil
		}
		if m.failed != nil {
			if m.gaps && m.resume() {
				m.gap = gapBytes
				continue
			}
			return 0, m.end()
		}
		n, err := m.gzip.Read(p)
		switch {
		case err == io.EOF: //nolint:errorlint // io.EOF is never wrapped
			m.begin()
		case err != nil:
			m.failed = err
		}
		if n > 0 {
			return n, nil
		}
	}
}

// end is what ends the reading. Where zeros stand for members that are lost, that is told at the end.
func (m *members) end() error {
	if m.failed == io.EOF && m.gaps && m.lost != nil { //nolint:errorlint // io.EOF is never wrapped
		return m.lost
	}
	return m.failed
}

// resume goes on at the first member behind the damaged one at hand that is whole, and reports whether
// there is one.
func (m *members) resume() bool {
	if m.failed == nil || m.failed == io.EOF || !isDamage(m.failed) { //nolint:errorlint // io.EOF is never wrapped
		return false
	}
	at := m.find(m.start + 1)
	if at < 0 {
		return false
	}
	if m.lost == nil {
		m.lost = corrupt("a part of it that begins at byte " + strconv.FormatInt(m.start, 10) + ", up to byte " + strconv.FormatInt(at, 10))
	}
	m.source.moveTo(at)
	m.failed = nil
	m.begin()
	return m.failed == nil
}

// isDamage reports whether an error says that the packed bytes are not as they were.
func isDamage(err error) bool {
	return err == io.ErrUnexpectedEOF || isDecoder(err) //nolint:errorlint // as the decoders return it
}

// memberHead is the least that a member begins with.
const memberHead = 10

// isMember reports whether b begins like a member: the signature, deflate, and no reserved flag.
func isMember(b []byte) bool {
	return len(b) >= 4 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 && b[3]&0xe0 == 0
}

// find returns where, from a place on, a member is whole, -1 for nowhere. So that an archive which stands within
// the damaged member is not taken for one, another member or the file's end has to follow it.
func (m *members) find(from int64) int64 {
	const room = 64 << 10
	buf, size := make([]byte, room), m.in.Size()
	for size-from >= memberHead {
		b := buf[:min(room, size-from)]
		if readAt(m.in, b, from) != nil {
			return -1
		}
		for i := 0; i+memberHead <= len(b); i++ {
			n := bytes.IndexByte(b[i:len(b)-memberHead+1], 0x1f)
			if n < 0 {
				break
			}
			if i += n; isMember(b[i:]) && m.whole(from+int64(i)) {
				return from + int64(i)
			}
		}
		from += int64(len(b) - memberHead + 1)
	}
	return -1
}

// whole reports whether a whole member stands at a place, with another one or the file's end behind it.
func (m *members) whole(at int64) bool {
	const times = 4 // the file's size: more is the work of a file that was made for it
	if m.tried > times*m.in.Size()+ratioFree {
		return false
	}
	s := source{in: m.in.SectionReader, at: at, buf: make([]byte, 4<<10)}
	z, err := gzip.NewReader(&s)
	if err != nil {
		return false
	}
	z.Multistream(false)
	buf := make([]byte, 32<<10)
	for n := int64(0); err == nil && m.limits.within(s.at-at, n); {
		var k int
		k, err = z.Read(buf)
		n += int64(k)
	}
	m.tried += s.at - at
	if err != io.EOF { //nolint:errorlint // io.EOF is never wrapped
		return false
	}
	var next [4]byte
	n, _ := m.in.ReadAt(next[:], s.at)
	return n == 0 || isMember(next[:n]) || m.zerosFrom(s.at)
}

// zerosFrom reports whether nothing but zeros stands between a place and the file's end.
func (m *members) zerosFrom(at int64) bool {
	buf := make([]byte, 4<<10)
	for at < m.in.Size() {
		b := buf[:min(int64(len(buf)), m.in.Size()-at)]
		if readAt(m.in, b, at) != nil || len(bytes.TrimLeft(b, "\x00")) > 0 {
			return false
		}
		at += int64(len(b))
	}
	return true
}

// source reads a file from a place on, byte by byte where a decoder wants to, so that its place is known.
type source struct {
	in   io.ReaderAt
	at   int64 // of held
	buf  []byte
	held []byte
	err  error
}

func (s *source) moveTo(at int64) { s.at, s.held, s.err = at, nil, nil }

// filled has held hold something, and reports whether it does.
func (s *source) filled() bool {
	if s.buf == nil {
		s.buf = make([]byte, 64<<10)
	}
	if len(s.held) == 0 && s.err == nil {
		var n int
		n, s.err = s.in.ReadAt(s.buf, s.at)
		s.held = s.buf[:n]
	}
	return len(s.held) > 0
}

func (s *source) Read(p []byte) (int, error) {
	if !s.filled() {
		return 0, s.err
	}
	n := copy(p, s.held)
	s.held, s.at = s.held[n:], s.at+int64(n)
	return n, nil
}

func (s *source) ReadByte() (byte, error) {
	if !s.filled() {
		return 0, s.err
	}
	c := s.held[0]
	s.held, s.at = s.held[1:], s.at+1
	return c, nil
}
