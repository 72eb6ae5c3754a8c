package archive

import (
	"archive/tar"
	"compress/flate"
	"compress/gzip"
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
)

// tarball is a tar in a gzip.
type tarball struct {
	file   *counted
	limits Limits
	out    *bounded
	tar    *tar.Reader
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
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.gzip.Read(p)
	b.n += int64(n)
	switch {
	case b.n > b.limits.TotalBytes:
		return 0, tooLarge("it unpacks to too much")
	case !b.limits.within(b.file.n, b.n):
		return 0, tooLarge("it unpacks to far more than it takes")
	}
	return n, err
}

func openTar(file io.ReaderAt, size int64, l Limits) (format, error) {
	t := &tarball{file: &counted{SectionReader: io.NewSectionReader(file, 0, size)}, limits: l}
	unzipped, err := gzip.NewReader(t.file)
	if err == io.EOF { //nolint:errorlint // io.EOF is never wrapped
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	t.out = &bounded{gzip: unzipped, file: t.file, limits: l}
	t.tar = tar.NewReader(t.out)
	return t, nil
}

func (t *tarball) next() (Entry, int64, error) {
	for {
		h, err := t.tar.Next()
		switch {
		case err == io.EOF: //nolint:errorlint // io.EOF is never wrapped
			// The gzip has to end well, too: its checksum stands behind the tar.
			if _, err := io.Copy(io.Discard, t.out); err != nil {
				return Entry{}, 0, err
			}
			return Entry{}, 0, io.EOF
		case err != nil:
			return Entry{}, 0, err
		}
		e := Entry{Name: h.Name, Size: h.Size}
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
