package archive

import (
	"hash/crc32"
	"io"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
)

// salvage walks a zip without its directory, by the header before each entry (APPNOTE.TXT, section
// 4.3.7): the directory is missing where a download was cut, and may be damaged. An entry whose
// header has no sizes ends where its content does, in front of a data descriptor (4.3.9).
type salvage struct {
	file   io.ReaderAt
	at     int64 // of the next header
	end    int64 // of the entries
	limits Limits
	flate  flateReader

	name    string
	header  directoryHeader
	from    int64    // of the content
	unsized bool     // the header has no sizes
	content *unsized // of an entry without sizes, once it was opened
}

const (
	flagDescriptor = 1 << 3

	descriptorSignature = 0x08074b50
	maxDescriptor       = 24
	// newestVersion is the highest that a header may ask for; random bytes seldom pass for one.
	newestVersion = 63
)

func newSalvage(file io.ReaderAt, from, end int64, l Limits) *salvage {
	return &salvage{file: file, at: from, end: end, limits: l}
}

func (s *salvage) done() int64 { return s.at }

// next goes on to the next header, past anything between two entries.
func (s *salvage) next() (Entry, int64, error) {
	if err := s.pass(); err != nil {
		return Entry{}, 0, err
	}
	for {
		ok, err := s.find()
		if err != nil {
			return Entry{}, 0, err
		}
		if !ok {
			return Entry{}, 0, io.EOF
		}
		e, err := s.local()
		if err != nil {
			return Entry{}, 0, err
		}
		if e.Name == "" || e.Name[len(e.Name)-1] == '/' { // a folder has no content, but may pretend to
			if err := s.pass(); err != nil {
				return Entry{}, 0, err
			}
			continue
		}
		if s.unsized {
			return e, -1, nil
		}
		return e, s.header.packed, nil
	}
}

// pass goes behind the entry at hand.
func (s *salvage) pass() error {
	if !s.unsized {
		return nil
	}
	s.unsized = false
	if s.content == nil {
		s.content = s.openUnsized()
	}
	buf := make([]byte, 32<<10)
	for {
		if _, err := s.content.Read(buf); err != nil {
			s.at = max(s.content.behind(), s.from)
			s.content = nil
			if code := abi.CodeOf(asError(err)); code == CodeRead {
				return err
			}
			return nil // its reader was told, and others may follow
		}
	}
}

// find looks for the next header from at on.
func (s *salvage) find() (bool, error) {
	const room = 64 << 10
	buf := make([]byte, 0, room)
	for s.at+localSize <= s.end {
		buf = buf[:min(room, s.end-s.at)]
		if err := readAt(s.file, buf, s.at); err != nil {
			return false, err
		}
		for i := 0; i+localSize <= len(buf); i++ {
			if u32(buf[i:]) == localSignature && buf[i+4] <= newestVersion && u16(buf[i+26:]) != 0 {
				s.at += int64(i)
				return true, nil
			}
		}
		s.at += int64(len(buf) - localSize + 1)
	}
	s.at = s.end
	return false, nil
}

// local reads the header at hand.
func (s *salvage) local() (Entry, error) {
	var b [localSize]byte
	if err := readAt(s.file, b[:], s.at); err != nil {
		return Entry{}, err
	}
	h := &s.header
	*h = directoryHeader{flags: u16(b[6:]), method: u16(b[8:]), crc: u32(b[14:])}
	packed, size := u32(b[18:]), u32(b[22:])
	h.packed, h.size = int64(packed), int64(size)
	names := make([]byte, int(u16(b[26:]))+int(u16(b[28:])))
	if s.at+localSize+int64(len(names)) > s.end {
		s.at = s.end
		return Entry{}, nil
	}
	if err := readAt(s.file, names, s.at+localSize); err != nil {
		return Entry{}, err
	}
	s.name = string(names[:u16(b[26:])])
	s.from = s.at + localSize + int64(len(names))
	wide := h.widen(names[u16(b[26:]):], size == wideSize, packed == wideSize, false)
	s.unsized = h.flags&flagDescriptor != 0
	e := Entry{Name: s.name, Size: h.size, Modified: dosTime(u16(b[12:]), u16(b[10:])), Problem: h.problem()}
	switch {
	case e.Problem != nil || !wide:
		s.at, s.unsized = s.from, false // the next header is looked for behind this one
		if e.Problem == nil {
			e.Problem = corrupt("an entry lacks its Zip64 sizes")
		}
	case !s.unsized:
		s.at = min(s.from+h.packed, s.end)
	case h.method == methodStored:
		found, err := s.storedEnd()
		if err != nil {
			return Entry{}, err
		}
		if s.unsized = false; !found {
			h.packed = s.end - s.from
			h.size = h.packed + 1 // it is cut, and reading says so
		}
		e.Size = h.size
	default:
		s.at, e.Size = s.from, -1
	}
	return e, nil
}

