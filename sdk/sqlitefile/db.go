package sqlitefile

import (
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
)

// magic is the first 16 bytes of every database (section 1.3).
const magic = "SQLite format 3\x00"

// Text encodings of section 1.3.13.
const (
	encUTF8    = 1
	encUTF16LE = 2
	encUTF16BE = 3
)

// DB is an open database. It owns neither of its streams.
type DB struct {
	file     io.ReadSeeker
	wal      *wal // nil without one, or without a committed frame
	limits   Limits
	pageSize int
	usable   int // page size minus the reserved space at each page's end
	encoding int
	pages    uint32 // size of the database in pages, the WAL's growth included
	stamp    Stamp
}

// Stamp identifies the bytes that a DB was opened on, so far as the headers tell. Two
// equal stamps, one taken before and one after a scan, and equal file sizes and times,
// mean that no writer committed or checkpointed in between.
type Stamp struct {
	FileHeader [100]byte
	FileBytes  int64
	WALHeader  [walHeaderSize]byte
	WALBytes   int64
}

// Open reads the header of file and indexes the committed frames of wal, which may be
// nil. Like SQLite, it ignores a wal that has no valid frame or belongs to another
// moment of the file.
func Open(file, wal io.ReadSeeker, limits Limits) (*DB, error) {
	db := &DB{file: file, limits: limits.withDefaults()}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, readFailed(err)
	}
	db.stamp.FileBytes = size
	if size < 100 {
		return nil, notDatabase()
	}
	h := db.stamp.FileHeader[:]
	if err := readAt(file, 0, h); err != nil {
		return nil, err
	}
	if err := db.parseHeader(h, size); err != nil {
		return nil, err
	}
	// Read version 1 is a database that was never, or is no longer, in WAL mode:
	// a log beside it is a stranger's.
	if wal == nil || h[19] != 2 {
		return db, nil
	}
	w, err := openWAL(wal, db.pageSize, db.limits.MaxWALBytes)
	if err != nil {
		return nil, err
	}
	if w != nil {
		db.stamp.WALHeader, db.stamp.WALBytes = w.header, w.bytes
		if len(w.frames) > 0 {
			db.wal, db.pages = w, w.pages
			// The log may carry a newer page 1.
			if err := db.rereadHeader(); err != nil {
				return nil, err
			}
		}
	}
	return db, nil
}

func notDatabase() error {
	return &abi.Error{Code: CodeNotDatabase, Message: "the file is not a SQLite database",
		Hint: "point the connector at the folder that the program itself writes"}
}

func (db *DB) parseHeader(h []byte, size int64) error {
	if string(h[:16]) != magic {
		return notDatabase()
	}
	db.pageSize = be16(h[16:])
	if db.pageSize == 1 {
		db.pageSize = 65536
	}
	if db.pageSize < 512 || db.pageSize > 65536 || db.pageSize&(db.pageSize-1) != 0 {
		return corrupt("page size")
	}
	// Section 1.3.4: the usable size is at least 480 bytes.
	if db.usable = db.pageSize - int(h[20]); db.usable < 480 {
		return corrupt("reserved space")
	}
	if h[19] != 1 && h[19] != 2 {
		return unsupported("read format version")
	}
	if h[21] != 64 || h[22] != 32 || h[23] != 32 {
		return corrupt("payload fractions")
	}
	if format := be32(h[44:]); format > 4 {
		return unsupported("schema format")
	}
	switch enc := be32(h[56:]); enc {
	case 0, encUTF8: // 0: a database without a schema yet
		db.encoding = encUTF8
	case encUTF16LE, encUTF16BE:
		db.encoding = int(enc)
	default:
		return corrupt("text encoding")
	}
	inFile := size / int64(db.pageSize)
	if inFile > 0xFFFFFFFE {
		return corrupt("file size")
	}
	db.pages = uint32(inFile)
	// Section 1.3.8: the header's page count is valid only while the change counter
	// equals the version-valid-for number.
	if n := be32(h[28:]); n != 0 && be32(h[24:]) == be32(h[92:]) && int64(n) < inFile {
		db.pages = n
	}
	return nil
}

// rereadHeader takes the encoding and reserved space of the newest page 1.
func (db *DB) rereadHeader() error {
	page := make([]byte, db.pageSize)
	if err := db.readPage(1, page); err != nil {
		return err
	}
	size, pages := db.pageSize, db.pages
	if err := db.parseHeader(page[:100], int64(pages)*int64(size)); err != nil {
		return err
	}
	if db.pageSize != size {
		return corrupt("page size in the log")
	}
	db.pages = pages // the commit frame's count is the newest
	return nil
}

// Stamp identifies the bytes that the database was opened on.
func (db *DB) Stamp() Stamp { return db.stamp }

// PageSize returns the size of a page in bytes.
func (db *DB) PageSize() int { return db.pageSize }

// readPage fills p, one page long, with page number pgno (from 1).
func (db *DB) readPage(pgno uint32, p []byte) error {
	if pgno == 0 || pgno > db.pages {
		return corrupt("page number")
	}
	if db.wal != nil {
		if found, err := db.wal.page(pgno, p); found || err != nil {
			return err
		}
	}
	return readAt(db.file, int64(pgno-1)*int64(db.pageSize), p)
}

// readAt fills p from offset off. A file that ends inside p is corrupt: its
// header promised more.
func readAt(r io.ReadSeeker, off int64, p []byte) error {
	if _, err := r.Seek(off, io.SeekStart); err != nil {
		return readFailed(err)
	}
	if _, err := io.ReadFull(r, p); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return corrupt("file ends early")
		}
		return readFailed(err)
	}
	return nil
}
