package archive

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// tarball is a tar, in a gzip or bare.
type tarball struct {
	file    *counted
	limits  Limits
	out     *bounded
	members *members // of a gzip, nil without one
	in      *blocks
	tar     *tar.Reader
	retried int64      // behind the header that was read again
	lost    *abi.Error // a header was damaged
	sparse  bool       // the entry has holes, which are passed over and not unpacked
}

// newTarball returns the tar in a stream that out bounds.
func newTarball(file *counted, l Limits, out *bounded, m *members, content io.Reader) *tarball {
	in := &blocks{in: content}
	return &tarball{file: file, limits: l, out: out, members: m, in: in, tar: tar.NewReader(in)}
}

// blocks passes a tar on, and knows how many zero bytes stand at its end, and its last block.
type blocks struct {
	in    io.Reader
	held  []byte // in front of in
	n     int64
	zeros int64
	last  []byte
}

func (b *blocks) Read(p []byte) (n int, err error) {
	if len(b.held) > 0 {
		n = copy(p, b.held)
		b.held = b.held[n:]
	} else {
		n, err = b.in.Read(p)
	}
	b.n += int64(n)
	if kept := len(bytes.TrimRight(p[:n], "\x00")); kept > 0 {
		b.zeros = int64(n - kept)
	} else {
		b.zeros += int64(n)
	}
	b.last = append(b.last, p[max(0, n-tarBlock):n]...)
	b.last = append(b.last[:0], b.last[max(0, len(b.last)-tarBlock):]...)
	return n, err
}

// unread gives back what was read last.
func (b *blocks) unread(p []byte) {
	b.n -= int64(len(p))
	b.held, b.zeros = append(bytes.Clone(p), b.held...), 0
}

// counted knows how far a file was read.
type counted struct {
	*io.SectionReader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.SectionReader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.SectionReader.ReadAt(p, at)
	c.n = max(c.n, at+int64(n))
	return n, err
}

// bounded is the unpacked stream of a gzip, which must keep to the limits: a tar cannot
// skip an entry without unpacking it.
type bounded struct {
	gzip   io.Reader
	file   *counted
	limits Limits
	n      int64
	failed error
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.gzip.Read(p)
	b.n += int64(n)
	b.failed = err
	switch {
	case b.n > b.limits.TotalBytes:
		return 0, tooLarge("it unpacks to too much")
	case !b.limits.within(b.file.n, b.n):
		return 0, tooLarge("it unpacks to far more than it takes")
	}
	return n, err
}

// openGzip opens what a gzip holds: a tar, or one file of the given name.
func openGzip(file io.ReaderAt, size int64, name string, l Limits) (format, error) {
	in := &counted{SectionReader: io.NewSectionReader(file, 0, size)}
	m := newMembers(in, l)
	out := &bounded{gzip: m, file: in, limits: l}
	for {
		head := make([]byte, tarBlock)
		n, err := io.ReadFull(out, head)
		whole := io.MultiReader(bytes.NewReader(head[:n]), out)
		switch {
		case isTar(head[:n]) || isTarName(name) && (err == nil || out.failed == io.EOF): //nolint:errorlint // as ReadFull returns it
			return newTarball(in, l, out, m, whole), nil
		case err == nil, out.failed == io.EOF && (n > 0 || m.lost == nil): //nolint:errorlint // as ReadFull returns it
			m.gaps = true
			if m.lost != nil { // in front
				whole = io.MultiReader(bytes.NewReader(make([]byte, gapBytes)), whole)
			}
			return &packedFile{name: name, in: in, content: whole}, nil
		case n > 0 && out.failed != nil && !isTarName(name):
			m.gaps = true
			return &packedFile{name: name, in: in, content: whole}, nil
		case out.failed != nil && m.resume():
		case out.failed != nil:
			return nil, out.failed
		default:
			return nil, err
		}
	}
}

func isTarName(name string) bool {
	return strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar")
}

// openTar opens a tar that is not packed; nil for what is none.
func openTar(file io.ReaderAt, size int64, l Limits) format {
	in := &counted{SectionReader: io.NewSectionReader(file, 0, size)}
	head := make([]byte, min(tarBlock, size))
	if readAt(file, head, 0) != nil || !isTar(head) {
		return nil
	}
	out := &bounded{gzip: in, file: in, limits: l}
	return newTarball(in, l, out, nil, out)
}

const tarBlock = 512

// isTar reports whether a block is the header of a tar, by its checksum.
func isTar(b []byte) bool {
	if len(b) < tarBlock {
		return false
	}
	const from, to = 148, 156 // of the checksum, which counts as blanks
	want, err := strconv.ParseInt(strings.Trim(string(b[from:to]), " \x00"), 8, 64)
	if err != nil {
		return false
	}
	sum := int64(to-from) * ' '
	for i, c := range b[:tarBlock] {
		if i < from || i >= to {
			sum += int64(c)
		}
	}
	return sum == want
}

// packedFile is the one file in a gzip.
type packedFile struct {
	name    string
	in      *counted
	content io.Reader
	given   bool
}

func (p *packedFile) next() (Entry, int64, error) {
	if p.given {
		_, err := io.Copy(io.Discard, p.content) // its checksum stands at the end
		if err == nil {
			err = io.EOF
		}
		return Entry{}, 0, err
	}
	p.given = true
	return Entry{Name: p.name, Size: -1}, -1, nil
}

