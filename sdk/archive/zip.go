package archive

import (
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The signatures and the sizes of a zip's fixed parts (APPNOTE.TXT 6.3.10, section 4.3).
const (
	localSignature     = 0x04034b50
	directorySignature = 0x02014b50
	endSignature       = 0x06054b50
	end64Signature     = 0x06064b50
	locatorSignature   = 0x07064b50
	spannedSignature   = 0x08074b50

	localSize     = 30
	directorySize = 46
	endSize       = 22
	end64Size     = 56
	locatorSize   = 20
)

// zipFile is a zip, read through a window on its directory.
type zipFile struct {
	file   io.ReaderAt
	base   int64 // where the archive begins: programs may stand before it
	from   int64 // of the directory
	tail   int64 // where the record at its end ends, and its comment
	window window
	count  int64 // entries still to come
	packed int64 // the sum so far: no byte can belong to two entries

	name   string // of the entry at hand
	header directoryHeader
	flate  flateReader
	passed int64 // of the file
}

// directoryHeader is an entry as the directory describes it.
type directoryHeader struct {
	flags, method        uint16
	crc                  uint32
	packed, size, offset int64
}

const (
	flagEncrypted = 1 << 0
	flagMasked    = 1 << 13 // the directory is encrypted

	wideSize = 0xffffffff // the size stands in the Zip64 field

	methodStored  = 0
	methodDeflate = 8
)

// methods names the methods that this reader does not unpack.
var methods = map[uint16]string{9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "zstd", 95: "xz", 98: "PPMd", 99: "AES"}

func u16(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 }
func u32(b []byte) uint32 { return uint32(u16(b)) | uint32(u16(b[2:]))<<16 }
func u64(b []byte) uint64 { return uint64(u32(b)) | uint64(u32(b[4:]))<<32 }

// i64 is u64 for sizes and places; what no file can have becomes -1.
func i64(b []byte) int64 { return max(int64(u64(b)), -1) }

func openZip(file io.ReaderAt, size int64, head [4]byte, l Limits) (format, error) {
	z := &zipFile{file: file}
	at, end, err := findEnd(file, size)
	tail := at + endSize
	switch {
	case err != nil:
		return nil, err
	case end == nil:
		switch u32(head[:]) {
		case localSignature, spannedSignature, endSignature:
			return nil, truncated("its directory, which stands at the end, is missing")
		}
		return nil, notArchive(head)
	}
	disk, count, length, from := int64(u16(end[4:])), int64(u16(end[10:])), int64(u32(end[12:])), int64(u32(end[16:]))
	if disk == 0xffff || count == 0xffff || length == 0xffffffff || from == 0xffffffff {
		at64, end64, err := findEnd64(file, at)
		if err != nil {
			return nil, err
		}
		if end64 != nil {
			at, disk, count, length, from = at64, int64(u32(end64[16:])), i64(end64[32:]), i64(end64[40:]), i64(end64[48:])
		}
	}
	switch {
	case disk != 0:
		return nil, unsupported("it is one of several parts that make one archive")
	case count > l.Entries:
		return nil, tooLarge("it has too many entries")
	case count < 0 || length < 0 || from < 0 || length > at || from > at-length || count > length/directorySize:
		return nil, corrupt("its directory is not where its end says")
	}
	z.tail = tail + int64(u16(end[20:]))
	z.from = at - length
	z.base = z.from - from
	z.window = window{file: file, at: z.from, end: at}
	z.count = count
	return z, nil
}

// findEnd finds the record at a zip's end, which a comment may follow. It returns nil when
// there is none.
func findEnd(file io.ReaderAt, size int64) (at int64, end []byte, err error) {
	tail := make([]byte, min(size, endSize+0xffff))
	from := size - int64(len(tail))
	if err := readAt(file, tail, from); err != nil {
		return 0, nil, err
	}
	for i := len(tail) - endSize; i >= 0; i-- {
		if u32(tail[i:]) == endSignature && i+endSize+int(u16(tail[i+20:])) <= len(tail) {
			return from + int64(i), tail[i : i+endSize], nil
		}
	}
	return 0, nil, nil
}

// findEnd64 finds the same record of a Zip64 archive, by the locator before the end.
func findEnd64(file io.ReaderAt, end int64) (at int64, record []byte, err error) {
	var b [end64Size]byte
	if end < locatorSize {
		return 0, nil, nil
	}
	if err := readAt(file, b[:locatorSize], end-locatorSize); err != nil {
		return 0, nil, err
	}
	if u32(b[:]) != locatorSignature {
		return 0, nil, nil
	}
	if u32(b[4:]) != 0 || u32(b[16:]) > 1 {
		return 0, nil, unsupported("it is one of several parts that make one archive")
	}
	// Bytes before the archive shift the place that the locator has: look right before it, too.
	for _, at := range []int64{i64(b[8:]), end - locatorSize - end64Size} {
		var record [end64Size]byte
		if at < 0 || at > end-locatorSize-end64Size {
			continue
		}
		if err := readAt(file, record[:], at); err != nil {
			return 0, nil, err
		}
		if u32(record[:]) == end64Signature {
			return at, record[:], nil
		}
	}
	return 0, nil, corrupt("its Zip64 end is missing")
}

func (z *zipFile) done() int64 { return z.passed }

func (z *zipFile) next() (Entry, int64, error) {
	for z.count > 0 {
		z.count--
		e, err := z.entry()
		if err != nil || !strings.HasSuffix(e.Name, "/") {
			return e, z.header.packed, err
		}
	}
	if z.window.at != z.window.end {
		// Names of entries may hide behind the count, or a signature stand there.
		b, err := z.window.next(4)
		if err != nil || u32(b) == directorySignature {
			return Entry{}, 0, corrupt("its directory has more entries than its end says")
		}
	}
	return Entry{}, 0, io.EOF
}

// entry reads one entry of the directory.
func (z *zipFile) entry() (Entry, error) {
	b, err := z.window.next(directorySize)
	if err != nil {
		return Entry{}, err
	}
	if u32(b) != directorySignature {
		return Entry{}, corrupt("its directory has fewer entries than its end says")
	}
	h := &z.header
	*h = directoryHeader{flags: u16(b[8:]), method: u16(b[10:]), crc: u32(b[16:])}
	packed, size, offset := u32(b[20:]), u32(b[24:]), u32(b[42:])
	modified := dosTime(u16(b[14:]), u16(b[12:]))
	h.packed, h.size, h.offset = int64(packed), int64(size), int64(offset)
	nameLen, extraLen, commentLen := int(u16(b[28:])), int(u16(b[30:])), int(u16(b[32:]))
	if b, err = z.window.next(nameLen); err != nil {
		return Entry{}, err
	}
	z.name = string(b)
	if b, err = z.window.next(extraLen); err != nil {
		return Entry{}, err
	}
	if !h.widen(b, size == wideSize, packed == wideSize, offset == wideSize) {
		return Entry{}, corrupt("an entry lacks its Zip64 sizes")
	}
	if err = z.window.skip(commentLen); err != nil {
		return Entry{}, err
	}
	z.passed = max(z.passed, z.base+h.offset+h.packed)
	if z.packed += h.packed; z.packed > z.from || z.packed < 0 {
		return Entry{}, errOverlap
	}
	return Entry{Name: z.name, Size: h.size, Modified: modified, Problem: h.problem()}, nil
}

// problem says why the entry cannot be unpacked, nil when it can.
func (h *directoryHeader) problem() *abi.Error {
	switch {
	case h.flags&(flagEncrypted|flagMasked) != 0 || h.method == 99:
		return encrypted("an entry needs a password")
	case h.method != methodStored && h.method != methodDeflate:
		name := methods[h.method]
		if name == "" {
			name = "number " + strconv.Itoa(int(h.method))
		}
		return unsupported("an entry is packed by the method " + name)
	}
	return nil
}

// dosTime returns a time as a zip has it, the zero one for a date that is none.
func dosTime(date, clock uint16) time.Time {
	if date>>5&0xf == 0 || date&0x1f == 0 {
		return time.Time{}
	}
	return time.Date(1980+int(date>>9), time.Month(date>>5&0xf), int(date&0x1f), int(clock>>11), int(clock>>5&0x3f), int(clock&0x1f)*2, 0, time.UTC)
}

// errOverlap is the fault of an archive that was made to be unpacked twice.
var errOverlap = corrupt("its entries overlap")

// widen takes the sizes that do not fit 32 bits from the extra field, in its order. It
// reports whether all are there and may be real.
func (h *directoryHeader) widen(extra []byte, size, packed, offset bool) bool {
	for len(extra) >= 4 {
		id, n := u16(extra), int(u16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			break
		}
		field := extra[:n]
		extra = extra[n:]
		if id != 1 {
			continue
		}
		for _, wide := range []struct {
			wanted *bool
			to     *int64
		}{{&size, &h.size}, {&packed, &h.packed}, {&offset, &h.offset}} {
			if *wide.wanted && len(field) >= 8 {
				*wide.to, *wide.wanted = i64(field), false
				field = field[8:]
			}
		}
		break
	}
	return !size && !packed && !offset && h.size >= 0 && h.packed >= 0 && h.offset >= 0
}

// open finds the content behind the entry's local header.
func (z *zipFile) open() (io.Reader, error) {
	h := &z.header
	at := z.base + h.offset
	if at < 0 || at > z.from-localSize {
		return nil, corrupt("an entry lies outside of it")
	}
	var local [localSize]byte
	if err := readAt(z.file, local[:], at); err != nil {
		return nil, err
	}
	nameLen := int(u16(local[26:]))
	if u32(local[:]) != localSignature || nameLen != len(z.name) {
		return nil, corrupt("an entry is not where the directory says")
	}
	name := make([]byte, nameLen)
	if err := readAt(z.file, name, at+localSize); err != nil {
		return nil, err
	}
	if string(name) != z.name {
		return nil, corrupt("an entry has another name than in the directory")
	}
	at += localSize + int64(nameLen) + int64(u16(local[28:]))
	if at > z.from || h.packed > z.from-at {
		return nil, corrupt("an entry lies outside of it")
	}
	var content io.Reader = io.NewSectionReader(z.file, at, h.packed)
	if h.method == methodDeflate {
		content = z.flate.open(content)
	} else if h.packed != h.size {
		return nil, corrupt("an entry that is not packed has two sizes")
	}
	return &checked{content: content, want: h.crc, left: h.size}, nil
}

// checked compares the checksum of a content at its end.
type checked struct {
	content io.Reader
	crc     uint32
	want    uint32
	left    int64
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.content.Read(p)
	c.crc = crc32.Update(c.crc, crc32.IEEETable, p[:n])
	if c.left -= int64(n); err == io.EOF && c.left == 0 && c.crc != c.want { //nolint:errorlint // io.EOF is never wrapped
		return n, corrupt("the checksum of an entry is wrong")
	}
	return n, err
}