// storedEnd finds the end of an entry that is not packed and has no sizes: the descriptor that
// names the distance to it.
func (s *salvage) storedEnd() (bool, error) {
	const room = 64 << 10
	buf := make([]byte, 0, room)
	for at := s.from; at+16 <= s.end; {
		buf = buf[:min(room, s.end-at)]
		if err := readAt(s.file, buf, at); err != nil {
			return false, err
		}
		for i := 0; i+16 <= len(buf); i++ {
			if u32(buf[i:]) != descriptorSignature {
				continue
			}
			if length := at + int64(i) - s.from; int64(u32(buf[i+8:])) == length && int64(u32(buf[i+12:])) == length ||
				i+maxDescriptor <= len(buf) && i64(buf[i+8:]) == length && i64(buf[i+16:]) == length {
				s.header.crc, s.header.packed, s.header.size = u32(buf[i+4:]), length, length
				s.at = at + int64(i) + 16
				return true, nil
			}
		}
		if len(buf) < room {
			break
		}
		at += int64(len(buf) - maxDescriptor)
	}
	s.at = s.end
	return false, nil
}

func (s *salvage) open() (io.Reader, error) {
	h := &s.header
	if s.unsized {
		s.content = s.openUnsized()
		return s.content, nil
	}
	var content io.Reader = io.NewSectionReader(s.file, s.from, min(h.packed, s.end-s.from))
	if h.method == methodDeflate {
		content = s.flate.open(content)
	}
	return &checked{content: content, want: h.crc, left: h.size}, nil
}

func (s *salvage) openUnsized() *unsized {
	packed := &counted{SectionReader: io.NewSectionReader(s.file, s.from, s.end-s.from)}
	return &unsized{s: s, packed: packed, content: s.flate.open(packed), at: s.from}
}

// unsized is the content of an entry without sizes. Its end is where the decoder finds it.
type unsized struct {
	s       *salvage
	packed  *counted
	content io.Reader
	at      int64 // of the content
	n       int64
	crc     uint32
	failed  error
	after   int64 // the end of the descriptor, once it was found
}

// used is how much of the file the decoder has taken.
func (u *unsized) used() int64 { return u.packed.n - int64(len(u.s.flate.held)) }

// behind returns where the next header may stand.
func (u *unsized) behind() int64 { return max(u.after, u.at+u.used()) }

func (u *unsized) Read(p []byte) (int, error) {
	if u.failed != nil {
		return 0, u.failed
	}
	n, err := u.content.Read(p)
	u.n += int64(n)
	u.crc = crc32.Update(u.crc, crc32.IEEETable, p[:n])
	switch {
	case u.n > u.s.limits.EntryBytes:
		err = tooLarge("an entry unpacks to too much")
	case !u.s.limits.within(u.packed.n, u.n):
		err = tooLarge("an entry unpacks to far more than it takes")
	case err == io.EOF: //nolint:errorlint // io.EOF is never wrapped
		err = u.descriptor()
	}
	u.failed = err
	return n, err
}

// descriptor reads what stands behind the content, and compares it. A signature is usual, and its
// sizes have four or eight bytes.
func (u *unsized) descriptor() error {
	at, used := u.at+u.used(), u.used()
	b := make([]byte, min(maxDescriptor, u.s.end-at))
	if err := readAt(u.s.file, b, at); err != nil {
		return err
	}
	for _, sign := range []int{4, 0} {
		if len(b) < sign+12 || sign == 4 && u32(b) != descriptorSignature || u32(b[sign:]) != u.crc {
			continue
		}
		d := b[sign+4:]
		if len(d) >= 16 && i64(d) == used && i64(d[8:]) == u.n {
			u.after = at + int64(sign) + 20
			return io.EOF
		}
		if int64(u32(d)) == used && int64(u32(d[4:])) == u.n {
			u.after = at + int64(sign) + 12
			return io.EOF
		}
	}
	if len(b) < 12 {
		return truncated("in the middle of an entry")
	}
	return corrupt("the checksum of an entry is wrong")
}

// behindFault says where a zip stopped being readable by its directory.
func behindFault(lost error, at int64) error {
	var e *abi.Error
	if !asOurs(lost, &e) {
		return lost
	}
	told := *e
	told.Detail += "; what closes before byte " + strconv.FormatInt(at, 10) + " was read"
	return &told
}