func (p *packedFile) open() (io.Reader, error) { return p.content, nil }
func (p *packedFile) done() int64              { return p.in.n }

func (t *tarball) next() (Entry, int64, error) {
	for {
		if !t.sparse {
			_, _ = io.Copy(io.Discard, t.tar) // Next returns its error
		}
		t.in.zeros, t.sparse = 0, false // zeros of an entry end no tar
		h, err := t.tar.Next()
		switch {
		case err == nil:
		case err == io.EOF: //nolint:errorlint // io.EOF is never wrapped
			if err = t.end(); err != nil {
				return Entry{}, 0, err
			}
			continue
		case err == tar.ErrHeader && t.resume(), t.member(): //nolint:errorlint // as archive/tar returns it
			continue
		default:
			return Entry{}, 0, err
		}
		e := Entry{Name: h.Name, Size: h.Size, Modified: h.ModTime.UTC()}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg, tar.TypeGNUSparse:
			if t.sparse = isSparse(h); t.sparse {
				e.Problem = &abi.Error{Code: CodeUnsupported, Message: "an entry has holes, which may unpack to any size"}
			}
		default:
			e.Problem = &abi.Error{Code: CodeUnsupported, Message: "an entry is a link or a device, not a file"}
		}
		return e, -1, nil
	}
}

// isSparse reports whether an entry has holes: parts that take no room in the archive, so that
// its size says nothing of what was read.
func isSparse(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// end goes on behind zeros in the place of a header: nil says that an entry follows. The zeros end a tar
// that another one follows, or they are what is left of entries. Nothing tells these apart, so
// that entries behind zeros are read and something is told to be lost.
func (t *tarball) end() error {
	zeros := t.in.zeros
	found, junk, err := t.scan()
	switch {
	case err != nil && t.member():
		return nil
	case err != nil: // the gzip does not end well: its checksum stands behind the tar
		return err
	case found:
		t.lose()
		return nil
	case junk:
		t.lose()
		return t.lost
	case t.lost != nil:
		return t.lost
	case t.members != nil && t.members.lost != nil:
		return t.members.lost
	case zeros < tarBlock: // archive/tar takes a cut between two entries for the end
		return truncated("behind an entry, where a block of zeros should be")
	}
	return io.EOF
}

// resume goes on behind a damaged header, whose entry is lost, and reports whether another one
// follows.
func (t *tarball) resume() bool {
	t.lose()
	if isTar(t.in.last) && t.in.n > t.retried { // it stands behind a single block of zeros
		t.retried = t.in.n
		t.in.unread(t.in.last)
		t.tar = tar.NewReader(t.in)
		return true
	}
	found, _, _ := t.scan()
	return found
}

func (t *tarball) lose() {
	if t.lost == nil {
		t.lost = corrupt("a header in front of byte " + strconv.FormatInt(t.file.n, 10))
	}
}

// scan goes to the next block that is a header by its checksum. Junk says that blocks in front of it
// are not all zeros.
func (t *tarball) scan() (found, junk bool, err error) {
	block := make([]byte, tarBlock)
	for {
		n, err := io.ReadFull(t.in, block)
		switch {
		case err == nil && isTar(block):
			t.tar = tar.NewReader(io.MultiReader(bytes.NewReader(block), t.in))
			return true, junk, nil
		case len(bytes.TrimLeft(block[:n], "\x00")) > 0:
			junk = true
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF && t.out.failed == io.EOF: //nolint:errorlint // as ReadFull returns them
			return false, junk, nil
		case err != nil:
			return false, junk, err
		}
	}
}

// member goes on in a member of the gzip behind a damaged one, at the first header in it, and reports
// whether there is one. It need not begin with a block.
func (t *tarball) member() bool {
	for t.members != nil && t.members.resume() {
		if t.seek() {
			return true
		}
	}
	return false
}

// seek goes to the next header at any byte, by its magic.
func (t *tarball) seek() bool {
	const magicAt, room = 257, 64 << 10
	var held []byte
	chunk := make([]byte, room)
	for {
		n, err := t.in.Read(chunk)
		held = append(held, chunk[:n]...)
		for at := 0; ; {
			i := bytes.Index(held[at:], []byte("ustar"))
			if i < 0 {
				break
			}
			header := at + i - magicAt
			if header >= 0 && header+tarBlock <= len(held) && isTar(held[header:header+tarBlock]) {
				t.in.unread(held[header:])
				t.tar = tar.NewReader(t.in)
				return true
			}
			if header+tarBlock > len(held) {
				break
			}
			at += i + 1
		}
		held = append(held[:0], held[max(0, len(held)-tarBlock):]...)
		if err != nil {
			return false
		}
	}
}

func (t *tarball) open() (io.Reader, error) { return t.tar, nil }

func (t *tarball) done() int64 { return t.file.n }

// isDecoder reports whether a decoder of the standard library found its input invalid.
func isDecoder(err error) bool {
	for _, known := range []error{gzip.ErrHeader, gzip.ErrChecksum, tar.ErrHeader, tar.ErrFieldTooLong} {
		if err == known { //nolint:errorlint // as the decoders return them; errors.Is needs reflection
			return true
		}
	}
	_, ok := err.(flate.CorruptInputError) //nolint:errorlint // as above
	return ok
}
