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
	file   *counted
	limits Limits
	out    *bounded
	in     *blocks
	tar    *tar.Reader
	lost   *abi.Error // a header was damaged
}

// newTarball returns the tar in a stream that out bounds.
func newTarball(file *counted, l Limits, out *bounded, content io.Reader) *tarball {
	in := &blocks{in: content}
	return &tarball{file: file, limits: l, out: out, in: in, tar: tar.NewReader(in)}
}

// blocks passes a tar on, and knows how many zero bytes stand at its end.
type blocks struct {
	in    io.Reader
	zeros int
}

func (b *blocks) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if kept := len(bytes.TrimRight(p[:n], "\x00")); kept > 0 {
		b.zeros = n - kept
	} else {
		b.zeros = min(b.zeros+n, tarBlock)
	}
	return n, err
}

// counted reads a file from its start and counts.
type counted struct {
	*io.SectionReader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.SectionReader.Read(p)
	c.n += int64(n)
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
	unzipped, err := gzip.NewReader(in)
	if err == io.EOF { //nolint:errorlint // io.EOF is never wrapped
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	out := &bounded{gzip: unzipped, file: in, limits: l}
	head := make([]byte, tarBlock)
	n, err := io.ReadFull(out, head)
	whole := io.MultiReader(bytes.NewReader(head[:n]), out)
	switch {
	case isTar(head[:n]) || strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar"):
		return newTarball(in, l, out, whole), nil
	case err == io.EOF || err == io.ErrUnexpectedEOF && out.failed == io.EOF || err == nil: //nolint:errorlint // as ReadFull returns them
		return &packedFile{name: name, in: in, content: whole}, nil
	case out.failed != nil:
		err = out.failed
	}
	return nil, err
}

// openTar opens a tar that is not packed; nil for what is none.
func openTar(file io.ReaderAt, size int64, l Limits) format {
	in := &counted{SectionReader: io.NewSectionReader(file, 0, size)}
	head := make([]byte, min(tarBlock, size))
	if readAt(file, head, 0) != nil || !isTar(head) {
		return nil
	}
	out := &bounded{gzip: in, file: in, limits: l}
	return newTarball(in, l, out, out)
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
		_, _ = io.Copy(io.Discard, t.tar) // Next returns its error
		t.in.zeros = 0                    // those of an entry end no tar
		h, err := t.tar.Next()
		switch {
		case err == io.EOF: //nolint:errorlint // io.EOF is never wrapped
			end := t.in.zeros >= tarBlock
			// No entry follows, and the gzip ends well: its checksum stands behind the tar.
			switch found, err := t.scan(); {
			case err != nil:
				return Entry{}, 0, err
			case found:
				t.lose()
				continue
			case t.lost != nil:
				return Entry{}, 0, t.lost
			case !end: // archive/tar takes a cut between two entries for the end
				return Entry{}, 0, truncated("behind an entry, where a block of zeros should be")
			}
			return Entry{}, 0, io.EOF
		case err == tar.ErrHeader && t.resume(): //nolint:errorlint // as archive/tar returns it
			continue
		case err != nil:
			return Entry{}, 0, err
		}
		e := Entry{Name: h.Name, Size: h.Size, Modified: h.ModTime.UTC()}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
		default:
			e.Problem = &abi.Error{Code: CodeUnsupported, Message: "an entry is a link or a device, not a file"}
		}
		return e, -1, nil
	}
}

// resume goes on behind a damaged header, whose entry is lost, and reports whether another one
// follows.
func (t *tarball) resume() bool {
	t.lose()
	found, _ := t.scan()
	return found
}

func (t *tarball) lose() {
	if t.lost == nil {
		t.lost = corrupt("a header in front of byte " + strconv.FormatInt(t.file.n, 10))
	}
}

// scan goes to the next block that is a header by its checksum.
func (t *tarball) scan() (found bool, err error) {
	block := make([]byte, tarBlock)
	for {
		switch _, err := io.ReadFull(t.in, block); {
		case err == io.EOF || err == io.ErrUnexpectedEOF && t.out.failed == io.EOF: //nolint:errorlint // as ReadFull returns them
			return false, nil
		case err != nil:
			return false, err
		case isTar(block):
			t.tar = tar.NewReader(io.MultiReader(bytes.NewReader(block), t.in))
			return true, nil
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
